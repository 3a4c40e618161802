/** The calls of a reply, each from the question whether it needs a person to its result: every step is recorded before the next. */
import * as Effect from "effect/Effect"
import type { JournalError } from "./Journal.ts"
import { ParentRun, type Tree } from "./ParentRun.ts"
import type { Pending } from "./pure/Approval.ts"
import type { PlacedCall } from "./pure/Command.ts"
import type { Json } from "./pure/Json.ts"
import type { Limits } from "./pure/Limits.ts"
import * as Share from "./pure/Share.ts"
import { type CallPlace, mendResult, type ToolCall } from "./pure/ToolCall.ts"
import type { Fatal } from "./pure/ToolFailure.ts"
import { after } from "./Ready.ts"
import type { RunLog } from "./RunLog.ts"
import { CurrentCall, CurrentProgress, free, type ToolSpec } from "./Tool.ts"
import type { Toolset } from "./Toolset.ts"

/** What the calls of a run share. */
export interface Caller {
  readonly log: RunLog
  readonly toolset: Toolset["Service"]
  readonly limits: Limits
  readonly tree: Tree
}

/** Runs calls together. What is left of the budget is shared out first among those that are agents and have no share yet. */
export const runCalls = (
  caller: Caller,
  calls: ReadonlyArray<PlacedCall>
): Effect.Effect<void, Fatal | JournalError> => {
  const [first, ...others] = calls
  const running = first !== undefined && others.length === 0
    ? Effect.suspend(() => run(caller, first))
    : Effect.forEach(calls, (call) => run(caller, call), { concurrency: "unbounded", discard: true })
  return Share.isBudgeted(caller.limits) ? Effect.andThen(shareOut(caller, calls), running) : running
}

const shareOut = Effect.fnUntraced(function*(
  { limits, log, toolset }: Caller,
  calls: ReadonlyArray<PlacedCall>
): Effect.fn.Return<void, JournalError> {
  const { current, open } = log.state()
  const starting = calls.filter(({ call, place }) =>
    specOf(toolset, call)?.isAgent === true && open[place.index]?.share === undefined
  )
  const atWork = open.filter(({ result, share }) => result === undefined && share !== undefined)
  const parts = Share.divide(current, limits, starting.map(({ place }) => open[place.index] ?? {}), atWork)
  const [first, ...rest] = starting.flatMap(({ place }, i) => {
    const share = parts[i]
    return share === undefined ? [] : [{ place, share }]
  })
  if (first !== undefined) yield* log.record({ _tag: "BudgetShared", shares: [first, ...rest] })
})

const specOf = ({ specs }: Caller["toolset"], { name }: ToolCall): ToolSpec | undefined =>
  specs.find((spec) => spec.name === name)

/** Runs a call and records its result, or that it waits for a person. An approved call asks nobody, and is never begun twice (I6, I8). */
const run = (caller: Caller, placed: PlacedCall): Effect.Effect<void, Fatal | JournalError> => {
  const { approved, call, place } = placed
  const { runId } = caller.log.state()
  const reviewed = approved === undefined ? caller.toolset.review(call) : Effect.succeed(free)
  const running = after(reviewed, (review) =>
    review._tag === "NeedsPerson"
      ? ask(caller, place, [{ runId, place, tool: call.name, input: review.input, why: review.why }])
      : begin(caller, placed))
  return Effect.provideService(running, CurrentCall, { runId, ...place })
}

const ask = ({ log }: Caller, place: CallPlace, pending: readonly [Pending, ...ReadonlyArray<Pending>]) =>
  log.record({ _tag: "ApprovalAsked", place, pending })

/** A run keeps its own events, so that an agent which is called again goes on: only what is none is said to have begun. */
const begin = (caller: Caller, placed: PlacedCall): Effect.Effect<void, Fatal | JournalError> => {
  const { approved, call, place } = placed
  const spec = specOf(caller.toolset, call)
  if (spec?.isAgent === true) return finish(caller, placed, true)
  if (approved === undefined && spec?.access !== "writes") return finish(caller, placed, false)
  const repeatable = approved === undefined && spec?.idempotent === true
  return Effect.andThen(
    caller.log.record({ _tag: "ToolStarted", place, repeatable }),
    Effect.suspend(() => finish(caller, placed, false))
  )
}

/** A result that came is kept, even where a sibling's `Fatal` ends the run while it waits to be written (I9). */
const finish = (caller: Caller, placed: PlacedCall, isAgent: boolean): Effect.Effect<void, Fatal | JournalError> => {
  const { log, toolset } = caller
  const { approved, call, place } = placed
  const calling = heard(log, placed, toolset.call(approved === undefined ? call : { ...call, input: approved }))
  const alone = isAgent ? Effect.provideService(calling, ParentRun, asParent(caller, placed)) : calling
  return Effect.uninterruptibleMask((restore) =>
    Effect.matchEffect(restore(alone), {
      onFailure: (why) => why._tag === "Suspended" ? ask(caller, place, why.pending) : Effect.fail(why),
      onSuccess: (result) => log.record({ _tag: "ToolFinished", place, result: mendResult(call, result) })
    })
  )
}

const asParent = ({ log, tree }: Caller, { answers = [], place }: PlacedCall): ParentRun => ({
  ...tree,
  share: log.state().open[place.index]?.share ?? {},
  answers,
  report: (spent) => log.record({ _tag: "ToolSpent", place, spent })
})

/** What the call says is heard until it has its result. */
const heard = <A, E, R>(
  { progress }: RunLog,
  { call, place }: PlacedCall,
  calling: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (progress === undefined) return calling
  let isDone = false
  const tell = (said: Json) =>
    Effect.suspend(() => isDone ? Effect.void : progress({ _tag: "Progress", place, tool: call.name, said }))
  return calling.pipe(
    Effect.ensuring(Effect.sync(() => (isDone = true))),
    Effect.provideService(CurrentProgress, tell)
  )
}
