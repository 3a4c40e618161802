/**
 * Any `LanguageModel` of `effect/ai` in the model's seat, so that each provider of the Effect family works under this loop: it streams, and
 * calls are the loop's to decode, order and run.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Model from "../Model.ts"
import * as Json from "../pure/Json.ts"
import type { ModelReply, StopReason } from "../pure/Reply.ts"
import type { ToolCall } from "../pure/ToolCall.ts"
import * as Usage from "../pure/Usage.ts"
import type { ToolSpec } from "../Tool.ts"
import * as AiPrompt from "./AiPrompt.ts"

export interface Options {
  /** Who it is, for spans and metrics: `effect/ai` does not say. */
  readonly info?: Model.ModelInfo
}

/** The model of a `LanguageModel`, such as `AnthropicLanguageModel.layer({ model })` gives. */
export const layer = (options: Options = {}): Layer.Layer<Model.Model, never, LanguageModel.LanguageModel> =>
  Layer.effect(Model.Model, Effect.map(LanguageModel.LanguageModel, (model) => make(model, options)))

const make = (model: LanguageModel.LanguageModel, { info }: Options): Model.Model["Service"] => ({
  ...(info === undefined ? {} : { info }),
  reply: Effect.fnUntraced(function*(request, sink) {
    const toolkit = toolkitOf(request.tools)
    const said: Array<Response.AnyPart> = []
    let usage = Usage.make({})
    for (let pauses = 0; pauses <= maxPauses; pauses++) {
      const parts: Array<Response.AnyPart> = []
      yield* model.streamText({
        prompt: Prompt.concat(AiPrompt.make(request.instructions, request.transcript), Prompt.fromResponseParts(said)),
        toolkit,
        toolChoice: request.isLast === true ? "none" : "auto",
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      }).pipe(
        Stream.runForEach((part) => {
          parts.push(part)
          return tell(part, sink)
        }),
        Effect.mapError((error) => Model.withUsage(errorOf(error), usage))
      )
      said.push(...parts)
      const finish = parts.find((part) => part.type === "finish")
      const failed = parts.find((part) => part.type === "error")
      if (finish !== undefined) usage = Usage.add(usage, usageOf(finish.usage))
      if (failed !== undefined) return yield* Model.withUsage(broken(Json.line(failed.error)), usage)
      if (finish === undefined) return yield* Model.withUsage(malformed("the reply has no end"), usage)
      if (finish.reason === "error") return yield* Model.withUsage(broken("the reply ended in an error"), usage)
      if (finish.reason !== "pause") return replyOf(said, finish.reason, usage)
    }
    return { _tag: "Stopped", reason: "unfinished", detail: `paused more than ${maxPauses} times`, usage }
  })
})

/** A provider may pause a long turn and be asked to go on with it. */
const maxPauses = 10

const tell = (part: Response.AnyPart, sink: Model.DeltaSink): Effect.Effect<void> => {
  if (part.type === "text-delta") return sink({ _tag: "Text", text: part.delta })
  return part.type === "reasoning-delta" ? sink({ _tag: "Thinking", text: part.delta }) : Effect.void
}

/** The contracts alone: who calls the tools is the loop. */
const toolkitOf = (specs: ReadonlyArray<ToolSpec>): Toolkit.WithHandler<Record<string, AiTool.AnyDynamic>> => ({
  tools: Object.fromEntries(
    specs.map(({ description, inputSchema, name }) => [
      name,
      AiTool.dynamic(name, { description, parameters: inputSchema })
    ])
  ),
  handle: () => Effect.die("the loop runs the calls")
})

/** What the parts come to. A call of a provider's own tool is the provider's. */
const replyOf = (
  parts: ReadonlyArray<Response.AnyPart>,
  reason: Response.FinishReason,
  usage: Usage.Usage
): ModelReply => {
  const words = parts.map((part) => part.type === "text-delta" ? part.delta : part.type === "text" ? part.text : "")
    .join("")
  const model = parts.find((part) => part.type === "response-metadata")?.modelId
  const common = {
    usage,
    ...(words.trim() === "" ? {} : { text: words }),
    ...(model === undefined ? {} : { model }),
    ...AiPrompt.native(Prompt.fromResponseParts(parts))
  }
  const stop = stopOf(reason)
  if (stop !== undefined) return { _tag: "Stopped", reason: stop, detail: reason, ...common }
  const [first, ...others] = parts.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted ? [callOf(part.id, part.name, part.params)] : []
  )
  if (first !== undefined) return { _tag: "ToolCalls", calls: [first, ...others], ...common }
  return common.text === undefined
    ? { _tag: "Stopped", reason: "unfinished", detail: reason, ...common }
    : { _tag: "Answer", ...common, text: common.text }
}

const callOf = (id: string, name: string, input: unknown): ToolCall => ({
  id,
  name,
  input: Result.getOrElse(Json.fromUnknown(input), () => null)
})

/** Whether a reply that ended so is none. What else it is, its parts say. */
const stopOf = (reason: Response.FinishReason): StopReason | undefined => {
  switch (reason) {
    case "length":
      return "truncated"
    case "content-filter":
      return "refused"
    case "error":
    case "pause":
    case "stop":
    case "tool-calls":
    case "other":
    case "unknown":
      return undefined
  }
}

/** Input that is in a cache is billed apart. Where only the sum is told, the rest of it was read anew. */
const usageOf = ({ inputTokens, outputTokens }: Response.Usage): Usage.Usage => {
  const { cacheRead = 0, cacheWrite = 0, total = 0, uncached } = inputTokens
  const output = outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0)
  return Usage.make({ input: uncached ?? Math.max(0, total - cacheRead - cacheWrite), cacheRead, cacheWrite, output })
}

const malformed = (message: string) => new Model.ModelError({ reason: "malformed", message: `${message}.` })

const broken = (message: string) => new Model.ModelError({ reason: "server", message: `${message}.` })

/** What `effect/ai` says of an error, and whether it would try again. */
const errorOf = (error: AiError.AiError): Model.ModelError => {
  const { isRetryable, message, reason, retryAfter } = error
  return new Model.ModelError({
    reason: reasonOf(reason),
    message,
    retryable: isRetryable,
    ...(retryAfter === undefined ? {} : { retryAfter: Math.ceil(Duration.toMillis(retryAfter)) })
  })
}

const reasonOf = (reason: AiError.AiErrorReason): Model.ModelErrorReason => {
  switch (reason._tag) {
    case "RateLimitError":
      return "rateLimited"
    case "QuotaExhaustedError":
      return "spendLimit"
    case "AuthenticationError":
      return reason.kind === "InsufficientPermissions" ? "permission" : "authentication"
    case "InternalProviderError":
      return "server"
    case "NetworkError":
      return "connection"
    case "InvalidResponseError":
    case "InvalidOutputError":
    case "StructuredOutputError":
      return "malformed"
    case "UnknownError":
      return "server"
    case "ContentPolicyError":
    case "InvalidRequestError":
    case "UnsupportedSchemaError":
    case "ToolNotFoundError":
    case "ToolParameterValidationError":
    case "InvalidToolResultError":
    case "ToolResultEncodingError":
    case "ToolConfigurationError":
    case "ToolkitRequiredError":
    case "InvalidUserInputError":
      return "badRequest"
  }
}
