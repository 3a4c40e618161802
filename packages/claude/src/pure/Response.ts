/** What Claude's messages come to, as a reply. Blocks decide, not the stop word, save where it says that the reply is cut or declined. */
import type { BetaStopReason } from "@anthropic-ai/sdk/resources/beta/messages/messages"
import { type Json, type Reply, type ToolCall, Usage } from "@levain/core"
import * as Bill from "./Bill.ts"
import type { Message } from "./Message.ts"
import * as Native from "./Native.ts"

/** True when the API is to be asked to go on, with what it said so far at the end of the request. Without a word more it would say the same. */
export const isPaused = (message: Message): boolean =>
  outcome(message.stop_reason) === "paused" && message.content.length > 0

/**
 * The reply that ends with `last`, after the messages in which it was `paused`. It counts the usage of all of them. A reply with
 * neither words nor calls is `unfinished`, as is one that is still paused or that ends for a reason we do not know: `detail` is the
 * API's word for it. What a declined reply said is never sent again.
 */
export const toReply = (last: Message, paused: ReadonlyArray<Message> = []): Reply.ModelReply => ({
  ...replyOf(last, paused),
  model: last.model
})

const replyOf = (last: Message, paused: ReadonlyArray<Message>): Reply.ModelReply => {
  const messages = [...paused, last]
  const usage = messages.map(usageOf).reduce(Usage.add, Usage.zero)
  const contents = messages.map(({ content }) => content)
  const words = Native.live(contents).flatMap(textOf).join("")
  const said = words.trim() === "" ? {} : { text: words }
  // A message that was cut off may hold half a thought and half a call: they never go back. What was paused did go back already.
  const kept = () => ({ native: Native.make([...contents.slice(0, -1), last.content.filter(isWholeBlock)]) })
  const result = outcome(last.stop_reason)
  switch (result) {
    case "done": {
      const native = Native.make(contents)
      const [first, ...rest] = Native.live([last.content]).flatMap(callOf)
      if (first !== undefined) return { _tag: "ToolCalls", calls: [first, ...rest], ...said, usage, native }
      return said.text === undefined
        ? { _tag: "Stopped", reason: "unfinished", detail: last.stop_reason ?? "no stop reason", usage, ...kept() }
        : { _tag: "Answer", text: said.text, usage, native }
    }
    case "refused":
      return { _tag: "Stopped", reason: "refused", detail: refusal(last), usage }
    case "truncated":
      return { _tag: "Stopped", reason: "truncated", detail: last.stop_reason ?? result, ...said, usage, ...kept() }
    case "paused":
    case "unknown":
      return {
        _tag: "Stopped",
        reason: "unfinished",
        detail: last.stop_reason ?? "no stop reason",
        ...said,
        usage,
        ...kept()
      }
  }
}

/** What a message used and cost. */
export const usageOf = (message: Message): Usage.Usage => {
  const usage = Bill.usage(message.model, message.usage)
  return isFree(message, usage) ? { ...usage, cost: 0 } : usage
}

/** What was declined before a word was said is billed in these categories only (Anthropic's page on refusals, September 2026). */
const billedRefusals: ReadonlySet<Json.Json | undefined> = new Set(["bio", "frontier_llm", "reasoning_extraction"])

const isFree = (message: Message, usage: Usage.Usage): boolean =>
  message.stop_reason === "refusal" && usage.output === 0 && !billedRefusals.has(message.stop_details["category"])

type Outcome = "done" | "refused" | "truncated" | "paused" | "unknown"

/** Every reason the SDK knows; the API may send others. */
const known: { readonly [reason in BetaStopReason]: true } = {
  end_turn: true,
  stop_sequence: true,
  tool_use: true,
  refusal: true,
  max_tokens: true,
  model_context_window_exceeded: true,
  pause_turn: true,
  compaction: true
}

const isKnown = (reason: string): reason is BetaStopReason => Object.hasOwn(known, reason)

const outcome = (reason: string | null): Outcome => reason !== null && isKnown(reason) ? outcomeOf(reason) : "unknown"

const outcomeOf = (reason: BetaStopReason): Outcome => {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
      return "done"
    case "refusal":
      return "refused"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "truncated"
    case "pause_turn":
    case "compaction":
      return "paused"
  }
}

const isWholeBlock = ({ type }: Native.Block): boolean => !["tool_use", "thinking", "redacted_thinking"].includes(type)

const textOf = (block: Native.Block): ReadonlyArray<string> =>
  block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : []

const callOf = ({ id, input, name, type }: Native.Block): ReadonlyArray<ToolCall.ToolCall> =>
  type === "tool_use" && typeof id === "string" && typeof name === "string" ? [{ id, name, input: input ?? {} }] : []

/** `cyber: …` where the API says which rule and why; its bare word where it does not. */
const refusal = ({ stop_details: { category, explanation } }: Message): string =>
  [category, explanation].filter(isWord).join(": ") || "refusal"

const isWord = (json: Json.Json | undefined): json is string => typeof json === "string" && json !== ""
