/** Flags and environment as the values and Layers a run is made of. */
import { Bakery, BakeryTools } from "@levain/bakery"
import { type Agent, Limits, type Tool, type Toolset } from "@levain/core"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { UsageError } from "./Ending.ts"

const limitFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("number"), Flag.optional, Flag.withDescription(description))

export const limitFlags = {
  maxTurns: limitFlag("max-turns", "How often the model is asked at most (the agent's own limit: 6)"),
  maxTokens: limitFlag(
    "max-tokens",
    "After how many tokens the model is not asked again (the agent's own limit: 50000)"
  )
}

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print the run's events instead, one JSON object a line")
)

/** Limit flags as they were written. */
export interface LimitFlags {
  readonly maxTurns: Option.Option<string>
  readonly maxTokens: Option.Option<string>
}

/** The agent with the limits that were given in place of its own. */
export const withLimits = (agent: Agent.Agent, flags: LimitFlags): Effect.Effect<Agent.Agent, UsageError> =>
  Effect.fromResult(Limits.fromOptions({
    maxTurns: Option.match(flags.maxTurns, { onNone: () => agent.limits.maxTurns, onSome: toNumber }),
    maxTokens: Option.match(flags.maxTokens, { onNone: () => agent.limits.maxTokens, onSome: toNumber })
  })).pipe(
    Effect.map((limits) => ({ ...agent, limits })),
    Effect.mapError(({ field }) => refused(field, flags))
  )

/** The limits that were given, for a run that has its own; nothing where none were. */
export const limitsOf = Effect.fnUntraced(function*(
  flags: LimitFlags
): Effect.fn.Return<Limits.Options | undefined, UsageError> {
  if (Option.isNone(flags.maxTurns) && Option.isNone(flags.maxTokens)) return undefined
  const limits = Limits.fromOptions({
    ...Option.match(flags.maxTurns, { onNone: () => ({}), onSome: (text) => ({ maxTurns: toNumber(text) }) }),
    ...Option.match(flags.maxTokens, { onNone: () => ({}), onSome: (text) => ({ maxTokens: toNumber(text) }) })
  })
  return yield* Effect.mapError(Effect.fromResult(limits), ({ field }) => refused(field, flags))
})

const refused = (field: Limits.InvalidLimit["field"], flags: LimitFlags): UsageError =>
  new UsageError({
    message: `${flagOf[field]} must be a whole number from 1 up, not ${
      Option.getOrElse(flags[field], () => "") || "empty"
    }.`
  })

const toNumber = (text: string): number => text.trim() === "" ? NaN : Number(text)

const flagOf = { maxTurns: "--max-turns", maxTokens: "--max-tokens" } as const

/** The bakery's tools on its example data. */
export const Tools: Layer.Layer<Toolset.Toolset, Tool.InvalidTool> = BakeryTools.layer.pipe(
  Layer.provide(Bakery.layerExample)
)
