/** What replies cost in tokens and money, and how that adds up. Everything billed is counted, cached or not. */
import * as Schema from "effect/Schema"

const Tokens = Schema.Natural

/** US dollars, from 0 up, and no negative zero, which JSON would lose. */
export const Dollars = Schema.Finite.check(
  Schema.isGreaterThanOrEqualTo(0),
  Schema.makeFilter((dollars) => !Object.is(dollars, -0), { expected: "a cost" })
)

/** Tokens of one reply or of many: whole numbers from 0 up. */
export const Usage = Schema.Struct({
  /** Input read at the full price. */
  input: Tokens,
  /** Input written into the provider's cache. */
  cacheWrite: Tokens,
  /** Input read from the provider's cache. */
  cacheRead: Tokens,
  /** Output, thinking included. */
  output: Tokens,
  /** What it cost in US dollars. Left out where that is not known: unknown is never 0. */
  cost: Schema.optionalKey(Dollars)
})
export type Usage = typeof Usage.Type

/** Nothing was used, and so nothing was paid. */
export const zero: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0, cost: 0 }

/** A usage of which only some parts are told: the other tokens are 0, and a cost left out is not known. */
export const make = (parts: Partial<Usage>): Usage => ({ input: 0, cacheWrite: 0, cacheRead: 0, output: 0, ...parts })

/** Both together, up to the largest whole number. The cost is known only where both are, and their sum is a number. */
export const add = (a: Usage, b: Usage): Usage => ({
  input: atMost(a.input + b.input),
  cacheWrite: atMost(a.cacheWrite + b.cacheWrite),
  cacheRead: atMost(a.cacheRead + b.cacheRead),
  output: atMost(a.output + b.output),
  ...costOf((a.cost ?? NaN) + (b.cost ?? NaN))
})

/** What came to `before` until it was `after`: never less than nothing. The cost is known only where both are. */
export const since = (before: Usage, after: Usage): Usage => ({
  input: Math.max(0, after.input - before.input),
  cacheWrite: Math.max(0, after.cacheWrite - before.cacheWrite),
  cacheRead: Math.max(0, after.cacheRead - before.cacheRead),
  output: Math.max(0, after.output - before.output),
  ...costOf(Math.max(0, (after.cost ?? NaN) - (before.cost ?? NaN)))
})

const atMost = (tokens: number): number => Math.min(tokens, Number.MAX_SAFE_INTEGER)

/** Makes whatever an adapter counted a usage: what is no count is 0 tokens, what is no cost is not known. */
export const mend = (usage: Usage): Usage => ({
  input: mendTokens(usage.input),
  cacheWrite: mendTokens(usage.cacheWrite),
  cacheRead: mendTokens(usage.cacheRead),
  output: mendTokens(usage.output),
  ...costOf(usage.cost)
})

const mendTokens = (tokens: number): number => tokens > 0 ? atMost(Math.ceil(tokens)) : 0

/** As the Schema says, without asking it: every reply is counted. */
const isDollars = (cost: number | undefined): cost is number =>
  cost !== undefined && Number.isFinite(cost) && cost >= 0 && !Object.is(cost, -0)

const costOf = (cost: number | undefined): { readonly cost?: number } => isDollars(cost) ? { cost } : {}

/** All tokens billed: the four parts together. This is what `maxTokens` is held against. */
export const total = (usage: Usage): number => usage.input + usage.cacheWrite + usage.cacheRead + usage.output
