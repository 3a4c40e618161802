/** Keeps the events of runs. The default keeps nothing; a Layer in its place keeps them where it says. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunEvent } from "./pure/RunEvent.ts"

/** An event could not be kept, so the run ended: nothing goes on unrecorded. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  runId: Schema.String,
  message: Schema.String
}) {}

export interface Journal {
  /** Keeps events of one run, in order, before it goes on. Never called twice at once for one run. */
  readonly append: (runId: string, events: ReadonlyArray<RunEvent>) => Effect.Effect<void, JournalError>
}

export const Journal = Context.Reference<Journal>("@levain/core/Journal", {
  defaultValue: () => ({ append: () => Effect.void })
})
