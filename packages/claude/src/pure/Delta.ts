/** What watchers see of one stream event. */
import type { BetaRawMessageStreamEvent } from "@anthropic-ai/sdk/resources/beta/messages/messages"
import type { Delta } from "@levain/core"

/** Nothing for an event that shows no words: tool input, signatures, counters, and kinds we do not know. */
export const fromEvent = (event: BetaRawMessageStreamEvent): Delta.Delta | undefined => {
  if (event.type === "content_block_start") {
    const { content_block: block } = event
    if (block.type === "text") return words("Text", block.text)
    return block.type === "fallback"
      ? { _tag: "Restarted", why: "One model declined, and another answers instead." }
      : undefined
  }
  if (event.type !== "content_block_delta") return undefined
  if (event.delta.type === "text_delta") return words("Text", event.delta.text)
  return event.delta.type === "thinking_delta" ? words("Thinking", event.delta.thinking) : undefined
}

const words = (_tag: "Text" | "Thinking", text: string): Delta.Delta | undefined =>
  text === "" ? undefined : { _tag, text }
