/**
 * Real processes, killed with SIGKILL at moments that nobody chose, and taken up again: nothing that the journal says was done is
 * missing outside, nothing is there twice, and no reply that was kept was asked for again.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { fromSource } from "./exec.ts"

const program = fileURLToPath(new URL("./kill/program.ts", import.meta.url))

/** Kills of all runs together, at least. */
const enough = 200

/** Where the runs are kept, under a folder. One run at a time for each: as many as a small machine has cores. */
const places = ["runs", "runs.db"]

interface Ending {
  readonly killed: boolean
  readonly err: string
}

/** One process, killed so many milliseconds after its first sign of life, unless it was done before. */
const life = (place: string, outside: string, millis: number): Promise<Ending> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...fromSource, program, place, outside, "40"])
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

const eventsIn = (place: string): ReadonlyArray<string> => {
  if (!place.endsWith(".db")) return linesOf(join(place, "run.jsonl"))
  const database = new DatabaseSync(place)
  const rows = database.prepare("SELECT event FROM levain_events WHERE run_id = 'run' ORDER BY seq").all()
  database.close()
  return rows.map(({ event }) => String(event))
}

/** Compares what the journal says with what is there outside. How often the run was taken up. */
const expectOnce = (place: string, outside: string): number => {
  const events = eventsIn(place).map((line): Event => JSON.parse(line))
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
  const keepKilling = async (name: string): Promise<void> => {
    while (kills < enough) {
      const folder = mkdtempSync(join(tmpdir(), "levain-kill-"))
      const place = join(folder, name)
      const outside = join(folder, "outside")
      // A little longer each time, so that a slow machine comes to an end too.
      for (let lives = 0;; lives++) {
        const { err, killed } = await life(place, outside, Math.random() * 350 + lives * 3)
        expect(err).toBe("")
        if (!killed) break
        kills = kills + 1
        expect(lives).toBeLessThan(500)
      }
      resumed = resumed + expectOnce(place, outside)
      rmSync(folder, { recursive: true })
    }
  }
  await Promise.all(places.map(keepKilling))
  expect(kills).toBeGreaterThanOrEqual(enough)
  // Most of them were at work when they were killed, and not still starting.
  expect(resumed).toBeGreaterThan(kills / 5)
}, 600_000)

it.each(places)("of two processes that take up one run at once, one wins (%s)", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "levain-two-"))
  const place = join(folder, name)
  const outside = join(folder, "outside")
  while (!(await life(place, outside, 100)).killed);
  // Longer than the dead one's lease, so that both find it free.
  await sleep(150)
  const two = [1, 2].map(() => spawn(process.execPath, [...fromSource, program, place, outside, "900", "once"]))
  const loser = await Promise.race(
    two.map((child) =>
      new Promise<{ readonly code: number | null; readonly err: string }>((resolve) => {
        const err: Array<Buffer> = []
        child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
        child.on("close", (code) => resolve({ code, err: Buffer.concat(err).toString() }))
      })
    )
  )
  for (const child of two) child.kill("SIGKILL")
  expect([loser.code, loser.err]).toEqual([1, expect.stringContaining("somebody else is writing the run run.")])
  rmSync(folder, { recursive: true, force: true })
})
