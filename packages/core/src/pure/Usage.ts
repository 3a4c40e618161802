/** What replies cost in tokens, and how that adds up. Everything billed is counted, cached or not. */
import * as Schema from "effect/Schema"

const Tokens = Schema.Natural

/** Tokens of one reply or of many: whole numbers from 0 up. */
export const Usage = Schema.Struct({
  /** Input read at the full price. */
  input: Tokens,
  /** Input written into the provider's cache. */
  cacheWrite: Tokens,
  /** Input read from the provider's cache. */
  cacheRead: Tokens,
  /** Output, thinking included. */
  output: Tokens
})
export type Usage = typeof Usage.Type

export const zero: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 }

/** A usage of which only some parts are told; the rest is 0. */
export const make = (parts: Partial<Usage>): Usage => ({ ...zero, ...parts })

export const add = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheRead: a.cacheRead + b.cacheRead,
  output: a.output + b.output
})

/** All tokens billed: the four parts together. This is what `maxTokens` is held against. */
export const total = (usage: Usage): number => usage.input + usage.cacheWrite + usage.cacheRead + usage.output
