/** The one place where a run changes: an event is kept by the journal, folded into the state, and shown to the observers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Journal, type JournalError, keeps } from "./Journal.ts"
import { type DeltaSink, unwatched } from "./Model.ts"
import { evolve, fold, growing } from "./pure/Decider.ts"
import type { Spent } from "./pure/Limits.ts"
import { type Fact, type RunEvent, stampFact } from "./pure/RunEvent.ts"
import type { RunState } from "./pure/RunState.ts"
import * as Transcript from "./pure/Transcript.ts"
import { guarded, type Progress, RunObserver } from "./RunObserver.ts"

export interface RunLog {
  /** The state as it is now. Its transcript grows with the run: whoever is shown it is shown what `Transcript.seen` makes of it. */
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
  const clock = yield* Clock.Clock
  const watching = yield* RunObserver
  const observer = watching.length === 0 ? undefined : guarded(watching)
  const { delta, progress } = observer ?? {}
  const turn = Semaphore.makeUnsafe(1)
  const events: Array<RunEvent> = [...kept]
  const grow = growing()
  let state = fold(kept)
  let spent = state.spent
  const take = (event: RunEvent) => {
    state = grow(state, event)
    spent = state.spent
    events.push(event)
  }
  const keep = Effect.fnUntraced(function*(event: RunEvent) {
    const before = spent
    spent = evolve({ ...state, transcript: [] }, event).spent
    yield* journal.append(runId, [event], events.length)
    take(event)
    if (report !== undefined && spent.usage !== before.usage) yield* report(spent)
  }, Effect.uninterruptible)
  const record = Effect.fnUntraced(function*(fact: Fact) {
    const event = stampFact(fact, clock.currentTimeMillisUnsafe())
    yield* keep(event)
    if (observer !== undefined) yield* observer.event(event, Transcript.seen(state))
  })
  // With nobody to wait for there is no turn to wait for either.
  const note = (fact: Fact): void => take(stampFact(fact, clock.currentTimeMillisUnsafe()))
  const isAlone = !keeps(journal) && observer === undefined && report === undefined
  return {
    state: () => state,
    events: () => events,
    isLive: () => state.liveAt !== undefined,
    spent: () => spent,
    record: isAlone ? (fact) => Effect.sync(() => note(fact)) : (fact) => turn.withPermit(record(fact)),
    delta: delta === undefined ? unwatched : (seen) => delta(seen, runId),
    progress: progress === undefined ? undefined : (said) => progress(said, runId),
    observers: observer === undefined ? [] : [observer]
  }
})
