/** Told of every event of a run once it is recorded. An observer cannot change a run, nor break it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RunEvent } from "./pure/RunEvent.ts"

export interface RunObserver {
  /** Runs before the run goes on, so a slow observer slows it. What it fails with or dies of is logged and dropped. */
  readonly event: (event: RunEvent) => Effect.Effect<void, unknown>
}

/** The observers of a run: none by default. */
export const RunObserver = Context.Reference<ReadonlyArray<RunObserver>>("@levain/core/RunObserver", {
  defaultValue: () => []
})
