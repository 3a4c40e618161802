/** What a run may spend of the budget of the run that called it: its share of what that one has left. */
import * as Schema from "effect/Schema"
import { type Limits, nothingSpent, Spent } from "./Limits.ts"
import * as Usage from "./Usage.ts"

/** What may be spent in all, of each limit that the caller has. Turns are each run's own. */
export const Share = Schema.Struct({
  tokens: Schema.optionalKey(Schema.Natural),
  cost: Schema.optionalKey(Usage.Dollars),
  time: Schema.optionalKey(Schema.Natural)
})
export type Share = typeof Share.Type

/** A run that was called: what it has spent so far, and its share, once it has one. */
export interface Called {
  readonly spent?: Spent
  readonly share?: Share
}

/**
 * The shares of runs that begin together: what the caller has left, without what others at work may still spend, in equal parts. Time is
 * not split: it passes for all of them at once. Nothing where the caller has no such limit.
 */
export const divide = (
  current: Spent,
  limits: Limits,
  starting: ReadonlyArray<Called>,
  atWork: ReadonlyArray<Called>
): ReadonlyArray<Share> => {
  const part = (limit: number, of: (spent: Spent) => number, key: "tokens" | "cost"): number => {
    const held = atWork.reduce((sum, one) => sum + Math.max(0, (one.share?.[key] ?? 0) - of(spentBy(one))), 0)
    return Math.max(0, limit - of(current) - held) / starting.length
  }
  const { maxCost, maxDuration, maxTokens } = limits
  return starting.map((one): Share => ({
    ...(maxTokens === undefined
      ? {}
      : { tokens: tokensOf(spentBy(one)) + Math.floor(part(maxTokens, tokensOf, "tokens")) }),
    ...(maxCost === undefined ? {} : { cost: mostCost(costOf(spentBy(one)) + part(maxCost, costOf, "cost")) }),
    ...(maxDuration === undefined ? {} : { time: spentBy(one).elapsed + Math.max(0, maxDuration - current.elapsed) })
  }))
}

const spentBy = ({ spent }: Called): Spent => spent ?? nothingSpent

const tokensOf = ({ usage }: Spent): number => Usage.total(usage)

/** A cost that is not known is taken for too much. */
const costOf = ({ usage }: Spent): number => usage.cost ?? Infinity

const mostCost = (cost: number): number => Number.isFinite(cost) ? cost : 0

/** Whether limits have anything that is shared. */
export const isBudgeted = ({ maxCost, maxDuration, maxTokens }: Limits): boolean =>
  maxTokens !== undefined || maxCost !== undefined || maxDuration !== undefined

/** An agent's own limits, or its share where that is less. Undefined where it has no share to begin with. */
export const within = (own: Limits, { cost, time, tokens }: Share): Limits | undefined =>
  tokens === 0 || cost === 0 || time === 0 ? undefined : {
    ...own,
    ...(tokens === undefined ? {} : { maxTokens: Math.min(own.maxTokens ?? Infinity, tokens) }),
    ...(cost === undefined ? {} : { maxCost: Math.min(own.maxCost ?? Infinity, cost) }),
    ...(time === undefined ? {} : { maxDuration: Math.min(own.maxDuration ?? Infinity, time) })
  }
