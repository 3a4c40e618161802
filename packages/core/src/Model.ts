/** The model's seat: a transcript in, one reply out. Which model sits there is a Layer. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelReply } from "./pure/Reply.ts"
import type { Transcript } from "./pure/Transcript.ts"
import { Usage } from "./pure/Usage.ts"
import type { ToolSpec } from "./Tool.ts"

/** All that a model is told: it keeps nothing between two requests. Within a run only the transcript grows. */
export interface ModelRequest {
  readonly runId: string
  readonly instructions: string
  readonly tools: ReadonlyArray<ToolSpec>
  readonly transcript: Transcript
}

/** Why a request to a model failed outright. `exhausted` is a script or a recording that is at its end. */
export const ModelErrorReason = Schema.Literals([
  "rateLimited",
  "overloaded",
  "server",
  "connection",
  "timeout",
  "badRequest",
  "authentication",
  "permission",
  "spendLimit",
  "notFound",
  "tooLarge",
  "malformed",
  "exhausted"
])

/** No reply came. Ends the run unless a policy around the model tries again. Never holds a key. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: ModelErrorReason,
  message: Schema.String,
  /** What the failed attempts cost, as far as it is known. */
  usage: Schema.optionalKey(Usage)
}) {}

export class Model extends Context.Service<Model, {
  /** One reply to the transcript so far. Stateless: the same request may be sent again. */
  readonly reply: (request: ModelRequest) => Effect.Effect<ModelReply, ModelError>
}>()("@levain/core/Model") {}
