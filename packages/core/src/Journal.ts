/**
 * Keeps the events of runs, which are their whole state. The default keeps nothing; a Layer in its place keeps them where it says, and a
 * run can then be taken up from there.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { RunEvent } from "./pure/RunEvent.ts"
import * as Text from "./pure/Text.ts"

/**
 * An event could not be kept, or a run not be read. `conflict`: somebody else writes this run. `notFound`: no such run. `damaged`: what
 * is kept is no run. `unsupported`: it was written by a newer version. `failed`: the place itself cannot be used.
 */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  runId: Schema.String,
  reason: Schema.Literals(["conflict", "notFound", "damaged", "unsupported", "failed"]),
  message: Schema.String
}) {}

export interface Journal {
  /**
   * Keeps events of one run, in order, before it goes on. `at` is how many events of the run are kept already: where that
   * is not so, somebody else has written, and it is a `conflict`. Never called twice at once for one run by one process.
   */
  readonly append: (runId: string, events: ReadonlyArray<RunEvent>, at: number) => Effect.Effect<void, JournalError>
  /** The events of a run, in the order they were kept. */
  readonly read: (runId: string) => Effect.Effect<ReadonlyArray<RunEvent>, JournalError>
  /** The ids of all runs, the one that was written last first. */
  readonly list: Effect.Effect<ReadonlyArray<string>, JournalError>
  /** Makes us the only writer of a run until the scope closes. Where somebody else is, that is a `conflict` at once. */
  readonly claim: (runId: string) => Effect.Effect<void, JournalError, Scope.Scope>
}

/** No such run. */
export const notFound = (runId: string): JournalError =>
  new JournalError({ runId, reason: "notFound", message: `the journal has no run ${runId}.` })

const nothing: Journal = {
  append: () => Effect.void,
  read: (runId) => Effect.fail(notFound(runId)),
  list: Effect.succeed([]),
  claim: () => Effect.void
}

export const Journal = Context.Reference<Journal>("@levain/core/Journal", { defaultValue: () => nothing })

/** Whether a journal keeps runs: all but the default do. */
export const keeps = (journal: Journal): boolean => journal !== nothing

/** A journal that keeps runs: this one, or one in memory where it is the default, which keeps nothing. Made when it is first asked for. */
export const keeping = (journal: Journal): () => Journal => {
  let kept = keeps(journal) ? journal : undefined
  return () => kept ??= makeMemory()
}

/** Keeps runs for as long as the Layer lives. */
export const layerMemory: Layer.Layer<never> = Layer.sync(Journal, () => makeMemory())

/** A journal in memory, with what is in it already. */
export const makeMemory = (kept: ReadonlyMap<string, ReadonlyArray<RunEvent>> = new Map()): Journal => {
  const runs = new Map(Array.from(kept, ([runId, events]) => [runId, [...events]]))
  const claimed = new Set<string>()
  return {
    append: (runId, events, at) =>
      Effect.suspend(() => {
        const all = runs.get(runId) ?? []
        if (all.length !== at) return Effect.fail(conflict(runId))
        all.push(...events)
        runs.delete(runId)
        runs.set(runId, all)
        return Effect.void
      }),
    read: (runId) =>
      Effect.suspend(() => {
        const events = runs.get(runId)
        return events === undefined ? Effect.fail(notFound(runId)) : Effect.succeed([...events])
      }),
    list: Effect.sync(() => [...runs.keys()].toReversed()),
    claim: (runId) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.suspend(() => claimed.has(runId) ? Effect.fail(conflict(runId)) : Effect.sync(() => claimed.add(runId))),
        () => Effect.sync(() => claimed.delete(runId))
      ))
  }
}

/** The place itself cannot be used. `why` is what it said. */
export const unusable = (runId: string, what: "read" | "written", why: string): JournalError =>
  new JournalError({ runId, reason: "failed", message: `the journal cannot be ${what}: ${Text.oneLine(why)}.` })

/** Somebody else writes the run. */
export const conflict = (runId: string): JournalError =>
  new JournalError({ runId, reason: "conflict", message: `somebody else is writing the run ${runId}.` })
