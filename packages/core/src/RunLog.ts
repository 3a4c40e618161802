/** The one place where a run changes: an event is kept by the journal, folded into the state, and shown to the observers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Journal, type JournalError } from "./Journal.ts"
import { type DeltaSink, unwatched } from "./Model.ts"
import { evolve, fold } from "./pure/Decider.ts"
import type { Spent } from "./pure/Limits.ts"
import { type Fact, type RunEvent, stampFact } from "./pure/RunEvent.ts"
import type { RunState } from "./pure/RunState.ts"
import { guarded, type Progress, RunObserver } from "./RunObserver.ts"

export interface RunLog {
  readonly state: () => RunState
  readonly events: () => ReadonlyArray<RunEvent>
  /** Whether the run has begun, and its last event is none of those that end a run. */
  readonly isLive: () => boolean
  /** What was spent, a reply that could not be kept included: it was billed all the same (I4). */
  readonly spent: () => Spent
  /** One after the other, whoever asks. An event that is not kept is not folded either (I5), and one that is kept always is. */
  readonly record: (fact: Fact) => Effect.Effect<void, JournalError>
  /** Shows the observers a reply while it comes. */
  readonly delta: DeltaSink
  /** Shows the observers what a call says, where one of them looks. */
  readonly progress: ((progress: Progress) => Effect.Effect<void>) | undefined
  /** Those of this run and of the runs that it calls: who is dropped is dropped for all of them. */
  readonly observers: ReadonlyArray<RunObserver>
}

/** Tells the run that called this one what it has spent, each time that is more. */
export type Report = (spent: Spent) => Effect.Effect<void, JournalError>

/** A log of a run that has not begun, or of one of which these events are kept. */
export const make = Effect.fnUntraced(function*(
  runId: string,
  kept: ReadonlyArray<RunEvent> = [],
  report?: Report
): Effect.fn.Return<RunLog> {
  const journal = yield* Journal
  const watching = yield* RunObserver
  const observer = watching.length === 0 ? undefined : guarded(watching)
  const { delta, progress } = observer ?? {}
  const turn = Semaphore.makeUnsafe(1)
  const events: Array<RunEvent> = [...kept]
  let state = fold(kept)
  let spent = state.spent
  const keep = Effect.fnUntraced(function*(event: RunEvent) {
    const after = evolve(state, event)
    spent = after.spent
    yield* journal.append(runId, [event], events.length)
    const isNews = after.spent.usage !== state.spent.usage
    state = after
    events.push(event)
    if (isNews && report !== undefined) yield* report(after.spent)
  }, Effect.uninterruptible)
  const record = Effect.fnUntraced(function*(fact: Fact) {
    const event = stampFact(fact, yield* Clock.currentTimeMillis)
    yield* keep(event)
    if (observer !== undefined) yield* observer.event(event, state)
  })
  return {
    state: () => state,
    events: () => events,
    isLive: () => state.liveAt !== undefined,
    spent: () => spent,
    record: (fact) => turn.withPermit(record(fact)),
    delta: delta === undefined ? unwatched : (seen) => delta(seen, runId),
    progress: progress === undefined ? undefined : (said) => progress(said, runId),
    observers: observer === undefined ? [] : [observer]
  }
})
