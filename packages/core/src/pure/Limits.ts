/** The limits of a run, what it has spent, and which limit is crossed first. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Usage from "./Usage.ts"

const FromOneUp = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/**
 * What keeps a run from going round again. `maxTurns` is how often the model is asked at most; `maxTokens` the
 * tokens after whose spending no tool runs and no turn follows. No `maxTokens` means no limit on tokens.
 */
export const Limits = Schema.Struct({ maxTurns: FromOneUp, maxTokens: Schema.optionalKey(FromOneUp) })
export type Limits = typeof Limits.Type

/** Limits as a person writes them. A turn limit is not optional, so one left out is `defaultMaxTurns`. */
export interface Options {
  readonly maxTurns?: number | undefined
  readonly maxTokens?: number | undefined
}

/** The turn limit of a run that names none. */
export const defaultMaxTurns = 10

/** A limit that no run could keep. `field` is the limit's name. */
export class InvalidLimit extends Schema.TaggedError<InvalidLimit>()("InvalidLimit", {
  field: Schema.Literals(["maxTurns", "maxTokens"]),
  message: Schema.String
}) {}

/** Checks limits: each a whole number from 1 up, or left out. 0, negatives, fractions and NaN are refused by name. */
export const fromOptions = (options: Options): Result.Result<Limits, InvalidLimit> =>
  Result.gen(function*() {
    const maxTurns = yield* check("maxTurns", options.maxTurns ?? defaultMaxTurns)
    if (options.maxTokens === undefined) return { maxTurns }
    return { maxTurns, maxTokens: yield* check("maxTokens", options.maxTokens) }
  })

/** `fromOptions` for limits written in code: throws `InvalidLimit`. */
export const make = (options: Options): Limits => Result.getOrThrow(fromOptions(options))

const isFromOneUp = Schema.is(FromOneUp)

const check = (field: InvalidLimit["field"], value: number): Result.Result<number, InvalidLimit> =>
  isFromOneUp(value)
    ? Result.succeed(value)
    : Result.fail(
      new InvalidLimit({ field, message: `${field} must be a whole number from 1 up, not ${String(value)}.` })
    )

/** What a run has spent: how often its model replied, and what the replies cost. */
export const Spent = Schema.Struct({ turns: Schema.Natural, usage: Usage.Usage })
export type Spent = typeof Spent.Type

export const nothingSpent: Spent = { turns: 0, usage: Usage.zero }

/** What was spent after `before`, which is a part of it. */
export const since = (spent: Spent, before: Spent): Spent => ({
  turns: spent.turns - before.turns,
  usage: Usage.subtract(spent.usage, before.usage)
})

/** What was spent, in words: `2 turns and 800 tokens`, and `($0.0123)` where it cost something and that is known. */
export const inWords = ({ turns, usage }: Spent): string => {
  const tokens = Usage.total(usage)
  const cost = usage.cost === undefined || usage.cost === 0 ? "" : ` ($${usage.cost.toFixed(4)})`
  return `${turns} ${turns === 1 ? "turn" : "turns"} and ${tokens} ${tokens === 1 ? "token" : "tokens"}${cost}`
}

/** The limit that keeps a run from going round again, if one does. Turns are checked before tokens. A limit that is no number is crossed. */
export const crossed = (spent: Spent, limits: Limits): "turns" | "tokens" | undefined => {
  if (!(spent.turns < limits.maxTurns)) return "turns"
  if (limits.maxTokens !== undefined && !(Usage.total(spent.usage) < limits.maxTokens)) return "tokens"
  return undefined
}
