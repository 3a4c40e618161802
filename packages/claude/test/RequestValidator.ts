/**
 * Refuses what the real Messages API refuses with a 400, so that no test passes on a request that Claude would not take. One validator
 * watches one conversation: it knows what the API said and what was sent before.
 */
import { isDeepStrictEqual } from "node:util"
import type { Block, Body, JsonSchema, Message } from "./wire.ts"

export interface Validator {
  /** What is wrong with a request, or nothing. A good one is remembered. */
  readonly check: (rawBody: string, headers: Record<string, unknown>) => string | undefined
  /** The next request need not begin as the last one did: what a model said that declined, or was replaced, does not go back whole. */
  readonly beginAnew: () => void
  /** Remembers what the API said. */
  readonly served: (content: ReadonlyArray<Block>, stopReason: string) => void
}

export const make = (): Validator => {
  const said: Array<{ readonly content: ReadonlyArray<Block>; readonly stopReason: string }> = []
  let before: Body | undefined
  return {
    beginAnew: () => {
      before = undefined
    },
    served: (content, stopReason) => said.push({ content, stopReason }),
    check: (raw, headers) => {
      const body: Body = JSON.parse(raw)
      const wrong = firstOf([
        () => checkHead(body, headers),
        () => checkText(raw, body),
        () => checkTools(body),
        () => checkMarkers(body),
        () => checkMessages(body, said),
        () => checkPrefix(body, before)
      ])
      if (wrong === undefined) before = unmarked(body)
      return wrong
    }
  }
}

const firstOf = (checks: ReadonlyArray<() => string | undefined>): string | undefined => {
  for (const check of checks) {
    const wrong = check()
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const checkHead = (body: Body, headers: Record<string, unknown>): string | undefined => {
  if (!/^Bearer \S+$/.test(String(headers["authorization"]))) return "there is no bearer token"
  const unknown = Object.keys(body).find((key) => !fields.has(key))
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`
  if (typeof body["model"] !== "string" || !/^\S+$/.test(body["model"])) return "model: Field required"
  if (!efforts.has(body.output_config?.effort)) return "output_config.effort: Input should be low, medium, …"
  if (Array.isArray(body.fallbacks) && body.fallbacks.length > 3) return "fallbacks: at most 3"
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return "max_tokens: Field required"
  if (["any", "tool"].includes(body.tool_choice?.type ?? "")) {
    return "tool_choice: type \"tool\" and \"any\" are not supported"
  }
  if (["disabled", "enabled"].includes(body.thinking?.type ?? "")) return "thinking.type is not supported"
  const betas = String(headers["anthropic-beta"])
  if (body.fallbacks !== undefined && !betas.includes("server-side-fallback-2026-07-01")) {
    return "fallbacks: Extra inputs are not permitted"
  }
  return undefined
}

const fields: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "stream",
  "output_config",
  "thinking",
  "fallbacks",
  "system",
  "tools",
  "tool_choice",
  "messages"
])

const efforts: ReadonlySet<unknown> = new Set([undefined, "low", "medium", "high", "xhigh", "max"])

const blocksOf = (message: Message): ReadonlyArray<Block> =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content

const inside = (block: Block): ReadonlyArray<Block> =>
  block.type !== "tool_result" || block.content === undefined
    ? []
    : typeof block.content === "string"
    ? [{ type: "text", text: block.content }]
    : block.content

const checkText = (raw: string, body: Body): string | undefined => {
  if (!isWellFormed(JSON.parse(raw)) || !raw.isWellFormed()) return "the request body is not valid JSON: lone surrogate"
  const texts = [...(body.system ?? []), ...body.messages.flatMap(blocksOf)].flatMap((b) => [b, ...inside(b)])
  return texts.some((block) => block.type === "text" && block.text?.trim() === "")
    ? "text content blocks must be non-empty"
    : undefined
}

const isWellFormed = (json: unknown): boolean => {
  if (typeof json === "string") return json.isWellFormed()
  return typeof json !== "object" || json === null ||
    Object.entries(json).every(([key, value]) => key.isWellFormed() && isWellFormed(value))
}

const name = /^[a-zA-Z0-9_-]{1,64}$/

const checkTools = (body: Body): string | undefined => {
  const tools = body.tools ?? []
  if (new Set(tools.map((tool) => tool.name)).size < tools.length) return "tools: Tool names must be unique"
  if (!tools.every((tool) => name.test(tool.name))) return "tools.N.custom.name: String should match pattern"
  const strict = tools.filter((tool) => tool.strict === true)
  if (strict.length > 20) return "too many strict tools"
  const schemas = strict.flatMap((tool) => [...nodes(tool.input_schema)])
  const optional = schemas.reduce(
    (n, s) => n + Object.keys(s.properties ?? {}).filter((key) => !(s.required ?? []).includes(key)).length,
    0
  )
  if (optional > 24) return "too many optional parameters in strict tools"
  if (schemas.filter((schema) => schema.anyOf !== undefined).length > 16) {
    return "too many union types in strict tools"
  }
  const open = schemas.find((s) => s.type === "object" && s.additionalProperties !== false)
  if (open !== undefined) return "additionalProperties must be false"
  const refused = schemas.flatMap((schema) => Object.keys(schema)).find((keyword) => unsupported.includes(keyword))
  return refused === undefined ? undefined : `${refused} is not supported`
}

const unsupported = (
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems prefixItems " +
  "not oneOf patternProperties $ref x-expected"
).split(" ")

function* nodes(schema: JsonSchema): Generator<JsonSchema> {
  yield schema
  for (const part of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), schema.items]) {
    if (typeof part === "object" && part !== null) yield* nodes(part)
  }
}

const checkMarkers = (body: Body): string | undefined => {
  const blocks = [...(body.system ?? []), ...body.messages.flatMap(blocksOf)].flatMap((one) => [one, ...inside(one)])
  const marked = blocks.filter((block) => block.cache_control !== undefined)
  const tools = (body.tools ?? []).filter((tool) => tool.cache_control !== undefined)
  if (marked.length + tools.length > 4) return "A maximum of 4 blocks with cache_control may be provided"
  const ttls = [...tools, ...marked].map(({ cache_control }) => JSON.stringify(cache_control))
  if (ttls.some((ttl) => ttl !== markers[0] && ttl !== markers[1])) return "cache_control: unknown ttl"
  if (ttls.lastIndexOf(markers[1]) > ttls.indexOf(markers[0]) && ttls.includes(markers[0])) {
    return "a ttl='1h' cache_control block must not come after a ttl='5m' one"
  }
  return marked.some((block) => /thinking/.test(block.type))
    ? "cache_control cannot be set on thinking blocks"
    : undefined
}

const markers = ["{\"type\":\"ephemeral\"}", "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"] as const

type Said = ReadonlyArray<{ readonly content: ReadonlyArray<Block>; readonly stopReason: string }>

const checkMessages = (body: Body, said: Said): string | undefined => {
  const { messages } = body
  if (messages.some(({ role }) => role !== "user" && role !== "assistant")) return "messages.role: unknown"
  if (messages[0]?.role !== "user") return "messages: first message must use the user role"
  if (messages.some((message) => blocksOf(message).length === 0)) return "messages: content must not be empty"
  const last = messages.at(-1)
  const paused = said.filter(({ stopReason }) => ["pause_turn", "compaction"].includes(stopReason))
  if (last?.role === "assistant" && !paused.some(({ content }) => same(resent(content), resent(blocksOf(last))))) {
    return "does not support assistant message prefill. The conversation must end with a user message"
  }
  return checkCalls(merged(messages)) ?? checkThinking(messages, said)
}

/** What of a paused message goes back for certain: all but calls, thinking and blank texts. */
const resent = (content: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  content.filter(({ text, type }) => !/^(tool_use|thinking|redacted_thinking)$/.test(type) && text?.trim() !== "")

/** Consecutive messages of one role are one to the API. */
const merged = (messages: ReadonlyArray<Message>) => {
  const turns: Array<{ readonly role: string; readonly blocks: Array<Block> }> = []
  for (const message of messages) {
    const turn = turns.at(-1)
    if (turn !== undefined && turn.role === message.role) turn.blocks.push(...blocksOf(message))
    else turns.push({ role: message.role, blocks: [...blocksOf(message)] })
  }
  return turns
}

const checkCalls = (turns: ReturnType<typeof merged>): string | undefined => {
  const ids = new Set<string>()
  for (const [i, { blocks, role }] of turns.entries()) {
    const before = turns[i - 1]?.blocks ?? []
    const asked = role === "user" ? callIds(before) : []
    const results = blocks.filter((block) => block.type === "tool_result")
    const answered = results.map((block) => block.tool_use_id ?? "")
    if (answered.some((id) => !asked.includes(id))) return "unexpected tool_use_id found in tool_result blocks"
    if (new Set(answered).size < answered.length) return "each tool_use must have a single result"
    if (asked.some((id) => !answered.includes(id))) {
      return "tool_use ids were found without tool_result blocks immediately after"
    }
    if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      return "tool_use ids were found without tool_result blocks immediately after: results come first"
    }
    if (role !== "assistant") continue
    for (const block of blocks.filter(({ type }) => type === "tool_use")) {
      const { id = "", input, name: called = "" } = block
      if (ids.has(id)) return "tool_use ids must be unique"
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return "tool_use.id: String should match pattern"
      if (!name.test(called)) return "tool_use.name: String should match pattern"
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        return "tool_use.input: Input should be a valid dictionary"
      }
      ids.add(id)
    }
    const fallback = blocks.findLastIndex(({ type }) => type === "fallback")
    if (blocks.slice(0, fallback + 1).some(({ type }) => /^(tool_use|thinking|redacted_thinking)$/.test(type))) {
      return "blocks before a fallback block must be dropped"
    }
    if (i === turns.length - 1 && callIds(blocks).length > 0) {
      return "tool_use ids were found without tool_result blocks immediately after"
    }
  }
  return undefined
}

const callIds = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> =>
  blocks.filter(({ type }) => type === "tool_use").map((block) => block.id ?? "")

/** Every thinking block is one that was said, and a message that was said goes back with all its live thinking, in order. */
const checkThinking = (messages: ReadonlyArray<Message>, said: Said): string | undefined => {
  const known = said.flatMap(({ content }) => content)
  const sent = messages.filter(({ role }) => role === "assistant").map(blocksOf)
  const isKnown = sent.flat().filter(isThinking).every((block) => known.some((one) => same(one, block)))
  const isComplete = sent.every((blocks) => {
    const calls = blocks.filter(({ type }) => type === "tool_use")
    const origins = said.map(({ content }) =>
      content.slice(content.findLastIndex(({ type }) => type === "fallback") + 1)
    )
      .filter((content) => calls.length > 0 && calls.every((call) => content.some((block) => same(block, call))))
    return origins.length === 0 ||
      origins.some((content) => same(content.filter(isThinking), blocks.filter(isThinking)))
  })
  return isKnown && isComplete
    ? undefined
    : "thinking or redacted_thinking blocks in the latest assistant message cannot be modified"
}

const isThinking = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking"

const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b)

const checkPrefix = (body: Body, before: Body | undefined): string | undefined => {
  if (before === undefined) return undefined
  const now = unmarked(body)
  const [old, all] = [before, now].map((one) => JSON.stringify(one.messages).slice(0, -1))
  const [oldHead, head] = [before, now].map((one) => JSON.stringify({ ...one, messages: [] }))
  return oldHead === head && all?.startsWith(old ?? "")
    ? undefined
    : "thinking block is bound to a different conversation"
}

/** The body without its cache markers, keys in the order they were sent. */
const unmarked = (body: Body): Body =>
  JSON.parse(JSON.stringify(body, (key, value) => key === "cache_control" ? undefined : value))
