/** The limits of a run, what it has spent, and which limit is crossed first. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Usage from "./Usage.ts"

const FromOneUp = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Dollars = Usage.Dollars.check(Schema.isGreaterThan(0))

/** What keeps a run from going round again. Each but `maxTurns` may be left out, and is none then. */
export const Limits = Schema.Struct({
  /** How often the model is asked at most. */
  maxTurns: FromOneUp,
  /** Once so many tokens are spent, no tool runs and no turn follows. */
  maxTokens: Schema.optionalKey(FromOneUp),
  /** The same in US dollars. A cost that is not known is taken for too much. */
  maxCost: Schema.optionalKey(Dollars),
  /** The same in milliseconds that the run was live. What is at work is not broken off. */
  maxDuration: Schema.optionalKey(FromOneUp),
  /** How often the same call with the same input runs, key order aside. One more is refused, and one after that ends the run. */
  maxRepeats: Schema.optionalKey(FromOneUp),
  /** At a limit the model is asked once more, and may not call tools, so that there are words. The stop is the limit's all the same. */
  finalAnswer: Schema.optionalKey(Schema.Boolean)
})
export type Limits = typeof Limits.Type

/** Limits as a person writes them. A turn limit is not optional, so one left out is `defaultMaxTurns`. */
export interface Options {
  readonly maxTurns?: number | undefined
  readonly maxTokens?: number | undefined
  readonly maxCost?: number | undefined
  /** `"30 seconds"`, or a number of milliseconds. Parts of one are rounded up. */
  readonly maxDuration?: Duration.Input | undefined
  readonly maxRepeats?: number | undefined
  readonly finalAnswer?: boolean | undefined
}

/** The turn limit of a run that names none. */
export const defaultMaxTurns = 10

/** A limit that no run could keep. `field` is the limit's name. */
export class InvalidLimit extends Schema.TaggedError<InvalidLimit>()("InvalidLimit", {
  field: Schema.Literals(["maxTurns", "maxTokens", "maxCost", "maxDuration", "maxRepeats"]),
  /** What the limit takes: `a whole number from 1 up`. */
  takes: Schema.String,
  message: Schema.String
}) {}

/** Checks limits, each by itself. 0, negatives and NaN are refused by the limit's name, and so are fractions of turns and tokens. */
export const fromOptions = (options: Options): Result.Result<Limits, InvalidLimit> =>
  Result.map(
    Result.all({
      maxTurns: count("maxTurns", options.maxTurns ?? defaultMaxTurns),
      maxTokens: optional(options.maxTokens, (value) => count("maxTokens", value)),
      maxCost: optional(options.maxCost, dollars),
      maxDuration: optional(options.maxDuration, millis),
      maxRepeats: optional(options.maxRepeats, (value) => count("maxRepeats", value))
    }),
    ({ maxCost, maxDuration, maxRepeats, maxTokens, maxTurns }) => ({
      maxTurns,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxCost === undefined ? {} : { maxCost }),
      ...(maxDuration === undefined ? {} : { maxDuration }),
      ...(maxRepeats === undefined ? {} : { maxRepeats }),
      ...(options.finalAnswer === undefined ? {} : { finalAnswer: options.finalAnswer })
    })
  )

/** Whether two are the same limits. */
export const isSame = (a: Limits, b: Limits): boolean => keys.every((key) => a[key] === b[key])

const keys = ["maxTurns", "maxTokens", "maxCost", "maxDuration", "maxRepeats", "finalAnswer"] as const

/** `fromOptions` for limits written in code: throws `InvalidLimit`. */
export const make = (options: Options): Limits => Result.getOrThrow(fromOptions(options))

const optional = <A, B>(value: A | undefined, check: (value: A) => Result.Result<B, InvalidLimit>) =>
  value === undefined ? Result.succeed(undefined) : check(value)

const refuse = (field: InvalidLimit["field"], takes: string, value: unknown) =>
  Result.fail(new InvalidLimit({ field, takes, message: `${field} must be ${takes}, not ${String(value)}.` }))

const isFromOneUp = Schema.is(FromOneUp)

const count = (field: "maxTurns" | "maxTokens" | "maxRepeats", value: number): Result.Result<number, InvalidLimit> =>
  isFromOneUp(value) ? Result.succeed(value) : refuse(field, "a whole number from 1 up", value)

/** A number of permits under which nothing could ever run, or which is none. `of` is what takes it. */
export class InvalidPermits extends Schema.TaggedError<InvalidPermits>()("InvalidPermits", {
  of: Schema.Literals(["concurrency", "parallel"]),
  message: Schema.String
}) {}

/** A number of permits: throws `InvalidPermits` for what is no whole number from 1 up. */
export const permits = (of: InvalidPermits["of"], value: number): number => {
  if (isFromOneUp(value)) return value
  throw new InvalidPermits({ of, message: `${of} must be a whole number from 1 up, not ${String(value)}.` })
}

const isDollars = Schema.is(Dollars)

const dollars = (value: number): Result.Result<number, InvalidLimit> =>
  isDollars(value) ? Result.succeed(value) : refuse("maxCost", "a number of US dollars above 0", value)

const millis = (value: Duration.Input): Result.Result<number, InvalidLimit> => {
  const whole = Option.match(Duration.fromInput(value), {
    onNone: () => NaN,
    onSome: (duration) => Math.ceil(Duration.toMillis(duration))
  })
  return isFromOneUp(whole) ? Result.succeed(whole) : refuse("maxDuration", "a time longer than nothing", value)
}

/** What a run has spent: how often its model replied, what the replies cost, and for how many milliseconds it was live. */
export const Spent = Schema.Struct({ turns: Schema.Natural, usage: Usage.Usage, elapsed: Schema.Natural })
export type Spent = typeof Spent.Type

export const nothingSpent: Spent = { turns: 0, usage: Usage.zero, elapsed: 0 }

/** What was spent, in words: `2 turns and 800 tokens`, and `($0.0123)` where it cost something and that is known. */
export const inWords = ({ turns, usage }: Pick<Spent, "turns" | "usage">): string => {
  const tokens = Usage.total(usage)
  const cost = usage.cost === undefined || usage.cost === 0 ? "" : ` ($${usage.cost.toFixed(4)})`
  return `${turns} ${turns === 1 ? "turn" : "turns"} and ${tokens} ${tokens === 1 ? "token" : "tokens"}${cost}`
}

/**
 * The limit that keeps a run from going round again, if one does: turns are checked first, then tokens, cost and time. A limit that
 * is no number is crossed, and so is one on a cost that is not known.
 */
export const crossed = (spent: Spent, limits: Limits): "turns" | "tokens" | "cost" | "time" | undefined => {
  if (!(spent.turns < limits.maxTurns)) return "turns"
  if (limits.maxTokens !== undefined && !(Usage.total(spent.usage) < limits.maxTokens)) return "tokens"
  if (limits.maxCost !== undefined && !((spent.usage.cost ?? Infinity) < limits.maxCost)) return "cost"
  if (limits.maxDuration !== undefined && !(spent.elapsed < limits.maxDuration)) return "time"
  return undefined
}
