/**
 * Real processes, killed with SIGKILL at moments that nobody chose, and taken up again: nothing that the journal says was done is
 * missing outside, nothing is there twice, and no reply that was kept was asked for again.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { fromSource } from "./exec.ts"

const program = fileURLToPath(new URL("./kill/program.ts", import.meta.url))

/** Kills of all runs together, at least. */
const enough = 200

/** Runs at once: as many as a small machine has cores. */
const atOnce = 2

interface Ending {
  readonly killed: boolean
  readonly err: string
}

/** One process, killed so many milliseconds after its first sign of life, unless it was done before. */
const life = (folder: string, outside: string, millis: number): Promise<Ending> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...fromSource, program, folder, outside, "40"])
    const err: Array<Buffer> = []
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    // Starting takes a slow machine longer than it lives: the time counts from its first sign of life.
    child.stdout.once("data", () => void setTimeout(() => child.kill("SIGKILL"), millis))
    child.on("close", (code, signal) => {
      resolve({ killed: signal === "SIGKILL", err: code === 0 || signal !== null ? "" : Buffer.concat(err).toString() })
    })
  })

const linesOf = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").split("\n").slice(0, -1)

const count = (lines: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

interface Event {
  readonly _tag: string
  readonly place?: { readonly turn: number; readonly index: number }
  readonly result?: { readonly content: string }
}

/** Compares what the journal says with what is there outside. How often the run was taken up. */
const expectOnce = (folder: string, outside: string): number => {
  const events = linesOf(join(folder, "run.jsonl")).map((line): Event => JSON.parse(line))
  const there = count(linesOf(outside))
  const replies = events.filter(({ _tag }) => _tag === "Replied").length
  expect(events.at(-1)?._tag).toBe("RunStopped")
  expect(replies).toBe(41)
  const names = ["reads", "writes", "puts", "writes"]
  const finished = events.filter(({ _tag }) => _tag === "ToolFinished")
  expect(count(finished.map(({ place }) => JSON.stringify(place))).size).toBe(finished.length)
  for (const { place, result } of finished) {
    const key = `${names[place?.index ?? 0]} run/${place?.turn}/${place?.index}`
    if (result?.content === "done") expect([key, (there.get(key) ?? 0) > 0]).toEqual([key, true])
  }
  for (const [line, times] of there) if (line.startsWith("writes")) expect([line, times]).toEqual([line, 1])
  return events.filter(({ _tag }) => _tag === "RunResumed").length
}

it("runs that are killed again and again do everything once", async () => {
  let kills = 0
  let resumed = 0
  const one = async (): Promise<void> => {
    while (kills < enough) {
      const folder = mkdtempSync(join(tmpdir(), "levain-kill-"))
      const outside = join(folder, "outside")
      // A little longer each time, so that a slow machine comes to an end too.
      for (let lives = 0;; lives++) {
        const { err, killed } = await life(folder, outside, Math.random() * 350 + lives * 3)
        expect(err).toBe("")
        if (!killed) break
        kills = kills + 1
        expect(lives).toBeLessThan(500)
      }
      resumed = resumed + expectOnce(folder, outside)
      rmSync(folder, { recursive: true })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  expect(kills).toBeGreaterThanOrEqual(enough)
  // Most of them were at work when they were killed, and not still starting.
  expect(resumed).toBeGreaterThan(kills / 5)
}, 600_000)
