/**
 * What Claude said, kept as it came: one list of blocks for each message of the reply (more than one where it was paused and went
 * on). It stands in a reply's `native`, so that thinking, signatures and blocks we do not know go back unchanged, also from
 * another process.
 */
import type { BetaContentBlockParam } from "@anthropic-ai/sdk/resources/beta/messages/messages"
import { Json, type Reply } from "@levain/core"

/** The provider's name in `native`. */
export const provider = "anthropic"

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
 * The blocks of a reply after its last `fallback`, where a first model's part ends. Calls before it do not count: they must not
 * be run, and get no result. The messages of a paused reply are one to the API.
 */
export const live = <B extends { readonly type: string }>(
  contents: ReadonlyArray<ReadonlyArray<B>>
): ReadonlyArray<B> => contents.flat().slice(lastFallback(contents) + 1)

const lastFallback = (contents: ReadonlyArray<ReadonlyArray<{ readonly type: string }>>): number =>
  contents.flat().findLastIndex(({ type }) => type === "fallback")

const bound: ReadonlySet<string> = new Set(["tool_use", "thinking", "redacted_thinking"])

/**
 * What goes back: all as it came, less what a first model left undone, blank texts, which the API refuses, and calls of a message
 * that was only paused, which never ran. Messages that are left empty are left out.
 */
export const sendable = (contents: Contents, isWhole: boolean): ReadonlyArray<Array<BetaContentBlockParam>> => {
  const liveFrom = lastFallback(contents) + 1
  let position = -1
  return contents.map((content, i) =>
    content.filter((block) => {
      position = position + 1
      if (position < liveFrom && bound.has(block.type)) return false
      if (block.type === "tool_use" && !(isWhole && i === contents.length - 1)) return false
      return !isBlankText(block)
    })
  ).filter((content) => content.length > 0)
}

/** A proxy may leave out the text of a text block. */
const isBlankText = (block: { readonly type: string; readonly text?: unknown }): boolean =>
  block.type === "text" && (typeof block.text !== "string" || block.text.trim() === "")
