/** Told of every event of a run once it is recorded, and of replies while they come. An observer cannot change a run, nor break it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Delta } from "./pure/Delta.ts"
import type { RunEvent } from "./pure/RunEvent.ts"

export interface RunObserver {
  /** Runs before the run goes on, so a slow observer slows it. What it fails with or dies of is logged and dropped. */
  readonly event: (event: RunEvent) => Effect.Effect<void, unknown>
  /** What is seen of a reply before its `Replied`. The same holds for it. */
  readonly delta?: (delta: Delta) => Effect.Effect<void, unknown>
}

/** The observers of a run: none by default. */
export const RunObserver = Context.Reference<ReadonlyArray<RunObserver>>("@levain/core/RunObserver", {
  defaultValue: () => []
})
