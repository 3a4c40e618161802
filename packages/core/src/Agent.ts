/** An agent: instructions and limits under a name. `run` plays it on the `Model` and `Toolset` that its Layers give. */
import * as Cause from "effect/Cause"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Journal, JournalError } from "./Journal.ts"
import { loop } from "./Loop.ts"
import { type Model, ModelError } from "./Model.ts"
import type * as Approval from "./pure/Approval.ts"
import { ended } from "./pure/Decider.ts"
import * as Json from "./pure/Json.ts"
import * as Limits from "./pure/Limits.ts"
import { type Fact, RunEvent } from "./pure/RunEvent.ts"
import * as RunState from "./pure/RunState.ts"
import type { Stop } from "./pure/Stop.ts"
import * as Text from "./pure/Text.ts"
import { Fatal } from "./pure/ToolFailure.ts"
import * as Transcript from "./pure/Transcript.ts"
import * as Waiting from "./pure/Waiting.ts"
import * as RunLog from "./RunLog.ts"
import type { Toolset } from "./Toolset.ts"

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

/** What came of a run that stopped. */
export interface Run {
  readonly runId: string
  readonly stop: Stop
  readonly spent: Limits.Spent
  /** The finished calls, in the order they were asked for. */
  readonly steps: ReadonlyArray<RunState.Step>
  /** The whole run: fold them to have its state again. */
  readonly events: ReadonlyArray<RunEvent>
}

/** The run ended on an error that no stop names. Holds what the run was and had spent until then. */
export class RunError extends Schema.TaggedError<RunError>()("RunError", {
  reason: Schema.Union([ModelError, Fatal, JournalError]),
  runId: Schema.String,
  spent: Limits.Spent,
  /** The finished calls, in the order they were asked for. */
  steps: Schema.Array(RunState.Step),
  events: Schema.Array(RunEvent)
}) {
  override get message(): string {
    return this.reason.message
  }
}

/**
 * Runs an agent on a task until it stops. Every stop, limits and refusals too, is a value of `Run`; only a model that cannot
 * be reached, a `Fatal` of a tool or a journal that fails is a `RunError`. `runId` is a fresh UUID unless given.
 */
export const run = Effect.fnUntraced(function*(
  agent: Agent,
  task: string,
  options?: { readonly runId?: string }
): Effect.fn.Return<Run, RunError, Model | Toolset | Scope.Scope> {
  const runId = options?.runId ?? (yield* Effect.sync(() => SecureRandom.uuidV4Unsafe()))
  yield* claim(runId)
  const log = yield* RunLog.make(runId)
  return yield* carryOn(log, agent.limits, {
    _tag: "RunStarted",
    runId,
    agent: agent.name,
    instructions: Text.mend(agent.instructions),
    task: Transcript.mendTask(task),
    limits: agent.limits,
    ...(agent.approveAnswer ? { approveAnswer: true } : {})
  })
}, Effect.scoped)

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
  const accepted = yield* Effect.fromResult(Waiting.accept(log.state(), log.events(), answers))
  for (const fact of accepted) {
    yield* Effect.mapError(log.record(fact), (reason) => errorOf(log, reason))
  }
  return Waiting.pending(log.state())
}, Effect.scoped)

/** A copy under another name is no run of its own: its calls would have the identities of the first one's. */
const noBeginning = (runId: string): JournalError =>
  new JournalError({
    runId,
    reason: "damaged",
    message: `line 1 of the run ${runId} is not its beginning: what is kept under this name is no run, or another's.`
  })

const notBegun = (runId: string) => (reason: JournalError): RunError =>
  new RunError({ reason, runId, spent: Limits.nothingSpent, steps: [], events: [] })

const claim = Effect.fnUntraced(function*(runId: string) {
  const journal = yield* Journal
  yield* Effect.mapError(journal.claim(runId), notBegun(runId))
})

const load = Effect.fnUntraced(function*(runId: string): Effect.fn.Return<RunLog.RunLog, RunError, Scope.Scope> {
  yield* claim(runId)
  const journal = yield* Journal
  const events = yield* Effect.mapError(journal.read(runId), notBegun(runId))
  const [first] = events
  if (first?._tag !== "RunStarted" || first.runId !== runId) return yield* notBegun(runId)(noBeginning(runId))
  return yield* RunLog.make(runId, events)
})

const limitsOf = (log: RunLog.RunLog, options: Limits.Options | undefined): Limits.Limits =>
  options === undefined ? log.state().limits ?? Limits.make({}) : Limits.make(options)

const carryOn = Effect.fnUntraced(function*(log: RunLog.RunLog, limits: Limits.Limits, beginning: Fact) {
  const stop = yield* log.record(beginning).pipe(
    Effect.andThen(loop(log, limits)),
    Effect.catchCause((cause) => Effect.uninterruptible(failWith(log, cause))),
    Effect.onInterrupt(() => interrupted(log))
  )
  return runOf(log, stop)
})

/** Records an interruption, so that such a run too has one last event (I10). One before the first or after the last changes nothing. */
const interrupted = (log: RunLog.RunLog): Effect.Effect<void> =>
  log.isLive() ? Effect.ignore(log.record({ _tag: "RunInterrupted" })) : Effect.void

const runOf = (log: RunLog.RunLog, stop: Stop): Run => {
  const state = log.state()
  return { runId: state.runId, stop, spent: state.spent, steps: RunState.steps(state), events: log.events() }
}

/** Records how the run failed, so that it too has one last event, and hands the error on. A defect stays one. */
const failWith = Effect.fnUntraced(function*(
  log: RunLog.RunLog,
  cause: Cause.Cause<RunError["reason"]>
): Effect.fn.Return<never, RunError> {
  const reason = Option.getOrUndefined(Cause.findErrorOption(cause))
  const usage = reason?._tag === "ModelError" && reason.usage !== undefined ? { usage: reason.usage } : {}
  if (reason?._tag !== "JournalError") {
    const error = reason?._tag ?? "Defect"
    const message = reason?.message ?? defectLine(cause)
    yield* Effect.exit(log.record({ _tag: "RunFailed", error, message: Text.mend(message), ...usage }))
  }
  if (reason === undefined) return yield* Effect.die(Cause.squash(cause))
  return yield* errorOf(log, reason)
})

const errorOf = (log: RunLog.RunLog, reason: RunError["reason"]): RunError => {
  const state = log.state()
  return new RunError({
    reason,
    runId: state.runId,
    spent: log.spent(),
    steps: RunState.steps(state),
    events: log.events()
  })
}

/** An interruption of the run itself never comes here, so only the model's or a journal's own does. */
const defectLine = (cause: Cause.Cause<unknown>): string =>
  Cause.hasInterruptsOnly(cause) ? "the model or the journal interrupted itself" : Json.line(Cause.squash(cause))
