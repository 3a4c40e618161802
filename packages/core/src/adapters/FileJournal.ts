/**
 * Keeps runs in a folder: one file a run, one event a line, as JSON that `cat` and `jq` read. Files are their owner's alone. A last
 * line that a power cut tore is dropped with a warning; any other damage is an error that names the line.
 */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Journal from "../Journal.ts"
import type { RunEvent } from "../pure/RunEvent.ts"
import * as EventLine from "./EventLine.ts"
import * as Lease from "./Lease.ts"

export interface Options extends Lease.Options {
  /** The folder. It is made where it is not there. */
  readonly folder: string
}

export const layer = (options: Options): Layer.Layer<never, never, FileSystem.FileSystem> =>
  Layer.effect(Journal.Journal, Effect.map(FileSystem.FileSystem, (fs) => make(fs, options)))

/** How far a file is known: how many events it holds, and where the last one ends. */
interface Extent {
  readonly events: number
  readonly bytes: number
}

/** A run that is ours. `until` is when somebody else might take it, in milliseconds since 1970. */
interface Hold {
  until: number
  readonly scope: Scope.Scope
  file: FileSystem.File | undefined
}

/** Every runtime has it, though the language's own library does not declare it. */
declare const TextEncoder: new() => { readonly encode: (text: string) => Uint8Array }

const encoder = new TextEncoder()

const make = (fs: FileSystem.FileSystem, options: Options): Journal.Journal => {
  const { folder } = options
  const lease = Lease.fromOptions(options)
  const fileOf = (runId: string) => `${folder}/${runId}.jsonl`
  const extents = new Map<string, Extent>()
  const holds = new Map<string, Hold>()

  const sizeOf = (runId: string) =>
    Effect.mapBoth(fs.stat(fileOf(runId)), {
      onFailure: (error) => failed(runId, "read", error),
      onSuccess: ({ size }) => Number(size)
    })

  const read = Effect.fnUntraced(function*(runId: string) {
    yield* checkId(runId)
    const events = yield* load(runId)
    return events.length === 0 ? yield* Journal.notFound(runId) : events
  })

  /** The events of a file, and how far it is known from here on. None where a process was killed before its first was whole. */
  const load = Effect.fnUntraced(function*(runId: string) {
    const text = yield* Effect.mapError(
      fs.readFileString(fileOf(runId)),
      (error) => error.reason._tag === "NotFound" ? Journal.notFound(runId) : failed(runId, "read", error)
    )
    const lines = text.split("\n")
    const torn = lines.pop() ?? ""
    if (torn !== "") {
      yield* Effect.logWarning(`the last line of the run ${runId} was cut off and is dropped: ${fileOf(runId)}`)
    }
    const events = yield* Effect.forEach(lines, (line, i) => Effect.fromResult(EventLine.decode(runId, line, i + 1)))
    const bytes = torn === "" ? yield* sizeOf(runId) : yield* wholeLines(runId)
    extents.set(runId, { events: events.length, bytes })
    return events
  })

  /** Where the last whole line of a file ends. */
  const wholeLines = (runId: string) =>
    Effect.mapBoth(fs.readFile(fileOf(runId)), {
      onFailure: (error) => failed(runId, "read", error),
      onSuccess: (bytes) => bytes.lastIndexOf(newline) + 1
    })

  const append = Effect.fnUntraced(function*(runId: string, events: ReadonlyArray<RunEvent>, at: number) {
    yield* checkId(runId)
    const text = encode(events)
    const hold = holds.get(runId)
    const known = extents.get(runId)
    if (hold?.file !== undefined && known?.events === at && hold.until > (yield* Clock.currentTimeMillis)) {
      const bytes = encoder.encode(text)
      yield* Effect.mapError(
        Effect.onError(hold.file.writeAll(bytes), () => Effect.sync(() => (hold.file = undefined))),
        (error) => failed(runId, "written", error)
      )
      extents.set(runId, { events: at + events.length, bytes: known.bytes + bytes.length })
      return
    }
    if (at === 0) yield* begin(runId, text)
    else yield* goOn(runId, text, at)
    extents.set(runId, { events: at + events.length, bytes: yield* sizeOf(runId) })
    if (hold !== undefined && hold.file === undefined) {
      const opened = Scope.provide(fs.open(fileOf(runId), { flag: "a" }), hold.scope)
      hold.file = Option.getOrUndefined(yield* Effect.option(opened))
    }
  })

  /** While the run is ours its file stays open, and nobody else's writing is looked for. */
  const claimRun = Effect.fnUntraced(function*(runId: string) {
    const hold: Hold = { until: 0, scope: yield* Effect.scope, file: undefined }
    yield* claim(fs, `${folder}/${runId}`, runId, folder, lease, (until) => (hold.until = until))
    yield* Effect.acquireRelease(
      Effect.sync(() => holds.set(runId, hold)),
      () =>
        Effect.sync(() => {
          holds.delete(runId)
          extents.delete(runId)
        })
    )
  })

  const begin = (runId: string, text: string) =>
    fs.makeDirectory(folder, { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(fs.writeFileString(fileOf(runId), text, { flag: "wx", mode: 0o600 })),
      Effect.catch((error) =>
        error.reason._tag === "AlreadyExists" ? goOn(runId, text, 0) : Effect.fail(failed(runId, "written", error))
      )
    )

  const goOn = Effect.fnUntraced(function*(runId: string, text: string, at: number) {
    if (!extents.has(runId)) yield* load(runId)
    const known = extents.get(runId)
    const size = yield* sizeOf(runId)
    if (known?.events !== at || size < known.bytes) return yield* Journal.conflict(runId)
    if (size > known.bytes) yield* dropTorn(runId, known)
    yield* Effect.mapError(
      fs.writeFileString(fileOf(runId), text, { flag: "a" }),
      (error) => failed(runId, "written", error)
    )
  })

  /** What stands after the last whole line is a torn one, or else what somebody else wrote. */
  const dropTorn = Effect.fnUntraced(function*(runId: string, known: Extent) {
    if ((yield* wholeLines(runId)) > known.bytes) return yield* Journal.conflict(runId)
    yield* Effect.mapError(fs.truncate(fileOf(runId), known.bytes), (error) => failed(runId, "written", error))
  })

  const list = Effect.gen(function*() {
    const names = yield* fs.readDirectory(folder).pipe(
      Effect.catch((error) =>
        error.reason._tag === "NotFound" ? Effect.succeed([]) : Effect.fail(failed("", "read", error))
      )
    )
    const runs = yield* Effect.forEach(
      names.filter((name) => name.endsWith(".jsonl")),
      (name) =>
        Effect.mapBoth(fs.stat(`${folder}/${name}`), {
          onFailure: (error) => failed(name, "read", error),
          onSuccess: ({ mtime, size }) => ({
            runId: name.slice(0, -".jsonl".length),
            isBegun: size > 0,
            at: Option.getOrElse(Option.map(mtime, (date) => date.getTime()), () => 0)
          })
        })
    )
    return runs.filter(({ isBegun }) => isBegun).toSorted((a, b) => b.at - a.at).map(({ runId }) => runId)
  })

  return { append, read, list, claim: claimRun }
}

const newline = 10

/** A run's id is its file's name. */
const checkId = (runId: string): Effect.Effect<void, Journal.JournalError> =>
  /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(runId) ? Effect.void : Effect.fail(
    new Journal.JournalError({
      runId,
      reason: "failed",
      message: "a run that is kept in a file needs an id of letters, digits, \".\", \"_\" or \"-\"."
    })
  )

const encode = (events: ReadonlyArray<RunEvent>): string =>
  events.map((event) => `${EventLine.encode(event)}\n`).join("")

/** The system's own words tell a full disk from a folder that may not be written; the platform's error keeps them as its cause. */
const failed = (runId: string, what: "read" | "written", error: PlatformError): Journal.JournalError => {
  const { cause } = error.reason
  return Journal.unusable(runId, what, cause instanceof Error ? `${error.message}: ${cause.message}` : error.message)
}

/** Whose a run is, and until when if nothing more is heard, in milliseconds since 1970. */
const Holder = Schema.fromJsonString(Schema.Struct({ owner: Schema.String, until: Schema.Natural }))
const encodeHolder = Schema.encodeEffect(Holder)
const decodeHolder = Schema.decodeEffect(Holder)

/** A lock file beside the run's. One that cannot be read is somebody's: between at once and safe, safe. */
const claim = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  base: string,
  runId: string,
  folder: string,
  lease: Duration.Duration,
  held: (until: number) => void
) {
  yield* checkId(runId)
  const lock = `${base}.lock`
  const owner = yield* Effect.sync(() => SecureRandom.uuidV4Unsafe())
  let until = 0
  const text = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    until = now + Duration.toMillis(lease)
    return Effect.orDie(encodeHolder({ owner, until }))
  })
  const leaseIn = (path: string) =>
    fs.readFileString(path).pipe(
      Effect.flatMap((kept) => decodeHolder(kept)),
      Effect.mapError((error) =>
        error._tag === "PlatformError" ? failed(runId, "read", error) : Journal.conflict(runId)
      )
    )
  const mine = `${lock}.${owner}`
  const write = Effect.flatMap(text, (lease) => fs.writeFileString(mine, lease, { mode: 0o600 }))
  // A link is there with all it holds, or not at all: a process killed here leaves no lock that nobody can read.
  const take = Effect.andThen(write, fs.link(mine, lock)).pipe(Effect.ensuring(Effect.ignore(fs.remove(mine))))
  const takeOver = Effect.gen(function*() {
    if ((yield* leaseIn(lock)).until > (yield* Clock.currentTimeMillis)) return yield* Journal.conflict(runId)
    // Of two who find it expired only one can move it away, and what it moved may be the other's new one: that goes back.
    yield* Effect.mapError(fs.rename(lock, mine), () => Journal.conflict(runId))
    if ((yield* leaseIn(mine)).until > (yield* Clock.currentTimeMillis)) {
      yield* Effect.ignore(fs.rename(mine, lock))
      return yield* Journal.conflict(runId)
    }
    yield* Effect.mapError(take, () => Journal.conflict(runId))
  })
  yield* Effect.acquireRelease(
    fs.makeDirectory(folder, { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(take),
      Effect.catch((error) =>
        error.reason._tag === "AlreadyExists" ? takeOver : Effect.fail(failed(runId, "written", error))
      )
    ),
    () => Effect.ignore(Effect.flatMap(leaseIn(lock), (held) => held.owner === owner ? fs.remove(lock) : Effect.void))
  )
  // A process that slept past its lease finds another's there, and leaves it.
  const isStillOurs = Effect.filterOrFail(leaseIn(lock), (held) => held.owner === owner, () => Journal.conflict(runId))
  const hold = Effect.sync(() => held(until))
  yield* hold
  const renew = isStillOurs.pipe(Effect.andThen(write), Effect.andThen(fs.rename(mine, lock)), Effect.andThen(hold))
  yield* Lease.keep(lease, renew)
})
