/**
 * Told of every event of a run once it is recorded, and of replies and tools while they are at it. An observer cannot change a run, nor
 * break it. An interruption has no value in Effect: what its run was and had spent is told here, with the event `RunInterrupted`.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Delta } from "./pure/Delta.ts"
import type { Json } from "./pure/Json.ts"
import type { RunEvent } from "./pure/RunEvent.ts"
import type { RunState } from "./pure/RunState.ts"
import type { CallPlace } from "./pure/ToolCall.ts"

/** What a tool says of a call while it is at work: no event, and nothing the model reads. */
export interface Progress {
  readonly _tag: "Progress"
  readonly place: CallPlace
  /** The tool's name. */
  readonly tool: string
  readonly said: Json
}

export interface RunObserver {
  /**
   * Runs before the run goes on, so a slow observer slows it. One that fails or dies is reported in the log, and told no more of the run
   * and of those it calls. `state` is the run's with this event in it: its id, what it has spent, and through `RunState.steps` its
   * finished calls. The events of the agents that a run calls come here too, each with the state of its own run.
   */
  readonly event: (event: RunEvent, state: RunState) => Effect.Effect<unknown, unknown>
  /** What is seen of a reply before its `Replied`. The same holds for it. */
  readonly delta?: (delta: Delta, runId: string) => Effect.Effect<unknown, unknown>
  /** What a call says before its `ToolFinished`, maybe while an event of another call is told. The same holds for it. */
  readonly progress?: (progress: Progress, runId: string) => Effect.Effect<unknown, unknown>
}

/** The observers of a run: none by default. */
export const RunObserver = Context.Reference<ReadonlyArray<RunObserver>>("@levain/core/RunObserver", {
  defaultValue: () => []
})

/** An observer that cannot fail. */
export interface Watch extends RunObserver {
  readonly event: (event: RunEvent, state: RunState) => Effect.Effect<void>
  readonly delta?: (delta: Delta, runId: string) => Effect.Effect<void>
  readonly progress?: (progress: Progress, runId: string) => Effect.Effect<void>
}

type Tell = (observer: RunObserver) => Effect.Effect<unknown, unknown> | undefined

/** One that tells all of these, and drops each for good at its first failure. Looks at no more than they do. */
export const guarded = (observers: ReadonlyArray<RunObserver>): Watch => {
  let working = observers
  const drop = (failed: RunObserver, cause: Cause.Cause<unknown>) => {
    working = working.filter((observer) => observer !== failed)
    return Effect.logWarning("an observer of the run failed and is told no more", cause)
  }
  /** Watching is paid for by every piece of a reply, so one that has nothing to wait for costs no more than the call. */
  const tellOne = (observer: RunObserver, tell: Tell): Effect.Effect<void> => {
    try {
      const telling = tell(observer)
      if (telling === undefined || telling === Effect.void) return Effect.void
      // An interruption is the run's own, whose end it is still to be told.
      return Effect.matchCauseEffect(telling, {
        onFailure: (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : drop(observer, cause),
        onSuccess: () => Effect.void
      })
    } catch (thrown) {
      return drop(observer, Cause.die(thrown))
    }
  }
  const tellAll = (tell: Tell): Effect.Effect<void> =>
    Effect.suspend(() => {
      const [only, ...others] = working
      if (only === undefined) return Effect.void
      return others.length === 0
        ? tellOne(only, tell)
        : Effect.forEach(working, (observer) => tellOne(observer, tell), { discard: true })
    })
  return {
    event: (event, state) => tellAll((observer) => observer.event(event, state)),
    ...(observers.some(({ delta }) => delta !== undefined) && {
      delta: (delta, runId) => tellAll((observer) => observer.delta?.(delta, runId))
    }),
    ...(observers.some(({ progress }) => progress !== undefined) && {
      progress: (progress, runId) => tellAll((observer) => observer.progress?.(progress, runId))
    })
  }
}
