/** A call the model asks for, where it stands in the run, and the result the model reads. */
import * as Schema from "effect/Schema"
import { Json } from "./Json.ts"
import * as Text from "./Text.ts"
import { Denied, line } from "./ToolFailure.ts"

/**
 * One call: the provider's `id` for it, the tool's `name` and its undecoded `input`. An id is an address for the
 * provider and no identity: two calls may share one. A call is told from another by its `CallPlace`.
 */
export const ToolCall = Schema.Struct({ id: Schema.String, name: Schema.String, input: Json })
export type ToolCall = typeof ToolCall.Type

/** A call's identity within its run: the turn whose reply asked for it (from 1), and its index in that reply (from 0). */
export const CallPlace = Schema.Struct({ turn: Schema.Natural, index: Schema.Natural })
export type CallPlace = typeof CallPlace.Type

/** The id of the run that a call to an agent is. The same call is always the same run, so that calling it again takes it up. */
export const childRunId = (runId: string, { index, turn }: CallPlace): string => `${runId}.${turn}-${index}`

const text = Schema.String.check(Schema.isPattern(/\S/u))

/** A part of a result that is not one plain text. `data` is base64. */
export const Block = Schema.Union([
  Schema.Struct({ type: Schema.tag("text"), text }),
  Schema.Struct({ type: Schema.tag("image"), mediaType: Schema.String, data: Schema.String }),
  Schema.Struct({ type: Schema.tag("document"), mediaType: Schema.String, data: Schema.String })
])
export type Block = typeof Block.Type

/** Why a call has a result though it never ran. */
export const NotRun = Schema.Literals([
  "unknownTool",
  "badInput",
  "denied",
  "interrupted",
  "limit",
  "truncated",
  "repeated"
])
export type NotRun = typeof NotRun.Type

/** What the model reads of one call: never blank, always well-formed. `notRun` is there only when the call did not run. */
export const ToolResult = Schema.Struct({
  callId: Schema.String,
  content: Schema.Union([text, Schema.NonEmptyArray(Block)]),
  isError: Schema.Boolean,
  notRun: Schema.optionalKey(NotRun),
  /** True where the call was the run's answer: there is nothing more to ask the model. */
  isAnswer: Schema.optionalKey(Schema.Boolean)
})
export type ToolResult = typeof ToolResult.Type

/** The result of a call that a limit, or whatever broke off the run, kept from running. */
export const neverRan = (call: ToolCall, notRun: "limit" | "interrupted"): ToolResult => ({
  callId: call.id,
  content: `unavailable: ${call.name} did not run: the run stopped before it.`,
  isError: true,
  notRun
})

/** The result of a call that a person said no to. */
export const denied = (call: ToolCall, reason: string): ToolResult => ({
  callId: call.id,
  content: deniedLine(reason),
  isError: true,
  notRun: "denied"
})

/** A person's no, in words for the model. */
export const deniedLine = (reason: string): string =>
  line(new Denied({ message: Text.mendOr(reason, "a person said no, without a reason.") }))

/** The result of a write that was at work when its run was cut off. */
export const interrupted = (call: ToolCall): ToolResult => ({
  callId: call.id,
  content:
    `unavailable: ${call.name} was cut off while it was at work, and may have taken effect. Find out before you repeat it.`,
  isError: true
})

/** Makes a result one that may enter the transcript: under its call's own id, well-formed and not blank. */
export const mendResult = (call: ToolCall, result: ToolResult): ToolResult => ({
  ...result,
  callId: call.id,
  content: mendContent(result.content)
})

const mendContent = (content: ToolResult["content"]): ToolResult["content"] => {
  if (typeof content === "string") return Text.mendOr(content, emptyText)
  const [first, ...rest] = content
  return first === undefined ? emptyText : [mendBlock(first), ...rest.map(mendBlock)]
}

const mendBlock = (block: Block): Block =>
  block.type === "text"
    ? { type: "text", text: Text.mendOr(block.text, emptyText) }
    : { type: block.type, mediaType: Text.mend(block.mediaType), data: Text.mend(block.data) }

/** What a model reads where a tool said nothing that can be read. */
export const emptyText = "(empty text)"
