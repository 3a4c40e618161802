/** An agent: instructions and limits under a name. `run` plays it on the `Model` and `Toolset` that its Layers give. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
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
import * as TypedAnswer from "./TypedAnswer.ts"

export { asTool } from "./AgentTool.ts"
export { type Run, RunError } from "./Lifecycle.ts"
export { MaxDepth } from "./ParentRun.ts"
export { streamOf, type StreamPart } from "./RunStream.ts"

/** `A` is what it answers: text, or what its `answer` Schema says. */
export interface Agent<out A = string> {
  readonly name: string
  /** What the model is told before the transcript, the same for every turn. */
  readonly instructions: string
  readonly limits: Limits.Limits
  /** A person approves each answer, or changes it, before it is one. */
  readonly approveAnswer: boolean
  readonly answer: TypedAnswer.TypedAnswer<A>
}

export interface Options {
  readonly instructions: string
  readonly limits?: Limits.Options
  /** False by default. The words of a last turn at a limit are no answer, and ask nobody. */
  readonly approveAnswer?: boolean
}

/** Options of an agent whose answer has a type. */
export interface TypedOptions<A> extends Options {
  /** A struct. The model is given one more tool, `answer`, whose input this is: what does not decode goes back to it with why. */
  readonly answer: Schema.ConstraintCodec<A, unknown>
}

/**
 * Makes an agent. A turn limit left out is `Limits.defaultMaxTurns`; any other limit left out is none. Throws `InvalidLimit` for a limit
 * that no run could keep, and `InvalidTool` for an `answer` that no model can be held to.
 */
export function make<A>(name: string, options: TypedOptions<A>): Agent<A>
export function make(name: string, options: Options): Agent
export function make<A>(name: string, options: Options & Partial<TypedOptions<A>>): Agent<A> | Agent {
  const { answer, approveAnswer = false, instructions, limits = {} } = options
  const agent = { name, instructions, limits: Limits.make(limits), approveAnswer }
  return answer === undefined
    ? { ...agent, answer: TypedAnswer.words }
    : { ...agent, answer: TypedAnswer.make(answer, approveAnswer) }
}

/**
 * Runs an agent on a task until it stops. Every stop, limits and refusals too, is a value of `Run`; only a model that cannot
 * be reached, a `Fatal` of a tool or a journal that fails is a `RunError`. `runId` is a fresh UUID unless given.
 */
export const run = <A>(
  agent: Agent<A>,
  task: string,
  options?: { readonly runId?: string }
): Effect.Effect<Run<A>, RunError, Model | Toolset> =>
  Effect.scoped(Effect.suspend(() => {
    const runId = options?.runId ?? SecureRandom.uuidV4Unsafe()
    return Effect.flatMap(
      Effect.andThen(claim(runId), RunLog.make(runId)),
      (log) => carryOn(log, agent.limits, startOf(agent, { runId, task, limits: agent.limits }), agent.answer)
    )
  }))

/**
 * Runs an agent like `run`, and shows it while it goes on: its events, and between them the words and thoughts of a reply as they come.
 * What `streamOf` says of a stream holds for it.
 */
export const stream = (
  agent: Agent<unknown>,
  task: string,
  options?: { readonly runId?: string }
): Stream.Stream<StreamPart, RunError, Model | Toolset> => streamOf(run(agent, task, options))

export interface GoOnOptions {
  readonly limits?: Limits.Options
}

/** Options of a run whose answer has a type. */
export interface TypedGoOnOptions<A> extends GoOnOptions {
  /** The agent that the run is of: its answer's type is needed again. Its limits are not, as the run has its own. */
  readonly agent: Agent<A>
}

/**
 * Takes up a run from the journal, after a crash, an interruption, an error or a limit. What has a result never runs again, and a reply
 * that is kept is not asked for again. A read that was cut off runs again; so does a write that is idempotent; any other
 * write comes back to the model as one that may have taken effect. A run that has ended gives its outcome again, and asks nobody.
 * Under `limits` a run goes on that was stopped by its own; left out, it keeps those it had. Throws `InvalidLimit`.
 */
export function resume<A>(runId: string, options: TypedGoOnOptions<A>): Played<A>
export function resume(runId: string, options?: GoOnOptions): Played<string>
export function resume<A>(runId: string, options: GoOnOptions & Partial<TypedGoOnOptions<A>> = {}): Played<A | string> {
  return resumed<A | string>(runId, options.limits, options.agent?.answer ?? TypedAnswer.words)
}

type Played<A> = Effect.Effect<Run<A>, RunError, Model | Toolset>

const resumed = Effect.fnUntraced(function*<A>(
  runId: string,
  options: Limits.Options | undefined,
  answer: TypedAnswer.TypedAnswer<A>
): Effect.fn.Return<Run<A>, RunError, Model | Toolset | Scope.Scope> {
  const log = yield* load(runId)
  const limits = limitsOf(log, options)
  const stop = ended(log.state(), limits)
  return yield* stop === undefined
    ? carryOn(log, limits, { _tag: "RunResumed", limits }, answer)
    : runOf(log, stop, answer)
}, Effect.scoped)

/**
 * A further message in the conversation of a run from the journal. Calls that a limit or a crash left open are closed: the model reads
 * that they did not run. Limits count from here; left out, they are those of the run. Throws `InvalidLimit`.
 */
function continue_<A>(runId: string, task: string, options: TypedGoOnOptions<A>): Played<A>
function continue_(runId: string, task: string, options?: GoOnOptions): Played<string>
function continue_<A>(
  runId: string,
  task: string,
  options: GoOnOptions & Partial<TypedGoOnOptions<A>> = {}
): Played<A | string> {
  return continued<A | string>(runId, task, options.limits, options.agent?.answer ?? TypedAnswer.words)
}

const continued = Effect.fnUntraced(function*<A>(
  runId: string,
  task: string,
  options: Limits.Options | undefined,
  answer: TypedAnswer.TypedAnswer<A>
): Effect.fn.Return<Run<A>, RunError, Model | Toolset | Scope.Scope> {
  const log = yield* load(runId)
  const limits = limitsOf(log, options)
  return yield* carryOn(log, limits, { _tag: "FollowedUp", task: Transcript.mendTask(task), limits }, answer)
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
