/** What a run may spend of the budget of the run that called it: its share of what that one has left. */
import type { Limits, Spent } from "./Limits.ts"
import * as Usage from "./Usage.ts"

/** What may be spent, of each limit that the caller has. Turns are each run's own. */
export interface Share {
  readonly tokens?: number
  readonly cost?: number
  readonly time?: number
}

/** An equal share for each of the agents that start together. Time is not split: it passes for all of them at once. */
export const of = ({ elapsed, usage }: Spent, { maxCost, maxDuration, maxTokens }: Limits, agents: number): Share => ({
  ...(maxTokens === undefined ? {} : { tokens: Math.floor((maxTokens - Usage.total(usage)) / agents) }),
  ...(maxCost === undefined ? {} : { cost: (maxCost - (usage.cost ?? Infinity)) / agents }),
  ...(maxDuration === undefined ? {} : { time: maxDuration - elapsed })
})

/** An agent's own limits, or its share where that is less. Undefined where nothing is left for it. `spent` is what it has spent before. */
export const within = (own: Limits, { cost, time, tokens }: Share, { elapsed, usage }: Spent): Limits | undefined => {
  if ((tokens ?? 1) < 1 || (time ?? 1) < 1 || !((cost ?? 1) > 0)) return undefined
  return {
    ...own,
    ...(tokens === undefined ? {} : { maxTokens: Math.min(own.maxTokens ?? Infinity, Usage.total(usage) + tokens) }),
    ...(cost === undefined ? {} : { maxCost: Math.min(own.maxCost ?? Infinity, (usage.cost ?? 0) + cost) }),
    ...(time === undefined ? {} : { maxDuration: Math.min(own.maxDuration ?? Infinity, elapsed + time) })
  }
}
