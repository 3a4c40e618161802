/**
 * What Claude models cost, as data. From Anthropic's pricing pages of September and October 2026; change it here when they do. The
 * cache's multipliers are each model's own.
 */

/** US dollars for a million tokens, and what reading and writing the cache costs of the input's price. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
}

interface Tiered extends Price {
  /** The price of a request whose prompt is longer than so many tokens. */
  readonly long?: { readonly over: number; readonly price: Price }
}

const writes = { cacheWrite5m: 1.25, cacheWrite1h: 2 }

const prices: ReadonlyMap<string, Tiered> = new Map([
  ["claude-opus-5-5", { input: 4, output: 20, cacheRead: 0.05, ...writes }],
  ["claude-sonnet-5-5", { input: 2, output: 10, cacheRead: 0.05, ...writes }],
  ["claude-sonnet-5", { input: 2, output: 10, cacheRead: 0.1, ...writes }],
  ["claude-opus-5", { input: 5, output: 25, cacheRead: 0.1, ...writes }],
  ["claude-fable-5-1", { input: 10, output: 50, cacheRead: 0.025, ...writes }],
  ["claude-haiku-5-5", {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.1,
    ...writes,
    long: { over: 100_000, price: { input: 0.5, output: 2.5, cacheRead: 0.1, ...writes } }
  }]
])

/** One search by the provider's own tool, in US dollars. */
export const webSearch = 0.01

/** Serving from the United States alone costs so much more. */
export const unitedStates = 1.1

/** A model's price for a prompt of so many tokens. A dated name (`…-20261001`) is the model's. Nothing where it is not known. */
export const of = (model: string, promptTokens: number): Price | undefined => {
  const price = prices.get(model.replace(/-\d{8}$/, ""))
  return price?.long !== undefined && promptTokens > price.long.over ? price.long.price : price
}
