/** An agent: instructions and limits under a name. `run` plays it on the `Model` and `Toolset` that its Layers give. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { carryOn, claim, errorOf, load, type Run, type RunError, runOf, startOf } from "./Lifecycle.ts"
import type { Model } from "./Model.ts"
import * as Approval from "./pure/Approval.ts"
import { ended } from "./pure/Decider.ts"
import * as Limits from "./pure/Limits.ts"
import * as Transcript from "./pure/Transcript.ts"
import * as Waiting from "./pure/Waiting.ts"
import * as RunLog from "./RunLog.ts"
import { streamOf, type StreamPart } from "./RunStream.ts"
import type { Toolset } from "./Toolset.ts"

export { asTool } from "./AgentTool.ts"
export { type Run, RunError } from "./Lifecycle.ts"
export { MaxDepth } from "./ParentRun.ts"
export { streamOf, type StreamPart } from "./RunStream.ts"

export interface Agent {
  readonly name: string
  /** What the model is told before the transcript, the same for every turn. */
  readonly instructions: string
  readonly limits: Limits.Limits
  /** A person approves each answer, or changes it, before it is one. */
  readonly approveAnswer: boolean
}

export interface Options {
  readonly instructions: string
  readonly limits?: Limits.Options
  /** False by default. The words of a last turn at a limit are no answer, and ask nobody. */
  readonly approveAnswer?: boolean
}

/**
 * Makes an agent. A turn limit left out is `Limits.defaultMaxTurns`; any other limit left out is none.
 * Throws `InvalidLimit` for a limit that no run could keep.
 */
export const make = (name: string, { approveAnswer = false, instructions, limits = {} }: Options): Agent => ({
  name,
  instructions,
  limits: Limits.make(limits),
  approveAnswer
})

/**
 * Runs an agent on a task until it stops. Every stop, limits and refusals too, is a value of `Run`; only a model that cannot
 * be reached, a `Fatal` of a tool or a journal that fails is a `RunError`. `runId` is a fresh UUID unless given.
 */
export const run = (
  agent: Agent,
  task: string,
  options?: { readonly runId?: string }
): Effect.Effect<Run, RunError, Model | Toolset> =>
  Effect.scoped(Effect.suspend(() => {
    const runId = options?.runId ?? SecureRandom.uuidV4Unsafe()
    return Effect.flatMap(
      Effect.andThen(claim(runId), RunLog.make(runId)),
      (log) => carryOn(log, agent.limits, startOf(agent, { runId, task, limits: agent.limits }))
    )
  }))

/**
 * Runs an agent like `run`, and shows it while it goes on: its events, and between them the words and thoughts of a reply as they come.
 * What `streamOf` says of a stream holds for it.
 */
export const stream = (
  agent: Agent,
  task: string,
  options?: { readonly runId?: string }
): Stream.Stream<StreamPart, RunError, Model | Toolset> => streamOf(run(agent, task, options))

export interface GoOnOptions {
  readonly limits?: Limits.Options
}

/**
 * Takes up a run from the journal, after a crash, an interruption, an error or a limit. What has a result never runs again, and a reply
 * that is kept is not asked for again. A read that was cut off runs again; so does a write that is idempotent; any other
 * write comes back to the model as one that may have taken effect. A run that has ended gives its outcome again, and asks nobody.
 * Under `limits` a run goes on that was stopped by its own; left out, it keeps those it had. Throws `InvalidLimit`.
 */
export const resume = Effect.fnUntraced(function*(
  runId: string,
  options?: GoOnOptions
): Effect.fn.Return<Run, RunError, Model | Toolset | Scope.Scope> {
  const log = yield* load(runId)
  const limits = limitsOf(log, options?.limits)
  const stop = ended(log.state(), limits)
  return stop === undefined ? yield* carryOn(log, limits, { _tag: "RunResumed", limits }) : runOf(log, stop)
}, Effect.scoped)

/**
 * A further message in the conversation of a run from the journal. Calls that a limit or a crash left open are closed: the model reads
 * that they did not run. Limits count from here; left out, they are those of the run. Throws `InvalidLimit`.
 */
const continue_ = Effect.fnUntraced(function*(
  runId: string,
  task: string,
  options?: GoOnOptions
): Effect.fn.Return<Run, RunError, Model | Toolset | Scope.Scope> {
  const log = yield* load(runId)
  const limits = limitsOf(log, options?.limits)
  return yield* carryOn(log, limits, { _tag: "FollowedUp", task: Transcript.mendTask(task), limits })
}, Effect.scoped)
export { continue_ as continue }

/**
 * Answers what a run waits for, whatever process it ran in, and says what it still waits for. Asks no model and runs no tool: once nothing
 * waits any more, `resume` goes on. An answer given before, in the same words, changes nothing. Where one is refused none is taken.
 */
export const answer = Effect.fnUntraced(function*(
  runId: string,
  answers: ReadonlyArray<Approval.Answer>
): Effect.fn.Return<ReadonlyArray<Approval.Pending>, RunError | Approval.ApprovalError, Scope.Scope> {
  const log = yield* load(runId)
  const [first] = log.events()
  if (first?._tag === "RunStarted" && first.parent !== undefined) return yield* childOf(runId, first.parent.runId)
  const accepted = yield* Effect.fromResult(Waiting.accept(log.state(), log.events(), answers))
  for (const fact of accepted) {
    yield* Effect.mapError(log.record(fact), (reason) => errorOf(log, reason))
  }
  return Waiting.pending(log.state())
}, Effect.scoped)

const limitsOf = (log: RunLog.RunLog, options: Limits.Options | undefined): Limits.Limits =>
  options === undefined ? log.state().limits ?? Limits.make({}) : Limits.make(options)

const childOf = (runId: string, parentId: string) =>
  new Approval.ApprovalError({
    reason: "otherRun",
    runId,
    message: `the run ${runId} was called by the run ${parentId}: what it waits for is answered there.`
  })
