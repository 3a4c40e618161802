/** Plays a run and prints it as it happens: for people, or as JSON lines. */
import { Agent, Approval, Approvals, type Delta, RunEvent, RunObserver } from "@levain/core"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as CliApprovals from "./CliApprovals.ts"
import { Ended, Failed } from "./Ending.ts"
import * as ExitCode from "./pure/ExitCode.ts"
import * as Render from "./pure/Render.ts"

export interface Options {
  readonly json: boolean
  /** What happened to the run before, and was printed then. */
  readonly before?: ReadonlyArray<RunEvent.RunEvent>
  /** A command as it is written for the run's journal, where the run is kept. */
  readonly commandFor?: (command: string) => string
}

/**
 * Plays a run, prints it, and ends with the exit code of its stop. A run that had ended before is printed as it ended; one that is
 * interrupted or fails is told with how to take it up.
 */
export const play = Effect.fnUntraced(function*<E, R>(
  playing: Effect.Effect<Agent.Run, Agent.RunError | E, R>,
  options: Options
) {
  const before = options.before ?? []
  const print = options.json ? printJson : yield* forPeople(shown(before))
  const run = yield* playing.pipe(
    Effect.provideService(Approvals.Approvals, yield* approvals(options)),
    Effect.provideService(RunObserver.RunObserver, [
      { event: ofRoot(print), delta: tellRestart },
      { event: ofRoot((event, runId) => event._tag === "RunInterrupted" ? tellTakeUp(options, runId) : Effect.void) }
    ]),
    Effect.catchIf(isRunError, (error) => failWith(error, options))
  )
  // Nothing happened, as the run had ended before: how it ended is all there is to say.
  if (run.events.length === before.length) {
    const again = options.json ? printJson : yield* forPeople({ ...shown(before), waiting: [] })
    for (const event of before.slice(-1)) yield* again(event)
  }
  if (run.stop._tag === "AwaitingApproval") yield* tellHowToAnswer(options, run.runId, run.stop.pending)
  const code = ExitCode.ofStop(run.stop)
  if (code !== 0) return yield* new Ended({ code })
})

const toJson = Schema.encodeUnknownEffect(Schema.fromJsonString(RunEvent.RunEvent))

type Print = (event: RunEvent.RunEvent) => Effect.Effect<void>

/** The events of the run that was asked for, and none of the runs that it calls: those are kept under their own ids. */
const ofRoot = (show: (event: RunEvent.RunEvent, runId: string) => Effect.Effect<void>): Watch => {
  let rootId: string | undefined
  return (event, { runId }) =>
    Effect.suspend(() => (rootId = rootId ?? runId) === runId ? show(event, runId) : Effect.void)
}

type Watch = RunObserver.RunObserver["event"]

/** What is an event can be encoded. */
const printJson: Print = (event) => Effect.flatMap(Effect.orDie(toJson(event)), Console.log)

const isRunError = Schema.is(Agent.RunError)

/** Whoever watches at a terminal is asked there; everybody else answers later. */
const approvals = Effect.fnUntraced(function*({ json }: Options) {
  const stdio = yield* Stdio.Stdio
  const canAsk = !json && (yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal)
  return canAsk ? yield* CliApprovals.atTerminal : yield* Approvals.Approvals
})

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

/** A wait before the next try would be silence: it is told where it does not mix with the output. */
const tellRestart = (delta: Delta.Delta): Effect.Effect<void> =>
  delta._tag === "Restarted"
    ? Console.error(`levain: ${Render.oneLine(delta.why)} What came of this reply so far does not count.`)
    : Effect.void

/** The screen after what was printed before. */
const shown = (before: ReadonlyArray<RunEvent.RunEvent>): Render.Screen =>
  before.reduce((seen, event) => Render.show(seen, event, Render.plain)[0], Render.empty)

const forPeople = Effect.fnUntraced(function*(begin: Render.Screen) {
  const style = (yield* isColoured) ? Render.coloured : Render.plain
  const screen = yield* Ref.make(begin)
  const print: Print = Effect.fnUntraced(function*(event) {
    const [next, lines] = Render.show(yield* Ref.get(screen), event, style)
    yield* Ref.set(screen, next)
    for (const line of lines) yield* Console.log(line)
  })
  return print
})

/** Only on a terminal, and not where NO_COLOR says otherwise (no-color.org: any text but an empty one). */
export const isColoured = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const noColor = yield* Effect.orElseSucceed(
    Effect.map(Config.option(Config.String("NO_COLOR")), Option.getOrElse(() => "")),
    () => ""
  )
  return noColor === "" && (yield* stdio.stdoutIsTerminal)
})
