/**
 * A message put together from its stream events, with nothing lost and nothing guessed: a call whose input is not whole JSON, and a
 * delta of a kind we do not know, are errors, as the message would go back changed. Events of a kind we do not know are passed over.
 */
import { Json } from "@levain/core"
import * as Result from "effect/Result"
import * as Native from "./Native.ts"

export interface Stream {
  /** Takes the next event; says what is wrong with it. */
  readonly add: (event: unknown) => string | undefined
  /** True once the message has begun. */
  readonly isBegun: () => boolean
  /** True once the message is whole. */
  readonly isWhole: () => boolean
  /** The message so far, as JSON. */
  readonly message: () => Json.JsonObject
  /** What is wrong with the whole message. */
  readonly check: () => string | undefined
}

type Fields = { [key: string]: Json.Json }

/** The ends at which a message may be cut in the middle of a call. */
const cutEnds: ReadonlySet<Json.Json | undefined> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"])

export const make = (): Stream => {
  const message: Fields = {}
  const blocks: Array<Fields> = []
  const inputs = new Map<number, string>()
  let begun = false
  let whole = false
  let brokenInput = false

  const start = ({ content_block: block, index }: Json.JsonObject): string | undefined => {
    if (index !== blocks.length || !Native.isBlock(block)) return "a block begins out of order"
    blocks.push({ ...block })
    return undefined
  }
  const delta = (event: Json.JsonObject): string | undefined => {
    const index = Number(event["index"])
    const block = blocks[index]
    const change = event["delta"]
    if (block === undefined || !Json.isObject(change)) return "a delta has no block"
    const kind = Json.word(change["type"] ?? "of no kind")
    switch (kind) {
      case "text_delta":
        return append(block, "text", change["text"])
      case "thinking_delta":
        return append(block, "thinking", change["thinking"])
      case "signature_delta":
        block["signature"] = change["signature"] ?? ""
        return undefined
      case "citations_delta": {
        const { citations } = block
        block["citations"] = [...(Array.isArray(citations) ? citations : []), change["citation"] ?? null]
        return undefined
      }
      case "input_json_delta":
        inputs.set(index, (inputs.get(index) ?? "") + Json.word(change["partial_json"] ?? ""))
        return undefined
      case "compaction_delta": {
        const { type: _, ...values } = change
        Object.assign(block, values)
        return undefined
      }
      default:
        return `it has a delta of the unknown kind ${kind}`
    }
  }
  const stop = (event: Json.JsonObject): undefined => {
    const index = Number(event["index"])
    const written = inputs.get(index) ?? ""
    const block = blocks[index]
    if (block === undefined || written === "") return undefined
    const input = Result.try((): unknown => JSON.parse(written))
    const json = Result.flatMap(input, Json.fromUnknown)
    if (Result.isSuccess(json)) block["input"] = json.success
    else brokenInput = true
    return undefined
  }
  const change = ({ delta, usage, ...rest }: Json.JsonObject): undefined => {
    const { index: _, type: __, ...values } = rest
    Object.assign(message, values, Json.isObject(delta) ? delta : {})
    message["usage"] = { ...asObject(message["usage"]), ...withoutNull(asObject(usage)) }
    return undefined
  }

  const addEvent = (event: Json.JsonObject): string | undefined => {
    switch (Json.word(event["type"] ?? "")) {
      case "message_start":
        if (!Json.isObject(event["message"])) return "it has no beginning"
        begun = true
        Object.assign(message, event["message"])
        return undefined
      case "content_block_start":
        return begun ? start(event) : "it has no beginning"
      case "content_block_delta":
        return delta(event)
      case "content_block_stop":
        return stop(event)
      case "message_delta":
        return change(event)
      case "message_stop":
        whole = true
        return undefined
      default:
        return undefined
    }
  }
  return {
    add: (event) => {
      const json = Json.fromUnknown(event)
      return Result.isSuccess(json) && Json.isObject(json.success) ? addEvent(json.success) : "an event is no object"
    },
    isBegun: () => begun,
    isWhole: () => whole,
    message: () => ({ ...message, content: blocks }),
    check: () =>
      brokenInput && !cutEnds.has(message["stop_reason"]) ? "the input of a call is not whole JSON" : undefined
  }
}

const append = (block: Fields, key: string, more: Json.Json | undefined): string | undefined => {
  const before = block[key]
  if (typeof before !== "string" || typeof more !== "string") return `a ${key} delta belongs to another kind of block`
  block[key] = before + more
  return undefined
}

const asObject = (json: Json.Json | undefined): Json.JsonObject => Json.isObject(json) ? json : {}

/** Counters are totals, and left out or null where they do not apply. */
const withoutNull = (counters: Json.JsonObject): Json.JsonObject =>
  Object.fromEntries(Object.entries(counters).filter(([, value]) => value !== null))
