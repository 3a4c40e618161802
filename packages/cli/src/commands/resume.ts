/** `levain resume RUN` and `levain reply RUN "…"`: go on with a run that is kept. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

const flags = {
  ...Flags.show,
  agent: Flags.agentOfRun,
  journal: Flags.journal,
  ...Flags.model,
  ...Flags.otlp,
  ...Flags.limit
}

export const resume = Command.make(
  "resume",
  { run: Flags.run, ...flags },
  loaded(() => import("../handlers/resume.ts").then((handler) => handler.resume))
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
    run: Flags.run,
    message: Argument.String("message").pipe(
      Argument.variadic(),
      Argument.withDescription("What to say next in the same conversation")
    ),
    ...flags
  },
  loaded(() => import("../handlers/resume.ts").then((handler) => handler.reply))
).pipe(
  Command.withDescription("Say something more in the conversation of a run that is kept."),
  Command.withShortDescription("Follow up on a run"),
  Command.withExamples([
    { command: "levain reply last \"And on Sunday?\"", description: "One more question in the same conversation" }
  ])
)
