/** Flags as the values a run is made of. */
import { type Agent, Limits } from "@levain/core"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "./Ending.ts"

const limitFlag = (name: string, description: string, takes = "number") =>
  Flag.String(name).pipe(Flag.withMetavar(takes), Flag.optional, Flag.withDescription(description))

export const limitFlags = {
  maxTurns: limitFlag("max-turns", "How often the model is asked at most (the agent's own limit: 6)"),
  maxTokens: limitFlag(
    "max-tokens",
    "After how many tokens the model is not asked again (the agent's own limit: 50000)"
  ),
  maxCost: limitFlag("max-cost", "After how many US dollars the model is not asked again (none)"),
  maxDuration: limitFlag(
    "max-duration",
    "After how long the model is not asked again: \"30 seconds\", or 30 (none)",
    "time"
  ),
  maxRepeats: limitFlag(
    "max-repeats",
    "How often the same call with the same input runs (as often as it is asked for)"
  ),
  finalAnswer: Flag.Boolean("final-answer").pipe(
    Flag.optional,
    Flag.withDescription("At a limit, ask the model once more for words, without tools")
  )
}

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print the run's events instead, one JSON object a line")
)

/** How a run is shown that a command plays. */
export const showFlags = {
  json: jsonFlag,
  quiet: Flag.Boolean("quiet").pipe(
    Flag.withAlias("q"),
    Flag.withDefault(false),
    Flag.withDescription("Print the answer alone, or why there is none (with --json, the events all the same)")
  )
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
export const withLimits = (agent: Agent.Agent, flags: LimitFlags): Effect.Effect<Agent.Agent, UsageError> =>
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
