/**
 * A request of the Messages API, from a transcript and nothing else. The same transcript gives the same bytes, and a longer one
 * begins with the bytes of a shorter one (I11): that is what the provider's cache and its thinking signatures rest on.
 */
import type {
  BetaContentBlockParam,
  BetaImageBlockParam,
  BetaMessageParam,
  BetaRequestDocumentBlock,
  BetaTextBlockParam,
  BetaToolResultBlockParam,
  BetaToolUseBlockParam,
  MessageCreateParamsStreaming
} from "@anthropic-ai/sdk/resources/beta/messages/messages"
import { Json, type Model, type Reply, type ToolCall, type Transcript } from "@levain/core"
import * as Schema from "effect/Schema"
import * as Native from "./Native.ts"
import type { Settings } from "./Settings.ts"
import * as Tools from "./Tools.ts"

/** The beta that `fallbacks` needs. */
const fallbackBeta = "server-side-fallback-2026-07-01"

/** A request without cache markers: `Caching.mark` sets them when it is sent. `messages` comes last, so that it can only grow. */
export const body = (request: Model.ModelRequest, settings: Settings): MessageCreateParamsStreaming => {
  const { tools } = Tools.definitions(request.tools, settings.strict)
  const { effort, fallback, maxTokens, model, thinking } = settings
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(effort === "default" ? {} : { output_config: { effort } }),
    ...(thinking === "omitted" ? {} : { thinking: { type: "adaptive", display: thinking } }),
    ...(fallback === "off" ? {} : {
      betas: [fallbackBeta],
      fallbacks: fallback === "default" ? fallback : fallback.map((model) => ({ model }))
    }),
    ...(isBlank(request.instructions) ? {} : { system: [{ type: "text", text: request.instructions }] }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || request.isLast !== true ? {} : { tool_choice: { type: "none" } }),
    messages: messages(request.transcript)
  }
}

/** The same request, with what a paused reply has said so far at its end: the API goes on from there. */
export const goOn = (
  body: MessageCreateParamsStreaming,
  said: Reply.Native
): MessageCreateParamsStreaming => ({
  ...body,
  messages: [...body.messages, ...assistant(Native.contents(said) ?? [], false)]
})

const messages = (transcript: Transcript.Transcript): Array<BetaMessageParam> => {
  const sent: Array<BetaMessageParam> = []
  const used = new Set<string>()
  let open: ReadonlyArray<string> = []
  for (const [turn, message] of transcript.entries()) {
    switch (message._tag) {
      case "Task":
        sent.push({ role: "user", content: [text(message.text)] })
        break
      case "ToolCalls": {
        open = message.calls.map((call, index) => freeId(used, call.id, turn, index))
        sent.push(...assistant(callContents(message, open)))
        break
      }
      case "Results":
        sent.push({ role: "user", content: message.results.map((result, i) => toolResult(result, open[i] ?? "")) })
        break
      case "Answer":
        sent.push(...assistant(Native.contents(message.native) ?? [[text(message.text)]]))
        break
      case "Stopped":
        if (message.reason !== "refused") sent.push(...assistant(stoppedContents(message), false))
        break
    }
  }
  return sent
}

const idPattern = /^[a-zA-Z0-9_-]+$/

/** An id the API takes: the call's own, or one made from its place where that is no id there, or was used before. */
const freeId = (used: Set<string>, own: string, turn: number, index: number): string => {
  let id = idPattern.test(own) ? own : `call_${turn}_${index}`
  while (used.has(id)) id = `${id}_${turn}_${index}`
  used.add(id)
  return id
}

/** `isWhole` is false for a reply that was paused and is to go on. */
const assistant = (contents: Native.Contents, isWhole = true): ReadonlyArray<BetaMessageParam> =>
  Native.sendable(contents, isWhole).map((content) => ({ role: "assistant", content }))

const stoppedContents = (reply: Reply.Stopped): Native.Contents =>
  Native.contents(reply.native) ?? (reply.text === undefined ? [] : [[text(reply.text)]])

/** Claude's own blocks as they came, under ids that are free; another model's reply in neutral blocks. */
const callContents = (reply: Reply.ToolCalls, ids: ReadonlyArray<string>): Native.Contents => {
  const own = Native.contents(reply.native)
  const last = own?.at(-1) ?? []
  const calls = Native.live([last]).filter(({ type }) => type === "tool_use")
  if (own === undefined || calls.length !== reply.calls.length) return [neutral(reply, ids)]
  return [
    ...own.slice(0, -1),
    last.map((block) => {
      const id = ids[calls.indexOf(block)]
      return block.type === "tool_use" && id !== undefined ? acceptable(block, id) : block
    })
  ]
}

/** The same block where the API takes it, which it does not with an id that was used before or an input that is no object. */
const acceptable = (block: BetaToolUseBlockParam, id: string): BetaToolUseBlockParam =>
  block.id === id && Json.isObject(block.input) ? block : { ...block, id, input: toInput(block.input) }

const toInput = (input: unknown): Json.JsonObject =>
  Json.isObject(input) ? input : { input: isJson(input) ? input : null }

const isJson = Schema.is(Json.Json)

const neutral = (reply: Reply.ToolCalls, ids: ReadonlyArray<string>): ReadonlyArray<BetaContentBlockParam> => [
  ...(reply.text === undefined ? [] : [text(reply.text)]),
  ...reply.calls.map(({ input, name }, i): BetaToolUseBlockParam => ({
    type: "tool_use",
    id: ids[i] ?? "",
    name: toName(name),
    input: toInput(input)
  }))
]

/** A name as the API takes it: a tool that is not there may be asked for under any. */
const toName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed"

const isBlank = (words: string): boolean => words.trim() === ""

const text = (words: string): BetaTextBlockParam => ({ type: "text", text: words })

const toolResult = (result: ToolCall.ToolResult, id: string): BetaToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id: id,
  content: typeof result.content === "string" ? result.content : result.content.map(resultBlock),
  ...(result.isError ? { is_error: true } : {})
})

const resultBlock = (
  block: ToolCall.Block
): BetaTextBlockParam | BetaImageBlockParam | BetaRequestDocumentBlock => {
  switch (block.type) {
    case "text":
      return text(block.text)
    case "image":
      return isImageType(block.mediaType)
        ? { type: "image", source: { type: "base64", media_type: block.mediaType, data: block.data } }
        : text(`[an image of the type ${block.mediaType}, which cannot be shown]`)
    case "document":
      return block.mediaType === "application/pdf"
        ? { type: "document", source: { type: "base64", media_type: block.mediaType, data: block.data } }
        : text(`[a document of the type ${block.mediaType}, which cannot be shown]`)
  }
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const

const isImageType = (type: string): type is typeof imageTypes[number] => imageTypes.some((known) => known === type)
