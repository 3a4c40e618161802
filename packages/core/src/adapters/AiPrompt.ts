/**
 * A transcript as a prompt of `effect/ai`. A reply that came from such a model goes back as it came, so that what its provider wants to see
 * again (thinking, signatures) is there; any other in our words.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ModelReply, Native } from "../pure/Reply.ts"
import type { Block, ToolCall, ToolResult } from "../pure/ToolCall.ts"
import type { Transcript } from "../pure/Transcript.ts"

/** The name under which a reply keeps its own content. */
const provider = "effect/ai"

const Messages = Schema.toCodecJson(Schema.Array(Prompt.Message))
const decodeMessages = Schema.decodeUnknownOption(Messages)
const encodeMessages = Schema.encodeOption(Messages)

/** The content of a reply, to be kept with it. Nothing where it has no JSON. */
export const native = (prompt: Prompt.Prompt): { readonly native?: Native } =>
  Option.match(encodeMessages(prompt.content), {
    onNone: () => ({}),
    onSome: (content) => ({ native: { provider, content } })
  })

/** What the model is told. Instructions that are blank are none. */
export const make = (instructions: string, transcript: Transcript): Prompt.Prompt => {
  const system = instructions.trim() === "" ? [] : [Prompt.systemMessage({ content: instructions })]
  let asked: ReadonlyArray<ToolCall> = []
  const messages = transcript.flatMap((message): ReadonlyArray<Prompt.Message> => {
    switch (message._tag) {
      case "Task":
        return [Prompt.userMessage({ content: [Prompt.textPart({ text: message.text })] })]
      case "Results":
        return [Prompt.toolMessage({ content: message.results.map((result, i) => resultPart(result, asked[i])) })]
      case "Answer":
      case "ToolCalls":
      case "Stopped":
        asked = message._tag === "ToolCalls" ? message.calls : []
        return said(message)
    }
  })
  return Prompt.fromMessages([...system, ...messages])
}

const said = (reply: ModelReply): ReadonlyArray<Prompt.Message> => {
  const own = reply.native?.provider === provider
    ? Option.getOrUndefined(decodeMessages(reply.native.content))
    : undefined
  if (own !== undefined) return own
  const words = reply.text === undefined ? [] : [Prompt.textPart({ text: reply.text })]
  const calls = reply._tag === "ToolCalls" ? reply.calls.map(callPart) : []
  const content = [...words, ...calls]
  return content.length === 0 ? [] : [Prompt.assistantMessage({ content })]
}

const callPart = ({ id, input, name }: ToolCall) =>
  Prompt.toolCallPart({ id, name, params: input, providerExecuted: false })

const resultPart = ({ callId, content, isError }: ToolResult, call: ToolCall | undefined) =>
  Prompt.toolResultPart({
    id: callId,
    name: call?.name ?? "",
    isFailure: isError,
    providerExecuted: false,
    ...(typeof content === "string"
      ? { result: content }
      : { result: content.map(described).join("\n"), modelOutput: content.map(outputPart) })
  })

/** A block in words, for a provider that takes no files in results. */
const described = (block: Block): string => block.type === "text" ? block.text : `[${block.type}, ${block.mediaType}]`

const outputPart = (block: Block): Prompt.ToolModelOutputPart =>
  block.type === "text"
    ? Prompt.textPart({ text: block.text })
    : Prompt.filePart({ mediaType: block.mediaType, data: block.data })
