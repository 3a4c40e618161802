/** What a message used and cost. Proxies leave out most of it: what is missing counts as 0 tokens, and null as missing. */
import { Json, Usage } from "@levain/core"
import * as Prices from "./Prices.ts"

/**
 * The usage of one message. Where the API lists its parts (`iterations`: a declined attempt, a compaction) they are summed, each at
 * its own model's price, since the figures above them leave some out. No `cost` where a model has no known price.
 */
export const usage = (model: string, told: Json.JsonObject): Usage.Usage => {
  const { iterations } = told
  const parts = Array.isArray(iterations) ? iterations.filter(Json.isObject) : []
  const sum = (parts.length === 0 ? [told] : parts)
    .map((part) => partUsage(wordOr(part["model"], model), part))
    .reduce(Usage.add, Usage.zero)
  // A fast reply has a price of its own, which is not in the table.
  if (sum.cost === undefined || told["speed"] === "fast") return withoutCost(sum)
  const search = Json.isObject(told["server_tool_use"]) ? count(told["server_tool_use"]["web_search_requests"]) : 0
  const place = told["inference_geo"] === "us" ? Prices.unitedStates : 1
  return { ...sum, cost: sum.cost * place + search * Prices.webSearch }
}

/** The same tokens, at a cost that is not known. */
export const withoutCost = ({ cacheRead, cacheWrite, input, output }: Usage.Usage): Usage.Usage => ({
  input,
  cacheWrite,
  cacheRead,
  output
})

const partUsage = (model: string, part: Json.JsonObject): Usage.Usage => {
  const tokens = {
    input: count(part["input_tokens"]),
    cacheWrite: count(part["cache_creation_input_tokens"]),
    cacheRead: count(part["cache_read_input_tokens"]),
    output: count(part["output_tokens"])
  }
  const price = Prices.of(model, tokens.input + tokens.cacheWrite + tokens.cacheRead)
  // Where the API told nothing, nothing is known.
  if (price === undefined || typeof part["output_tokens"] !== "number") return tokens
  const written = part["cache_creation"]
  const longer = Math.min(
    tokens.cacheWrite,
    Json.isObject(written) ? count(written["ephemeral_1h_input_tokens"]) : 0
  )
  const input = tokens.input + tokens.cacheRead * price.cacheRead +
    (tokens.cacheWrite - longer) * price.cacheWrite5m + longer * price.cacheWrite1h
  return { ...tokens, cost: (input * price.input + tokens.output * price.output) / 1_000_000 }
}

const count = (json: Json.Json | undefined): number =>
  typeof json === "number" && Number.isSafeInteger(json) && json > 0 ? json : 0

const wordOr = (json: Json.Json | undefined, word: string): string => typeof json === "string" ? json : word
