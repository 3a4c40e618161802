/** Plays a run and shows it as it happens. */
import { Agent, Approval, Approvals, type RunEvent, RunObserver } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as CliApprovals from "./CliApprovals.ts"
import { Ended, Failed } from "./Ending.ts"
import * as Printer from "./Printer.ts"
import * as ExitCode from "./pure/ExitCode.ts"

export interface Options extends Printer.Options {
  /** What happened to the run before, and was printed then. */
  readonly before?: ReadonlyArray<RunEvent.RunEvent>
  /** A command as it is written for the run's journal, where the run is kept. */
  readonly commandFor?: (command: string) => string
}

/**
 * Plays a run, shows it, and ends with the exit code of its stop. A run that had ended before is shown as it ended; one that is
 * interrupted or fails is told with how to take it up.
 */
export const play = Effect.fnUntraced(function*<E, R>(
  playing: Effect.Effect<Agent.Run, Agent.RunError | E, R>,
  options: Options
) {
  const before = options.before ?? []
  const run = yield* Effect.gen(function*() {
    const printer = yield* Printer.make(options, before)
    const run = yield* playing.pipe(
      Effect.provideService(Approvals.Approvals, yield* approvals(options, printer)),
      Effect.provideService(RunObserver.RunObserver, [observing(printer, options)])
    )
    // Nothing happened, as the run had ended before: how it ended is all there is to say.
    if (run.events.length === before.length) {
      const again = yield* Printer.make(options, before, true)
      for (const event of before.slice(-1)) yield* again.event(event)
    }
    return run
  }).pipe(
    Effect.scoped,
    Effect.catchIf(isRunError, (error) => failWith(error, options))
  )
  if (run.stop._tag === "AwaitingApproval") yield* tellHowToAnswer(options, run.runId, run.stop.pending)
  const code = ExitCode.ofStop(run.stop)
  if (code !== 0) return yield* new Ended({ code })
})

const isRunError = Schema.is(Agent.RunError)

/** Whoever watches at a terminal is asked there; everybody else answers later. */
const approvals = Effect.fnUntraced(function*({ json }: Options, { aside }: Printer.Printer) {
  const stdio = yield* Stdio.Stdio
  const canAsk = !json && (yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal)
  if (!canAsk) return yield* Approvals.Approvals
  const { ask } = yield* CliApprovals.atTerminal
  return { ask: (...question: Parameters<typeof ask>) => aside(ask(...question)) }
})

/** Shows the run that was asked for, and not those that it calls: they are kept under their own ids. */
const observing = (printer: Printer.Printer, options: Options): RunObserver.RunObserver => {
  let rootId: string | undefined
  const ofRoot = (runId: string, telling: Effect.Effect<void>) =>
    Effect.suspend(() => (rootId = rootId ?? runId) === runId ? telling : Effect.void)
  return {
    event: (event, { runId }) => {
      const told = printer.event(event)
      return ofRoot(runId, event._tag === "RunInterrupted" ? Effect.andThen(told, tellTakeUp(options, runId)) : told)
    },
    delta: (delta, runId) => ofRoot(runId, printer.delta(delta)),
    progress: (progress, runId) => ofRoot(runId, printer.progress(progress))
  }
}

const tellTakeUp = ({ commandFor }: Options, runId: string): Effect.Effect<void> =>
  commandFor === undefined ? Effect.void : Console.error(`levain: go on with: ${commandFor(`levain resume ${runId}`)}`)

const tellHowToAnswer = (
  { commandFor }: Options,
  runId: string,
  [first]: readonly [Approval.Pending, ...ReadonlyArray<Approval.Pending>]
): Effect.Effect<void> => {
  if (commandFor === undefined) return Console.error("levain: this run is not kept, so nobody can answer it later.")
  const call = `${runId} ${Approval.nameIn(runId, first)}`
  const deny = commandFor(`levain deny ${call} --reason "…"`)
  return Console.error(`levain: answer with: ${commandFor(`levain approve ${call}`)} or: ${deny}`)
}

const failWith = ({ events, message, reason, runId }: Agent.RunError, { commandFor }: Options) => {
  const isUnkept = reason._tag === "JournalError"
  const hint = isUnkept && reason.reason === "failed"
    ? " Name another folder with --journal, or keep no runs with --no-journal."
    : commandFor !== undefined && !isUnkept && events.length > 0
    ? ` Go on with: ${commandFor(`levain resume ${runId}`)}`
    : ""
  return new Failed({ message: `${message}${hint}` })
}
