/** The calls of a reply, each from the question whether it needs a person to its result: every step is recorded before the next. */
import * as Effect from "effect/Effect"
import type { JournalError } from "./Journal.ts"
import { ParentRun, type Tree } from "./ParentRun.ts"
import type { Pending } from "./pure/Approval.ts"
import type { PlacedCall } from "./pure/Command.ts"
import type { Json } from "./pure/Json.ts"
import type { Limits } from "./pure/Limits.ts"
import * as Share from "./pure/Share.ts"
import { type CallPlace, mendResult } from "./pure/ToolCall.ts"
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
export const runCalls = (caller: Caller) => {
  const specs = new Map(caller.toolset.specs.map((spec) => [spec.name, spec]))
  const run = runCall(caller)
  const { limits, log } = caller
  const shareOut = Effect.fnUntraced(function*(calls: ReadonlyArray<PlacedCall>) {
    const { current, open } = log.state()
    const starting = calls.filter(({ call, place }) =>
      specs.get(call.name)?.isAgent === true && open[place.index]?.share === undefined
    )
    const atWork = open.filter(({ result, share }) => result === undefined && share !== undefined)
    const parts = Share.divide(current, limits, starting.map(({ place }) => open[place.index] ?? {}), atWork)
    const [first, ...rest] = starting.flatMap(({ place }, i) => {
      const share = parts[i]
      return share === undefined ? [] : [{ place, share }]
    })
    if (first !== undefined) yield* log.record({ _tag: "BudgetShared", shares: [first, ...rest] })
  })
  const runAll = (calls: ReadonlyArray<PlacedCall>): Effect.Effect<void, Fatal | JournalError> =>
    Effect.forEach(calls, (call) => run(call, specs.get(call.call.name)), { concurrency: "unbounded", discard: true })
  return (calls: ReadonlyArray<PlacedCall>): Effect.Effect<void, Fatal | JournalError> =>
    Share.isBudgeted(limits) ? Effect.andThen(shareOut(calls), runAll(calls)) : runAll(calls)
}

/** Runs a call and records its result, or that it waits for a person. An approved call asks nobody, and is never begun twice (I6, I8). */
const runCall = ({ log, toolset, tree }: Caller) => {
  const ask = (place: CallPlace, pending: readonly [Pending, ...ReadonlyArray<Pending>]) =>
    log.record({ _tag: "ApprovalAsked", place, pending })

  const asParent = ({ answers = [], place }: PlacedCall): ParentRun => ({
    ...tree,
    share: log.state().open[place.index]?.share ?? {},
    answers,
    report: (spent) => log.record({ _tag: "ToolSpent", place, spent })
  })

  /** What the call says is heard until it has its result. */
  const heard = <A, E, R>({ call, place }: PlacedCall, calling: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const { progress } = log
    if (progress === undefined) return calling
    let isDone = false
    const tell = (said: Json) =>
      Effect.suspend(() => isDone ? Effect.void : progress({ _tag: "Progress", place, tool: call.name, said }))
    return calling.pipe(
      Effect.ensuring(Effect.sync(() => (isDone = true))),
      Effect.provideService(CurrentProgress, tell)
    )
  }

  /** A result that came is kept, even where a sibling's `Fatal` ends the run while it waits to be written (I9). */
  const finish = (placed: PlacedCall, spec: ToolSpec | undefined): Effect.Effect<void, Fatal | JournalError> => {
    const { approved, call, place } = placed
    const calling = heard(placed, toolset.call(approved === undefined ? call : { ...call, input: approved }))
    const alone = spec?.isAgent === true ? Effect.provideService(calling, ParentRun, asParent(placed)) : calling
    return Effect.uninterruptibleMask((restore) =>
      Effect.matchEffect(restore(alone), {
        onFailure: (why) => why._tag === "Suspended" ? ask(place, why.pending) : Effect.fail(why),
        onSuccess: (result) => log.record({ _tag: "ToolFinished", place, result: mendResult(call, result) })
      })
    )
  }

  /** A run keeps its own events, so that an agent which is called again goes on: only what is none is said to have begun. */
  const begin = (placed: PlacedCall, spec: ToolSpec | undefined): Effect.Effect<void, Fatal | JournalError> => {
    const { approved, place } = placed
    if (spec?.isAgent === true || (approved === undefined && spec?.access !== "writes")) return finish(placed, spec)
    const repeatable = approved === undefined && spec?.idempotent === true
    return Effect.andThen(
      log.record({ _tag: "ToolStarted", place, repeatable }),
      Effect.suspend(() => finish(placed, spec))
    )
  }

  return (placed: PlacedCall, spec: ToolSpec | undefined): Effect.Effect<void, Fatal | JournalError> => {
    const { approved, call, place } = placed
    const { runId } = log.state()
    const reviewed = approved === undefined ? toolset.review(call) : Effect.succeed(free)
    const running = after(reviewed, (review) =>
      review._tag === "NeedsPerson"
        ? ask(place, [{ runId, place, tool: call.name, input: review.input, why: review.why }])
        : begin(placed, spec))
    return Effect.provideService(running, CurrentCall, { runId, ...place })
  }
}
