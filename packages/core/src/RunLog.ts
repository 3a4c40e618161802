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
import { RunObserver } from "./RunObserver.ts"

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
  const observers = yield* RunObserver
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
    const after = state
    for (const observer of observers) yield* harmless(() => observer.event(event, after))
  })
  return {
    state: () => state,
    events: () => events,
    isLive: () => state.liveAt !== undefined,
    spent: () => spent,
    record: (fact) => turn.withPermit(record(fact)),
    delta: deltaSink(runId, observers)
  }
})

const deltaSink = (runId: string, observers: ReadonlyArray<RunObserver>): DeltaSink => {
  const watching = observers.flatMap(({ delta }) => delta === undefined ? [] : [delta])
  return watching.length === 0
    ? unwatched
    : (delta) => Effect.forEach(watching, (watch) => harmless(() => watch(delta, runId)), { discard: true })
}

const harmless = (show: () => Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.suspend(show).pipe(
    Effect.catchCause((cause) => Effect.logWarning("an observer of the run failed and was passed over", cause))
  )
