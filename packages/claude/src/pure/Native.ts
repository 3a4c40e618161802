/**
 * What Claude said, kept as it came: one list of blocks for each message of the reply (more than one where it was paused and went
 * on). It stands in a reply's `native`, so that thinking, signatures and blocks we do not know go back unchanged, also from
 * another process.
 */
import type { BetaContentBlockParam } from "@anthropic-ai/sdk/resources/beta/messages/messages"
import { Json, type Reply } from "@levain/core"

/** The provider's name in `native`. */
const provider = "anthropic"

/** A content block of any kind: plain JSON with a type. */
export type Block = Json.JsonObject & { readonly type: string }

export const isBlock = (json: unknown): json is Block => Json.isObject(json) && typeof json["type"] === "string"

export const make = (contents: ReadonlyArray<ReadonlyArray<Block>>): Reply.Native => ({
  provider,
  content: contents
})

/** The contents of a reply that came from Claude; nothing for any other model's. */
export const contents = (native: Reply.Native | undefined): Contents | undefined => {
  if (native?.provider !== provider || !Array.isArray(native.content)) return undefined
  const content: ReadonlyArray<unknown> = native.content
  return content.every(isContent) ? content : undefined
}

export type Contents = ReadonlyArray<ReadonlyArray<BetaContentBlockParam>>

const isContent = (json: unknown): json is ReadonlyArray<BetaContentBlockParam> =>
  Array.isArray(json) && json.every(isParam)

/** What came from the API may go back to it, whatever its type: that is the API's own promise. */
const isParam = (json: unknown): json is BetaContentBlockParam => isBlock(json)

/**
 * The blocks after the last `fallback`, where a first model's part of a reply ends. Calls before it do not count: they must not
 * be run, and get no result.
 */
export const live = <B extends { readonly type: string }>(content: ReadonlyArray<B>): ReadonlyArray<B> =>
  content.slice(content.findLastIndex(({ type }) => type === "fallback") + 1)

const bound: ReadonlySet<string> = new Set(["tool_use", "thinking", "redacted_thinking"])

/** What goes back: all as it came, less what a first model left undone, and blank texts, which the API refuses. */
export const sendable = (content: ReadonlyArray<BetaContentBlockParam>): Array<BetaContentBlockParam> => {
  const liveFrom = content.length - live(content).length
  return content.filter((block, i) =>
    !(i < liveFrom && bound.has(block.type)) && !(block.type === "text" && block.text.trim() === "")
  )
}
