/**
 * What a run does, in the attributes of OpenTelemetry's conventions for generative AI, as of version 1.38. What they have no name for is
 * under `levain.`. Words of people, models and tools are content: they are there only where that is asked for.
 */
import type { ModelReply } from "./Reply.ts"
import type { ToolResult } from "./ToolCall.ts"
import { ToolFailure } from "./ToolFailure.ts"
import type { Message, Transcript } from "./Transcript.ts"
import * as Usage from "./Usage.ts"

export type Attributes = Readonly<Record<string, unknown>>

/** Tokens and cost. The conventions count what came from a cache, and what went into one, as input too. */
export const usage = (used: Usage.Usage): Attributes => ({
  "gen_ai.usage.input_tokens": input(used),
  "gen_ai.usage.output_tokens": used.output,
  "gen_ai.usage.cache_read.input_tokens": used.cacheRead,
  "gen_ai.usage.cache_creation.input_tokens": used.cacheWrite,
  ...(used.cost === undefined ? {} : { "levain.cost": used.cost })
})

/** All tokens that went in. */
export const input = (used: Usage.Usage): number => Usage.total(used) - used.output

/** Those of a span by which its metrics are told apart: each has few values. */
export const labels = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(labelled.flatMap((key) => {
    const value = attributes[key]
    return typeof value === "string" ? [[key, value]] : []
  }))

const labelled = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "gen_ai.agent.name",
  "gen_ai.tool.name",
  "error.type"
]

/** How a reply ended, and with `content` what it said. */
export const reply = (said: ModelReply, content: boolean): Attributes => ({
  ...(said.model === undefined ? {} : { "gen_ai.response.model": said.model }),
  "gen_ai.response.finish_reasons": [finishReason(said)],
  ...(content && {
    "gen_ai.output.messages": JSON.stringify([
      { role: "assistant", parts: parts(said), finish_reason: finishReason(said) }
    ])
  })
})

/** Why a reply ended, in one of the conventions' words. */
const finishReason = (said: ModelReply): string => {
  switch (said._tag) {
    case "Answer":
      return "stop"
    case "ToolCalls":
      return "tool_call"
    case "Stopped":
      return stopped[said.reason]
  }
}

const stopped = { refused: "content_filter", truncated: "length", unfinished: "error" } as const

/** What kept a call from what was asked, in one word: why it never ran, or how the tool failed. None where it did not fail. */
export const failure = ({ content, isError, notRun }: ToolResult): string | undefined => {
  if (!isError) return undefined
  const said = typeof content === "string" ? content.slice(0, content.indexOf(":")) : ""
  return notRun ?? failures.find((tag) => tag === said) ?? "_OTHER"
}

const failures = ToolFailure.members.map(({ fields }) => fields._tag.schema.literal)

/** A result as one text. */
export const text = ({ content }: ToolResult): string => typeof content === "string" ? content : JSON.stringify(content)

/** What a model is told, as JSON. */
export const instructions = (content: string): string => JSON.stringify([textPart(content)])

/** A transcript, as JSON. */
export const messages = (transcript: Transcript): string =>
  JSON.stringify(transcript.map((message) => ({ role: role(message), parts: parts(message) })))

const role = ({ _tag }: Message): string => _tag === "Task" ? "user" : _tag === "Results" ? "tool" : "assistant"

const textPart = (content: string) => ({ type: "text", content })

const parts = (message: Message): ReadonlyArray<object> => {
  if (message._tag === "Results") {
    return message.results.map(({ callId, content }) => ({ type: "tool_call_response", id: callId, result: content }))
  }
  const said = message.text === undefined ? [] : [textPart(message.text)]
  return message._tag === "ToolCalls"
    ? [...said, ...message.calls.map(({ id, input, name }) => ({ type: "tool_call", id, name, arguments: input }))]
    : said
}
