import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { systemError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import * as FileJournal from "../src/adapters/FileJournal.ts"
import { Journal, layerMemory } from "../src/Journal.ts"
import { fold } from "../src/pure/Decider.ts"
import { stampFact } from "../src/pure/RunEvent.ts"
import { RunState } from "../src/pure/RunState.ts"
import { contract } from "./JournalContract.ts"

const inFolder = (make: (folder: string) => FileJournal.Options) =>
  Layer.unwrap(
    Effect.map(
      Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()),
      (folder) => FileJournal.layer(make(`${folder}/runs`))
    )
  ).pipe(Layer.provide(NodeFileSystem.layer))

contract("in memory", Layer.fresh(layerMemory))
contract("in files", Layer.fresh(inFolder((folder) => ({ folder }))))

const stopped = stampFact({ _tag: "RunStopped", stop: { _tag: "OutOfTurns" } }, 1)
const resumed = stampFact({ _tag: "RunResumed", limits: { maxTurns: 3 } }, 2)

/** Two processes, so to speak: two journals on one folder, which know nothing of each other. `renewed` waits for a lease to be, `looked` for a look at who holds one. */
const twoOf = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = `${yield* fs.makeTempDirectoryScoped()}/runs`
  const renewals = yield* Queue.unbounded<void>()
  const looks = yield* Queue.unbounded<void>()
  const watched = Layer.succeed(
    FileSystem.FileSystem,
    FileSystem.make({
      ...fs,
      rename: (from, to) => Effect.andThen(fs.rename(from, to), Queue.offer(renewals, undefined)),
      readFile: (path) =>
        Effect.tap(fs.readFile(path), () => path.endsWith(".lock") ? Queue.offer(looks, undefined) : Effect.void)
    })
  )
  const one = Layer.fresh(FileJournal.layer({ folder, lease: "15 seconds" })).pipe(Layer.provide(watched))
  const build = Effect.map(Layer.build(one), (context) => Context.get(context, Journal))
  return {
    folder,
    a: yield* build,
    b: yield* build,
    file: `${folder}/run.jsonl`,
    renewed: Queue.take(renewals),
    looked: Queue.take(looks)
  }
}).pipe(Effect.provide(NodeFileSystem.layer))

describe("FileJournal", () => {
  it.effect("is one file a run and one event a line, for its owner's eyes", () =>
    Effect.gen(function*() {
      const { a, file, folder } = yield* twoOf
      yield* a.append("run", [stopped, resumed], 0)
      expect(readdirSync(folder)).toEqual(["run.jsonl"])
      expect(readFileSync(file, "utf8").split("\n").map((line) => line && JSON.parse(line)._tag)).toEqual([
        "RunStopped",
        "RunResumed",
        ""
      ])
      expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700])
    }))

  it.effect("drops a torn last line with a warning, and goes on where it began", () =>
    Effect.gen(function*() {
      const { a, b, file } = yield* twoOf
      yield* a.append("run", [stopped, resumed], 0)
      const whole = readFileSync(file, "utf8")
      for (const cut of [1, 10, whole.length - whole.indexOf("\n") - 1]) {
        writeFileSync(file, whole.slice(0, -cut))
        const told: Array<unknown> = []
        const events = yield* b.read("run").pipe(
          Effect.provide(Logger.layer([Logger.make(({ message }) => void told.push(message))]))
        )
        expect(events).toEqual([stopped])
        if (!readFileSync(file, "utf8").endsWith("\n")) expect(String(told)).toContain("cut off")
        yield* b.append("run", [resumed], 1)
        expect(readFileSync(file, "utf8")).toBe(whole)
      }
    }))

  it.effect("names the line of any other damage, and a newer version by its number", () =>
    Effect.gen(function*() {
      const { a, file } = yield* twoOf
      yield* a.append("run", [stopped, resumed], 0)
      const [first, second] = readFileSync(file, "utf8").split("\n")
      for (const bad of ["", "no JSON", "{}", "{\"_tag\":\"Nonsense\",\"v\":1,\"at\":1}"]) {
        writeFileSync(file, `${first}\n${bad}\n${second}\n`)
        expect(yield* Effect.flip(a.read("run"))).toMatchObject({
          reason: "damaged",
          message: "line 2 of the run run is no event."
        })
      }
      writeFileSync(file, `${first}\n${second?.replace("\"v\":1", "\"v\":7")}\n`)
      expect(yield* Effect.flip(a.read("run"))).toMatchObject({
        reason: "unsupported",
        message: "the run run was written by a newer version (format 7; this one reads up to 1)."
      })
    }))

  it.effect("what another process wrote is a conflict, and is kept", () =>
    Effect.gen(function*() {
      const { a, b, file } = yield* twoOf
      yield* a.append("run", [stopped], 0)
      yield* b.read("run")
      yield* a.append("run", [resumed], 1)
      expect(yield* Effect.flip(b.append("run", [resumed], 1))).toMatchObject({ reason: "conflict" })
      expect(yield* Effect.flip(b.append("run", [resumed], 0))).toMatchObject({ reason: "conflict" })
      expect(yield* b.read("run")).toEqual([stopped, resumed])
      writeFileSync(file, "")
      expect(yield* Effect.flip(b.append("run", [stopped], 2))).toMatchObject({ reason: "conflict" })
      expect(readFileSync(file, "utf8")).toBe("")
    }))

  it.effect("a claim holds against another process for as long as it is renewed", () =>
    Effect.gen(function*() {
      const { a, b, folder, renewed } = yield* twoOf
      yield* Effect.scoped(Effect.gen(function*() {
        yield* a.claim("run")
        for (let third = 0; third < 12; third++) {
          yield* TestClock.adjust("5 seconds")
          yield* renewed
        }
        expect(yield* Effect.flip(b.claim("run"))).toMatchObject({ reason: "conflict" })
      }))
      expect(readdirSync(folder)).toEqual([])
      yield* b.claim("run")
    }))

  it.effect("a process that slept past its lease leaves the one that took its run alone", () =>
    Effect.gen(function*() {
      const { a, folder, looked } = yield* twoOf
      const lock = `${folder}/run.lock`
      const other = JSON.stringify({ owner: "awake", until: 60_000 })
      yield* Effect.scoped(Effect.gen(function*() {
        yield* a.claim("run")
        writeFileSync(lock, other)
        for (let third = 0; third < 2; third++) {
          yield* TestClock.adjust("5 seconds")
          yield* looked
        }
        expect(readFileSync(lock, "utf8")).toBe(other)
      }))
      expect(readdirSync(folder)).toEqual(["run.lock"])
      expect(readFileSync(lock, "utf8")).toBe(other)
    }))

  it.effect("who slept past a lease sees what another wrote meanwhile, and writes no more", () =>
    Effect.gen(function*() {
      const { a, b, file, renewed } = yield* twoOf
      yield* a.claim("run")
      yield* a.append("run", [stopped], 0)
      yield* a.append("run", [resumed], 1)
      // Its own renewals keep it the only writer: nobody looks at the file before they write.
      yield* TestClock.adjust("5 seconds")
      yield* renewed
      yield* a.append("run", [stopped], 2)
      writeFileSync(`${file.slice(0, -".jsonl".length)}.lock`, JSON.stringify({ owner: "other", until: 60_000 }))
      yield* TestClock.adjust("16 seconds")
      yield* b.read("run")
      yield* b.append("run", [resumed], 3)
      expect(yield* Effect.flip(a.append("run", [stopped], 3))).toMatchObject({ reason: "conflict" })
      expect(yield* b.read("run")).toEqual([stopped, resumed, stopped, resumed])
    }))

  it.effect("a full disk is a clear error to who claimed the run too, and half a line is no event", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = `${yield* fs.makeTempDirectoryScoped()}/runs`
      let refuse = false
      const full = systemError({
        _tag: "Unknown",
        module: "FileSystem",
        method: "writeAll",
        cause: new Error("ENOSPC")
      })
      const filling = (file: FileSystem.File): FileSystem.File => ({
        ...file,
        [FileSystem.FileTypeId]: FileSystem.FileTypeId,
        writeAll: (bytes) =>
          refuse ? Effect.andThen(file.writeAll(bytes.slice(0, 9)), Effect.fail(full)) : file.writeAll(bytes)
      })
      const small = FileSystem.make({ ...fs, open: (path, options) => Effect.map(fs.open(path, options), filling) })
      const built = yield* Layer.build(
        Layer.fresh(FileJournal.layer({ folder })).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, small)))
      )
      const journal = Context.get(built, Journal)
      yield* journal.claim("run")
      yield* journal.append("run", [stopped], 0)
      yield* journal.append("run", [resumed], 1)
      refuse = true
      expect(yield* Effect.flip(journal.append("run", [stopped], 2))).toMatchObject({ reason: "failed" })
      expect(readFileSync(`${folder}/run.jsonl`, "utf8").split("\n").at(-1)).toHaveLength(9)
      refuse = false
      yield* journal.append("run", [stopped], 2)
      yield* journal.append("run", [resumed], 3)
      expect(yield* journal.read("run")).toEqual([stopped, resumed, stopped, resumed])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("a run that was killed before its first event was whole is no run yet, and can begin", () =>
    Effect.gen(function*() {
      for (const torn of ["", "{\"_tag\":\"RunSt"]) {
        const { a, b, file } = yield* twoOf
        yield* a.append("other", [stopped], 0)
        writeFileSync(file, torn)
        expect(yield* Effect.flip(a.read("run"))).toMatchObject({ reason: "notFound" })
        if (torn === "") expect(yield* a.list).toEqual(["other"])
        yield* b.append("run", [stopped], 0)
        expect(yield* a.read("run")).toEqual([stopped])
      }
    }))

  it.effect("a dead process's claim ends with its lease, and one that cannot be read is somebody's", () =>
    Effect.gen(function*() {
      const { a, b, folder } = yield* twoOf
      yield* Effect.scoped(a.claim("other"))
      writeFileSync(`${folder}/run.lock`, JSON.stringify({ owner: "gone", until: 15_000 }))
      expect(yield* Effect.flip(b.claim("run"))).toMatchObject({ reason: "conflict" })
      yield* TestClock.adjust("15 seconds")
      const claims = yield* Effect.all([Effect.exit(a.claim("run")), Effect.exit(b.claim("run"))], { concurrency: 2 })
      expect(claims.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
      writeFileSync(`${folder}/torn.lock`, "{\"own")
      yield* TestClock.adjust("1 hour")
      expect(yield* Effect.flip(b.claim("torn"))).toMatchObject({ reason: "conflict" })
    }))

  it.effect("a full disk and a folder that cannot be written are clear errors, and what was kept stays", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = `${yield* fs.makeTempDirectoryScoped()}/runs`
      let refuse = false
      const refusing = FileSystem.make({
        ...fs,
        writeFile: (path, data, options) =>
          refuse && path.endsWith(".jsonl")
            ? Effect.fail(
              systemError({
                _tag: "Unknown",
                module: "FileSystem",
                method: "writeFile",
                cause: new Error("ENOSPC: no space left on device, write")
              })
            )
            : fs.writeFile(path, data, options)
      })
      const built = yield* Layer.build(
        Layer.fresh(FileJournal.layer({ folder })).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, refusing)))
      )
      const journal = Context.get(built, Journal)
      yield* journal.append("run", [stopped], 0)
      refuse = true
      const error = yield* Effect.flip(journal.append("run", [resumed], 1))
      expect(error).toMatchObject({ reason: "failed", message: expect.stringContaining("no space left on device") })
      expect(yield* journal.read("run")).toEqual([stopped])
      refuse = false
      yield* journal.append("run", [resumed], 1)
      expect(yield* journal.read("run")).toEqual([stopped, resumed])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("a place that cannot be used, and an id that is no file's name, are clear errors", () =>
    Effect.gen(function*() {
      const { a, folder } = yield* twoOf
      for (const id of ["../up", "a/b", "", ".hidden", "a".repeat(201)]) {
        for (const use of [a.read(id), a.append(id, [stopped], 0), Effect.scoped(a.claim(id))]) {
          expect(yield* Effect.flip<unknown, unknown, never>(use)).toMatchObject({
            _tag: "JournalError",
            reason: "failed"
          })
        }
      }
      yield* a.append("run", [stopped], 0)
      const blocked = yield* Effect.provide(
        Effect.map(
          Layer.build(Layer.fresh(FileJournal.layer({ folder: `${folder}/run.jsonl/inside` }))),
          (context) => Context.get(context, Journal)
        ),
        NodeFileSystem.layer
      )
      const error = yield* Effect.flip(blocked.append("x", [stopped], 0))
      expect(error).toMatchObject({
        reason: "failed",
        message: expect.stringMatching(/^the journal cannot be written: [^\n]+\.$/)
      })
    }))
})

describe("journals that were kept by earlier versions", () => {
  const journals = fileURLToPath(new URL("./journals", import.meta.url))
  /** What each run comes to. It is never edited: a file that no longer loads is a run that somebody lost. */
  const runs: Record<string, object> = {
    answered: { stop: { _tag: "Answered", text: "Done." }, spent: { turns: 2, usage: { output: 9, cacheRead: 3 } } },
    "out-of-turns": { stop: { _tag: "OutOfTurns" }, open: [{ started: false }] },
    "out-of-tokens": { stop: { _tag: "OutOfTokens" } },
    refused: { stop: { _tag: "ModelStopped", reason: "refused", detail: "cyber: no." } },
    failed: { spent: { turns: 1, usage: { input: 9, output: 5 } } },
    "followed-up": { stop: { _tag: "Answered", text: "Second." }, current: { turns: 1 }, limits: { maxTurns: 2 } },
    resumed: { stop: { _tag: "Answered", text: "Second." }, spent: { turns: 2 }, limits: { maxTurns: 3 } },
    "cut-off": { open: [{ started: false }, { started: true }, {}, {}, {}] },
    interrupted: { open: [{ started: false }, {}, {}, {}, {}], spent: { turns: 1 } },
    waiting: {
      stop: {
        _tag: "AwaitingApproval",
        pending: [{ tool: "sign", input: { to: "a" } }, { tool: "sign", input: { to: "b" } }]
      },
      open: [{ asks: [{ pending: { place: { turn: 1, index: 0 } } }] }, { result: { content: "read" } }, { asks: [{}] }]
    },
    "answered-by-people": {
      stop: { _tag: "Answered", text: "Done." },
      transcript: [
        {},
        {},
        { results: [{ content: "signed c" }, { content: "read" }, { content: "denied: not b" }] },
        {}
      ]
    },
    draft: { stop: { _tag: "Answered", text: "Better." }, transcript: [{}, { text: "Better." }], approveAnswer: true },
    "limit-reached": {
      stop: { _tag: "OutOfTurns", text: "No time." },
      lastTurn: { _tag: "OutOfTurns" },
      spent: { turns: 2 }
    },
    parent: {
      stop: { _tag: "AwaitingApproval", pending: [{ runId: "parent.1-0" }] },
      open: [{ share: { tokens: 90 }, spent: { turns: 1, usage: { output: 20 } } }],
      spent: { turns: 1, usage: { output: 30 } }
    },
    "parent.1-0": { limits: { maxTokens: 90 }, stop: { _tag: "AwaitingApproval" } }
  }

  for (const version of readdirSync(journals)) {
    const folder = `${journals}/${version}`
    it.effect(`${version} loads, and its runs come to what they came to`, () =>
      Effect.gen(function*() {
        const { read } = yield* Journal
        const names = readdirSync(folder).map((name) => name.replace(".jsonl", ""))
        expect(names.toSorted()).toEqual(Object.keys(runs).toSorted())
        for (const name of names) {
          const state = fold(yield* read(name))
          expect([name, state]).toMatchObject([name, runs[name]])
          expect(Schema.is(RunState)(state)).toBe(true)
        }
      }).pipe(
        Effect.provide(FileJournal.layer({ folder }).pipe(Layer.provide(NodeFileSystem.layer))),
        Effect.provide(Logger.layer([]))
      ))
  }
})
