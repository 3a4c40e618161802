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
import type { Toolset } from "./Toolset.ts"
import { traced } from "./Tracing.ts"

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
  { approveAnswer, instructions, name }: Agent,
  run: Pick<Extract<RunEvent, { readonly _tag: "RunStarted" }>, "runId" | "task" | "limits" | "parent">
): Fact => ({
  ...run,
  _tag: "RunStarted",
  agent: name,
  instructions: Text.mend(instructions),
  task: Transcript.mendTask(run.task),
  ...(approveAnswer ? { approveAnswer } : {})
})

/** Records how it begins or goes on, and takes it to its stop. */
export const carryOn = (
  log: RunLog.RunLog,
  limits: Limits.Limits,
  beginning: Fact,
  place?: Pick<Tree, "depth" | "journal">
): Effect.Effect<Run, RunError, Model | Toolset> =>
  Effect.flatMap(treeOf(place), (tree) =>
    log.record(beginning).pipe(
      Effect.andThen(traced(log, watched(log, loop(log, limits, tree)))),
      Effect.catchCause((cause) => Effect.uninterruptible(failWith(log, cause))),
      Effect.onInterrupt(() => interrupted(log)),
      Effect.map((stop) => runOf(log, stop))
    ))

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
export const runOf = (log: RunLog.RunLog, stop: Stop): Run => {
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
