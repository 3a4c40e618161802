/** A run from its first event to its last, whoever began it: taken up, carried on, and told how it ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Agent } from "./Agent.ts"
import { Journal, JournalError, keeping } from "./Journal.ts"
import { loop } from "./Loop.ts"
import { Model, ModelError } from "./Model.ts"
import type { Tree } from "./ParentRun.ts"
import * as Json from "./pure/Json.ts"
import * as Limits from "./pure/Limits.ts"
import { type Fact, RunEvent } from "./pure/RunEvent.ts"
import * as RunState from "./pure/RunState.ts"
import type { Stop } from "./pure/Stop.ts"
import * as Text from "./pure/Text.ts"
import { Fatal } from "./pure/ToolFailure.ts"
import * as Transcript from "./pure/Transcript.ts"
import * as RunLog from "./RunLog.ts"
import { RunObserver } from "./RunObserver.ts"
import { Toolset } from "./Toolset.ts"
import { traced } from "./Tracing.ts"
import type { TypedAnswer } from "./TypedAnswer.ts"

/** What came of a run that stopped. `A` is what its agent answers: text, where it says nothing else. */
export interface Run<out A = unknown> {
  readonly runId: string
  readonly stop: Stop
  /** The answer, where the run stopped with one. */
  readonly answer: A | undefined
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

/** A copy under another name is no run of its own: its calls would have the identities of the first one's. */
export const noBeginning = (runId: string): JournalError =>
  new JournalError({
    runId,
    reason: "damaged",
    message: `line 1 of the run ${runId} is not its beginning: what is kept under this name is no run, or another's.`
  })

export const notBegun = (runId: string) => (reason: JournalError): RunError =>
  new RunError({ reason, runId, spent: Limits.nothingSpent, steps: [], events: [] })

/** Makes us the only writer of a run until the scope closes. */
export const claim = Effect.fnUntraced(function*(runId: string) {
  const journal = yield* Journal
  yield* Effect.mapError(journal.claim(runId), notBegun(runId))
})

/** A run of which something is kept. */
export const load = Effect.fnUntraced(function*(runId: string): Effect.fn.Return<RunLog.RunLog, RunError, Scope.Scope> {
  yield* claim(runId)
  const journal = yield* Journal
  const events = yield* Effect.mapError(journal.read(runId), notBegun(runId))
  const [first] = events
  if (first?._tag !== "RunStarted" || first.runId !== runId) return yield* notBegun(runId)(noBeginning(runId))
  return yield* RunLog.make(runId, events)
})

/** The first event of a run. `parent` is the call that it is, where another run called it. */
export const startOf = (
  { answer, approveAnswer, instructions, name }: Agent<unknown>,
  run: Pick<Extract<RunEvent, { readonly _tag: "RunStarted" }>, "runId" | "task" | "limits" | "parent">
): Fact => ({
  ...run,
  _tag: "RunStarted",
  agent: name,
  instructions: Text.mend(instructions),
  task: Transcript.mendTask(run.task),
  ...(answer.isTyped ? { typedAnswer: true } : {}),
  // A typed answer is a call, and waits for a person as one.
  ...(approveAnswer && !answer.isTyped ? { approveAnswer } : {})
})

/** Records how it begins or goes on, and takes it to its stop. */
export const carryOn = <A>(
  log: RunLog.RunLog,
  limits: Limits.Limits,
  beginning: Fact,
  answer: TypedAnswer<A>,
  place?: Pick<Tree, "depth" | "journal">
): Effect.Effect<Run<A>, RunError, Model | Toolset> =>
  Effect.flatMap(treeOf(place), (tree) =>
    log.record(beginning).pipe(
      Effect.andThen(answering(log, answer, traced(log, watched(log, loop(log, limits, tree))))),
      Effect.catchCause((cause) => Effect.uninterruptible(failWith(log, cause))),
      Effect.onInterrupt(() => interrupted(log)),
      Effect.flatMap((stop) => runOf(log, stop, answer))
    ))

/** With the tool that the answer is a call of, where it has a type. */
const answering = <A, E>(
  log: RunLog.RunLog,
  answer: TypedAnswer<A>,
  playing: Effect.Effect<Stop, E, Model | Toolset>
): Effect.Effect<Stop, E | Fatal, Model | Toolset> => {
  if (answer.isTyped) return Effect.provideServiceEffect(playing, Toolset, Effect.flatMap(Toolset, answer.in))
  return log.state().typedAnswer === true ? Effect.fail(new Fatal({ message: untyped })) : playing
}

const untyped =
  "the run's answer has a type: go on with it under the agent that has it, as in resume(runId, { agent })."

const treeOf = Effect.fnUntraced(function*(place: Pick<Tree, "depth" | "journal"> | undefined) {
  const { depth, journal } = place ?? { depth: 0, journal: keeping(yield* Journal) }
  return { depth, journal, model: yield* Model }
})

/** The runs that it calls have the observers that it still has. */
const watched = <A, E, R>({ observers }: RunLog.RunLog, playing: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  observers.length === 0 ? playing : Effect.provideService(playing, RunObserver, observers)

/** Records an interruption, so that such a run too has one last event (I10). One before the first or after the last changes nothing. */
const interrupted = (log: RunLog.RunLog): Effect.Effect<void> =>
  log.isLive() ? Effect.ignore(log.record({ _tag: "RunInterrupted" })) : Effect.void

/** What came of it. */
export const runOf = <A>(log: RunLog.RunLog, stop: Stop, answer: TypedAnswer<A>): Effect.Effect<Run<A>> => {
  const state = log.state()
  const run = { runId: state.runId, stop, spent: state.spent, steps: RunState.steps(state), events: log.events() }
  return stop._tag === "Answered"
    ? Effect.map(answer.read(stop.text), (value) => ({ ...run, answer: Option.getOrUndefined(value) }))
    : Effect.succeed({ ...run, answer: undefined })
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

/** What it was until it failed. */
export const errorOf = (log: RunLog.RunLog, reason: RunError["reason"]): RunError => {
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
