/** `levain resume RUN` and `levain reply RUN "…"`: go on with a run that is kept. */
import { Agent, Journal } from "@levain/core"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentChoice from "../AgentChoice.ts"
import { UsageError } from "../Ending.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Otlp from "../Otlp.ts"
import { play } from "../Play.ts"
import * as Settings from "../Settings.ts"
import { runArgument } from "./show.ts"

const flags = {
  ...Settings.showFlags,
  agent: AgentChoice.ofRunFlag,
  journal: JournalChoice.journalFlag,
  ...ModelChoice.flags,
  ...Otlp.flags,
  ...Settings.limitFlags
}

interface Given extends ModelChoice.Flags, Otlp.Flags, Settings.LimitFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly agent: Option.Option<string>
  readonly journal: Option.Option<string>
  readonly run: string
}

/** Finds the run, and goes on with it as `take` says. */
const goOn = Effect.fnUntraced(function*(
  given: Given,
  take: (runId: string, options: Agent.GoOnOptions) => ReturnType<typeof Agent.resume>
) {
  const limits = yield* Settings.limitsOf(given)
  const journal = yield* JournalChoice.choose(given.journal)
  const telemetry = yield* Otlp.choose(given)
  yield* Effect.gen(function*() {
    const runId = yield* JournalChoice.findRun(given.run)
    const before = yield* (yield* Journal.Journal).read(runId)
    const { model, tools } = yield* AgentChoice.ofRun(before, given.agent)
    const { layer } = yield* ModelChoice.choose(given, model)
    const options = {
      json: given.json,
      quiet: given.quiet,
      before,
      commandFor: JournalChoice.commandFor(given.journal, Option.getOrUndefined(given.agent))
    }
    yield* play(take(runId, limits === undefined ? {} : { limits }), options).pipe(Effect.provide([tools, layer]))
  }).pipe(Effect.provide([journal, telemetry]))
})

export const resume = Command.make(
  "resume",
  { run: runArgument, ...flags },
  (given) => goOn(given, Agent.resume)
).pipe(
  Command.withDescription(
    "Take up a run that was cut off, failed or ran into a limit. What was done is not done again. --max-turns and --max-tokens are " +
      "for all of the run's last message, what was spent on it included."
  ),
  Command.withShortDescription("Take up a run where it was left"),
  Command.withExamples([
    { command: "levain resume last", description: "The run that was written last" },
    { command: "levain resume last --max-turns 12", description: "One that ran into a limit, under a higher one" }
  ])
)

export const reply = Command.make(
  "reply",
  {
    run: runArgument,
    message: Argument.String("message").pipe(
      Argument.variadic(),
      Argument.withDescription("What to say next in the same conversation")
    ),
    ...flags
  },
  Effect.fnUntraced(function*({ message, ...given }) {
    const task = message.join(" ")
    if (task.trim() === "") {
      return yield* new UsageError({ message: "there is no message. Try: levain reply last \"And on Sunday?\"" })
    }
    yield* goOn(given, (runId, options) => Agent.continue(runId, task, options))
  })
).pipe(
  Command.withDescription("Say something more in the conversation of a run that is kept."),
  Command.withShortDescription("Follow up on a run"),
  Command.withExamples([
    { command: "levain reply last \"And on Sunday?\"", description: "One more question in the same conversation" }
  ])
)
