/** Why a run ended, as a value. Every ending that is not an error is one of these. */
import * as Schema from "effect/Schema"
import { Pending } from "./Approval.ts"
import { StopReason } from "./Reply.ts"

/** The words of a last turn at a limit, where `finalAnswer` asked for one and words came. */
const text = Schema.optionalKey(Schema.String)

/** `Stop.match(stop, { Answered: …, … })` handles every ending, or does not compile. */
export const Stop = Schema.TaggedUnion({
  /** The model answered. */
  Answered: { text: Schema.String },
  /** The model was asked `maxTurns` times and wanted more. */
  OutOfTurns: { text },
  /** `maxTokens` were spent and the model wanted more. */
  OutOfTokens: { text },
  /** `maxCost` was spent, or nobody knows what was, and the model wanted more. */
  OutOfCost: { text },
  /** The run was live for `maxDuration` and the model wanted more. */
  OutOfTime: { text },
  /** The model asked again for a call that `maxRepeats` had refused. */
  Repeating: { text },
  /** These wait for a person. Once each has its answer, the run can be taken up. */
  AwaitingApproval: { pending: Schema.NonEmptyArray(Pending) },
  /** The model ended without an answer. `detail` is the provider's word for it, where there was one. */
  ModelStopped: { reason: StopReason, detail: Schema.optionalKey(Schema.String) }
})
export type Stop = typeof Stop.Type

/** A stop in words: `out of tokens`. */
export const inWords = Stop.match({
  Answered: () => "answered",
  OutOfTurns: () => "out of turns",
  OutOfTokens: () => "out of tokens",
  OutOfCost: () => "over its cost",
  OutOfTime: () => "out of time",
  Repeating: () => "repeating itself",
  AwaitingApproval: () => "waiting for a person",
  ModelStopped: ({ detail, reason }) => `stopped by the model (${reason})${detail === undefined ? "" : `: ${detail}`}`
})
