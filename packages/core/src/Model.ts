/** The model's seat: a transcript in, one reply out. Which model sits there is a Layer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Delta } from "./pure/Delta.ts"
import type { ModelReply } from "./pure/Reply.ts"
import type { Transcript } from "./pure/Transcript.ts"
import { add, Usage } from "./pure/Usage.ts"
import type { ToolSpec } from "./Tool.ts"

/** All that a model is told: it keeps nothing between two requests. Within a run only the transcript grows. */
export interface ModelRequest {
  readonly runId: string
  readonly instructions: string
  readonly tools: ReadonlyArray<ToolSpec>
  readonly transcript: Transcript
  /** True for a last turn: the tools are there as before, and must not be called. */
  readonly isLast?: boolean
}

/**
 * Why no reply came. `malformed` is an answer that is none; `exhausted` a script or a recording that is at its end;
 * `spendLimit` a budget kept by the provider.
 */
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
export type ModelErrorReason = typeof ModelErrorReason.Type

/** No reply came. Ends the run unless a policy around the model tries again. Never holds a key. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: ModelErrorReason,
  message: Schema.String,
  /** The provider's id of the request, to ask its people about. */
  requestId: Schema.optional(Schema.String),
  /** How long the provider asks to wait before the next try, in milliseconds. */
  retryAfter: Schema.optional(Schema.Natural),
  /** What the provider says of trying again, where that is not what the reason says. */
  retryable: Schema.optional(Schema.Boolean),
  /** What the failed attempts cost, as far as it is known. */
  usage: Schema.optional(Usage)
}) {}

/** The same error, with some of it changed. */
export const amend = (
  error: ModelError,
  changes: Partial<Pick<ModelError, "message" | "requestId" | "usage" | "retryable">>
): ModelError => {
  const { message, reason, requestId, retryAfter, retryable, usage } = error
  return new ModelError({ message, reason, requestId, retryAfter, retryable, usage, ...changes })
}

/** The same error, with what was spent before it added to its usage. */
export const withUsage = (error: ModelError, before: Usage): ModelError =>
  amend(error, { usage: error.usage === undefined ? before : add(before, error.usage) })

/** Told of a reply while it comes. The model waits for it, so a slow one slows the reply. */
export type DeltaSink = (delta: Delta) => Effect.Effect<void>

/** Who sits in the seat, in a provider's own words: `anthropic`, `claude-opus-4-8`. Spans and metrics say so. */
export interface ModelInfo {
  readonly provider: string
  readonly model: string
}

export class Model extends Context.Service<Model, {
  /**
   * One reply to the transcript so far. Stateless: the same request may be sent again. What can be seen of the reply while it
   * comes goes to `sink`; the reply holds all of it.
   */
  readonly reply: (request: ModelRequest, sink: DeltaSink) => Effect.Effect<ModelReply, ModelError>
  /** Whom requests go to first. */
  readonly info?: ModelInfo
}>()("@levain/core/Model") {}

/** For a reply that nobody watches. */
export const unwatched: DeltaSink = () => Effect.void
