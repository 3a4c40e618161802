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
import { guarded, type Progress, RunObserver, type Watch } from "./RunObserver.ts"

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
  const watching = yield* RunObserver
  const observer = watching.length === 0 ? undefined : guarded(watching)
  const story = new Story(kept, yield* Clock.Clock)
  // With nobody to wait for there is no turn to wait for either.
  const isAlone = !keeps(journal) && observer === undefined && report === undefined
  return isAlone ? story : watched(story, { runId, journal, observer, report })
})

/** What happened so far, and what it adds up to: the log of a run that nobody keeps, watches or called. */
class Story implements RunLog {
  readonly #clock: Clock.Clock
  readonly #grow = growing()
  readonly #events: Array<RunEvent>
  #state: RunState
  #spent: Spent
  readonly delta = unwatched
  readonly progress = undefined
  readonly observers: ReadonlyArray<RunObserver> = []

  constructor(kept: ReadonlyArray<RunEvent>, clock: Clock.Clock) {
    this.#clock = clock
    this.#events = [...kept]
    this.#state = fold(kept)
    this.#spent = this.#state.spent
  }

  state(): RunState {
    return this.#state
  }

  events(): ReadonlyArray<RunEvent> {
    return this.#events
  }

  isLive(): boolean {
    return this.#state.liveAt !== undefined
  }

  spent(): Spent {
    return this.#spent
  }

  record(fact: Fact): Effect.Effect<void> {
    return Effect.sync(() => this.take(this.stamp(fact)))
  }

  stamp(fact: Fact): RunEvent {
    return stampFact(fact, this.#clock.currentTimeMillisUnsafe())
  }

  /** Counts what an event says was spent, kept or not. */
  bill(event: RunEvent): void {
    this.#spent = evolve({ ...this.#state, transcript: [] }, event).spent
  }

  take(event: RunEvent): void {
    this.#state = this.#grow(this.#state, event)
    this.#spent = this.#state.spent
    this.#events.push(event)
  }
}

/** Who is told of an event before the run goes on. */
interface Told {
  readonly runId: string
  readonly journal: Journal
  readonly observer: Watch | undefined
  readonly report: Report | undefined
}

const watched = (story: Story, { journal, observer, report, runId }: Told): RunLog => {
  const turn = Semaphore.makeUnsafe(1)
  const keep = Effect.fnUntraced(function*(event: RunEvent) {
    const { usage } = story.spent()
    story.bill(event)
    yield* journal.append(runId, [event], story.events().length)
    story.take(event)
    if (report !== undefined && story.spent().usage !== usage) yield* report(story.spent())
  }, Effect.uninterruptible)
  const record = Effect.fnUntraced(function*(fact: Fact) {
    const event = story.stamp(fact)
    yield* keep(event)
    if (observer !== undefined) yield* observer.event(event, Transcript.seen(story.state()))
  })
  const { delta, progress } = observer ?? {}
  return {
    state: () => story.state(),
    events: () => story.events(),
    isLive: () => story.isLive(),
    spent: () => story.spent(),
    record: (fact) => turn.withPermit(record(fact)),
    delta: delta === undefined ? unwatched : (seen) => delta(seen, runId),
    progress: progress === undefined ? undefined : (said) => progress(said, runId),
    observers: observer === undefined ? [] : [observer]
  }
}
