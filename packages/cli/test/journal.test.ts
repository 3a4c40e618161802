import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { fromSource, run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import * as FakeApi from "../../claude/test/FakeApi.ts"
import * as Postgres from "./Postgres.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** The command with a journal of its own. */
const journaled = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "levain-runs-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const levain = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
    Effect.promise(() => run(bin, args, "", { LEVAIN_JOURNAL: folder, ...env }))
  const files = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending))
  return { folder, levain, files }
})

const question = "Two rye loaves on Friday at 10?"

/** A process that waits for the second reply of its model: its run is begun and alive. */
const waiting = Effect.fnUntraced(function*(folder: string) {
  const api = yield* FakeApi.make()
  const asked = Promise.withResolvers<void>()
  api.queue(
    FakeApi.streams({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "toolu_1", name: "opening_hours", input: { day: "sunday" } }]
    }),
    () => asked.resolve()
  )
  const env = { ANTHROPIC_API_KEY: "sk-ant-secret", ANTHROPIC_BASE_URL: api.url, LEVAIN_JOURNAL: folder }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...fromSource, bin, "ask", "Sunday?"], { env: { ...process.env, ...env } })
    ),
    (one) => Effect.sync(() => one.kill("SIGKILL"))
  )
  yield* Effect.promise(() => asked.promise)
  return { api, child, env }
})

feature(new URL("../features/journal.feature", import.meta.url), (scenario) => {
  scenario("A run is kept, and can be listed and shown", () =>
    Effect.gen(function*() {
      const { levain } = yield* journaled
      const asked = yield* levain(["ask", question])
      yield* levain(["ask", "Are you open on Sunday?"])
      const { code, err, out } = yield* levain(["runs"])
      expect([code, err]).toEqual([0, ""])
      const [newer, older] = out.trimEnd().split("\n")
      expect(newer).toMatch(/^[0-9a-f-]{36}  answered +2 turns +\d+ tokens  Are you open on Sunday\?$/)
      expect(older).toContain(question)
      const id = older?.slice(0, 8) ?? ""
      expect((yield* levain(["show", id])).out).toBe(`> ${question}\n${asked.out}`)
      const lines = (text: string) => text.trimEnd().split("\n").map((line) => JSON.parse(line)._tag)
      expect(lines((yield* levain(["show", id, "--messages"])).out)).toEqual(["Task", "ToolCalls", "Results", "Answer"])
      expect(lines((yield* levain(["show", id, "--json"])).out)).toEqual([
        "RunStarted",
        "Replied",
        "ToolFinished",
        "ToolFinished",
        "Replied",
        "RunStopped"
      ])
    }))

  scenario("A run stopped by a limit goes on under a higher one", () =>
    Effect.gen(function*() {
      const { levain } = yield* journaled
      const whole = yield* levain(["ask", question, "--no-journal"])
      const stopped = yield* levain(["ask", question, "--max-turns", "1"])
      expect(stopped.code).toBe(3)
      const same = yield* levain(["resume", "last"])
      expect([same.code, same.out]).toEqual([3, `${stopped.out.trimEnd().split("\n").at(-1)}\n`])
      const higher = yield* levain(["resume", "last", "--max-turns", "6"])
      expect([higher.code, higher.err, higher.out]).toEqual([0, "", whole.out])
      const refused = yield* levain(["resume", "last", "--max-tokens", "0"])
      expect(refused).toEqual({
        code: 2,
        out: "",
        err: "levain: --max-tokens must be a whole number from 1 up, not 0.\n"
      })
    }))

  scenario("An answer can be followed up", () =>
    Effect.gen(function*() {
      const { levain } = yield* journaled
      yield* levain(["ask", question])
      const { code, out } = yield* levain(["reply", "last", "And", "on", "Sunday?"])
      expect(code).toBe(0)
      expect(out).toContain("On Sunday we are closed.")
      expect((yield* levain(["runs"])).out).toMatch(/^\S+  answered +4 turns .* And on Sunday\?\n$/)
      const nothing = yield* levain(["reply", "last", " "])
      expect(nothing.err).toBe("levain: there is no message. Try: levain reply last \"And on Sunday?\"\n")
    }))

  scenario("A run is named by the beginning of its id, or last", () =>
    Effect.gen(function*() {
      const { folder, levain } = yield* journaled
      yield* levain(["ask", question])
      const [file = ""] = readdirSync(folder)
      const events = readFileSync(join(folder, file), "utf8")
      for (const id of ["abc-1", "abc-2"]) writeFileSync(join(folder, `${id}.jsonl`), events)
      const told = (word: string) => Effect.map(levain(["show", word]), ({ code, err }) => [code, err])
      expect(yield* told("zzz")).toEqual([2, "levain: no run is meant by zzz: see levain runs.\n"])
      const [code, err] = yield* told("abc")
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/^levain: more than one run is meant by abc: there are abc-\d, abc-\d\.\n$/)
      ])
      expect(yield* told("abc-1")).toEqual([0, ""])
      expect(yield* told("last")).toEqual([0, ""])
    }))

  scenario("A run that was killed goes on where it was", () =>
    Effect.gen(function*() {
      const { files, folder, levain } = yield* journaled
      const { child } = yield* waiting(folder)
      const gone = new Promise((resolve) => child.on("close", resolve))
      child.kill("SIGKILL")
      yield* Effect.promise(() => gone)
      expect((yield* levain(["runs"])).out).toMatch(/^\S+  unfinished +1 turn /)
      const [lock = ""] = files(".lock")
      writeFileSync(join(folder, lock), JSON.stringify({ owner: "gone", until: 0 }))
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({ content: [{ type: "text", text: "We are closed on Sunday." }] }))
      const { code, out } = yield* levain(["resume", "last", "--model", "claude"], {
        ANTHROPIC_API_KEY: "sk-ant-secret",
        ANTHROPIC_BASE_URL: api.url
      })
      expect(code).toBe(0)
      expect(out).toMatch(/^answered after 2 turns .*\nWe are closed on Sunday\.\n$/)
      expect(api.requests).toHaveLength(1)
      expect(api.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
      expect(files(".lock")).toEqual([])
    }))

  scenario("A run that is alive is nobody else's", () =>
    Effect.gen(function*() {
      const { folder, levain } = yield* journaled
      yield* waiting(folder)
      const { code, err } = yield* levain(["resume", "last"])
      expect([code, err]).toEqual([1, expect.stringMatching(/^levain: somebody else is writing the run \S+\.\n$/)])
    }))

  scenario("A run that is told to end leaves a journal that can be taken up", () =>
    Effect.gen(function*() {
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        const { files, folder, levain } = yield* journaled
        const { child } = yield* waiting(folder)
        const [told, said]: [Array<Buffer>, Array<Buffer>] = [[], []]
        child.stderr.on("data", (chunk: Buffer) => told.push(chunk))
        child.stdout.on("data", (chunk: Buffer) => said.push(chunk))
        const code = new Promise((resolve) => child.on("close", resolve))
        child.kill(signal)
        expect(yield* Effect.promise(() => code)).toBe(130)
        expect(files(".lock")).toEqual([])
        const [runId] = files(".jsonl").map((name) => name.slice(0, -".jsonl".length))
        expect(Buffer.concat(told).toString()).toBe(`levain: go on with: levain resume ${runId}\n`)
        expect(Buffer.concat(said).toString()).toMatch(/\ninterrupted after 1 turn and \d+ tokens?[^\n]*\.\n$/)
        expect((yield* levain(["runs"])).out).toMatch(/^\S+  interrupted  /)
        expect((yield* levain(["resume", "last"])).code).toBe(0)
      }
    }))

  scenario("A database keeps runs as a folder does", () =>
    Effect.gen(function*() {
      const { folder, levain } = yield* journaled
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => Postgres.start()),
        (one) => Effect.sync(() => one?.stop())
      )
      const places = [`sqlite:${folder}/runs.db`, `${folder}/other.sqlite`]
      if (server !== undefined) places.push(`${server.url}/${yield* Effect.promise(() => server.makeDatabase())}`)
      for (const place of places) {
        const at = { LEVAIN_JOURNAL: place }
        expect((yield* levain(["ask", question, "--max-turns", "1"], at)).code).toBe(3)
        const resumed = yield* levain(["resume", "last", "--max-turns", "3"], at)
        expect([resumed.code, resumed.err]).toEqual([0, ""])
        expect((yield* levain(["runs"], at)).out).toMatch(/^[0-9a-f-]{36}  answered .*\n$/)
        expect((yield* levain(["show", "last"], at)).out).toContain("(taken up again, with at most 3 turns")
      }
    }))

  scenario("A run that is not to be kept is not", () =>
    Effect.gen(function*() {
      const { folder, levain } = yield* journaled
      expect((yield* levain(["ask", question, "--no-journal"])).code).toBe(0)
      expect(yield* levain(["runs"])).toEqual({ code: 0, out: "", err: "" })
      expect(readdirSync(folder)).toEqual([])
      const both = yield* levain(["ask", question, "--no-journal", "--journal", folder])
      expect(both.err).toBe("levain: --journal and --no-journal say two things: leave one of them out.\n")
    }))

  scenario("A place that cannot be used is one clear line", () =>
    Effect.gen(function*() {
      const { folder, levain } = yield* journaled
      writeFileSync(join(folder, "file"), "")
      const file = yield* levain(["ask", question, "--journal", join(folder, "file")])
      expect([file.code, file.out]).toEqual([1, ""])
      expect(file.err).toMatch(
        /^levain: the journal cannot be (?:read|written): [^\n]+ or keep no runs with --no-journal\.\n$/
      )
      const before = readdirSync(process.cwd())
      for (
        const place of [
          "mysql://localhost/runs",
          "postgresql+asyncpg://me:secret-word@host/runs",
          "sqlite:",
          "pg:x",
          " ",
          ""
        ]
      ) {
        const { code, err } = yield* levain(["ask", question, "--journal", place])
        expect([place, code, err]).toEqual([
          place,
          2,
          expect.stringMatching(/^levain: runs are kept in a folder, [^\n]+\n$/)
        ])
        expect(err).not.toContain("secret-word")
      }
      expect(readdirSync(process.cwd())).toEqual(before)
      const upper = yield* levain(["ask", question, "--journal", "POSTGRES://me:secret-word@127.0.0.1:1/runs"])
      expect(upper.err).toMatch(/^levain: the journal[^\n]* cannot be (?:reached|written): [^\n]+\n$/)
      const away = yield* levain(["ask", question, "--journal", "postgres://me:secret-word@127.0.0.1:1/runs"])
      expect([away.code, away.out]).toEqual([1, ""])
      expect(away.err).toMatch(/^levain: the journal[^\n]* cannot be (?:reached|written): [^\n]+\n$/)
      expect(away.err).not.toContain("secret-word")
      const homeless = yield* levain(["runs"], { LEVAIN_JOURNAL: "", XDG_STATE_HOME: "", LOCALAPPDATA: "", HOME: "" })
      expect([homeless.code, homeless.err]).toEqual([
        2,
        expect.stringMatching(/^levain: there is no home folder [^\n]+\n$/)
      ])
    }))
})
