/** Why a run ended, as a value. Every ending that is not an error is one of these. */
import * as Schema from "effect/Schema"
import { StopReason } from "./Reply.ts"

/** `Stop.match(stop, { Answered: …, … })` handles every ending, or does not compile. */
export const Stop = Schema.TaggedUnion({
  /** The model answered. */
  Answered: { text: Schema.String },
  /** The model was asked `maxTurns` times and wanted more. */
  OutOfTurns: {},
  /** `maxTokens` were spent and the model wanted more. */
  OutOfTokens: {},
  /** The model ended without an answer. `detail` is the provider's word for it, where there was one. */
  ModelStopped: { reason: StopReason, detail: Schema.optionalKey(Schema.String) }
})
export type Stop = typeof Stop.Type
