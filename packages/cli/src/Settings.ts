/** Flags as the values a run is made of. */
import { type Agent, Limits } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "./Ending.ts"

/** How a run is shown that a command plays. */
export interface ShowFlags {
  readonly json: boolean
  readonly quiet: boolean
}

/** Limit flags as they were written. */
export interface LimitFlags {
  readonly maxTurns: Option.Option<string>
  readonly maxTokens: Option.Option<string>
  readonly maxCost: Option.Option<string>
  readonly maxDuration: Option.Option<string>
  readonly maxRepeats: Option.Option<string>
  readonly finalAnswer: Option.Option<boolean>
}

/** The agent with the limits that were given in place of its own. */
export const withLimits = (
  agent: Agent.Agent<unknown>,
  flags: LimitFlags
): Effect.Effect<Agent.Agent<unknown>, UsageError> =>
  Effect.map(checked({ ...agent.limits, ...given(flags) }, flags), (limits) => ({ ...agent, limits }))

/** The limits that were given, for a run that has its own; nothing where none were. */
export const limitsOf = (flags: LimitFlags): Effect.Effect<Limits.Options | undefined, UsageError> => {
  const options = given(flags)
  return Object.keys(options).length === 0 ? Effect.undefined : checked(options, flags)
}

const checked = (options: Limits.Options, flags: LimitFlags): Effect.Effect<Limits.Limits, UsageError> =>
  Effect.mapError(
    Effect.fromResult(Limits.fromOptions(options)),
    ({ field, takes }) =>
      new UsageError({
        message: `${flagOf[field]} must be ${takes}, not ${Option.getOrElse(flags[field], () => "") || "empty"}.`
      })
  )

const given = (flags: LimitFlags): Limits.Options => ({
  ...Option.match(flags.maxTurns, { onNone: () => ({}), onSome: (text) => ({ maxTurns: toNumber(text) }) }),
  ...Option.match(flags.maxTokens, { onNone: () => ({}), onSome: (text) => ({ maxTokens: toNumber(text) }) }),
  ...Option.match(flags.maxCost, { onNone: () => ({}), onSome: (text) => ({ maxCost: toNumber(text) }) }),
  ...Option.match(flags.maxDuration, { onNone: () => ({}), onSome: (text) => ({ maxDuration: toMillis(text) }) }),
  ...Option.match(flags.maxRepeats, { onNone: () => ({}), onSome: (text) => ({ maxRepeats: toNumber(text) }) }),
  ...Option.match(flags.finalAnswer, { onNone: () => ({}), onSome: (finalAnswer) => ({ finalAnswer }) })
})

const toNumber = (text: string): number => text.trim() === "" ? NaN : Number(text)

/** `30s`, `30 seconds`, `5 min`, `1h`; a number alone is seconds. */
const toMillis = (text: string): number => {
  const seconds = toNumber(text)
  if (!Number.isNaN(seconds)) return seconds * 1000
  const [, amount, unit] = text.trim().match(/^([\d.]+) ?([a-z]+)$/i) ?? []
  return toNumber(amount ?? "") * (millisIn.find(([name]) => name.test(unit ?? ""))?.[1] ?? NaN)
}

const millisIn = [
  [/^(ms|millis|milliseconds?)$/i, 1],
  [/^(s|sec|seconds?)$/i, 1000],
  [/^(m|min|minutes?)$/i, 60_000],
  [/^(h|hours?)$/i, 3_600_000]
] as const

const flagOf = {
  maxTurns: "--max-turns",
  maxTokens: "--max-tokens",
  maxCost: "--max-cost",
  maxDuration: "--max-duration",
  maxRepeats: "--max-repeats"
} as const
