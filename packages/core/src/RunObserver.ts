/**
 * Told of every event of a run once it is recorded, and of replies while they come. An observer cannot change a run, nor break it. An
 * interruption has no value in Effect: what its run was and had spent is told here, with the event `RunInterrupted`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Delta } from "./pure/Delta.ts"
import type { RunEvent } from "./pure/RunEvent.ts"
import type { RunState } from "./pure/RunState.ts"

export interface RunObserver {
  /**
   * Runs before the run goes on, so a slow observer slows it. What it fails with or dies of is logged and dropped. `state` is the run's
   * with this event in it: its id, what it has spent, and through `RunState.steps` its finished calls. The events of the agents that a run
   * calls come here too, each with the state of its own run.
   */
  readonly event: (event: RunEvent, state: RunState) => Effect.Effect<void, unknown>
  /** What is seen of a reply before its `Replied`. The same holds for it. */
  readonly delta?: (delta: Delta, runId: string) => Effect.Effect<void, unknown>
}

/** The observers of a run: none by default. */
export const RunObserver = Context.Reference<ReadonlyArray<RunObserver>>("@levain/core/RunObserver", {
  defaultValue: () => []
})
