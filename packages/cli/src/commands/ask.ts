/** `levain ask`: a question to the bakery's agent, from the arguments or from standard input. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"
import * as ExitCode from "../pure/ExitCode.ts"

export const ask = Command.make(
  "ask",
  {
    question: Argument.String("question").pipe(
      Argument.variadic(),
      Argument.withDescription("The question. Left out, or written as -, it is read from standard input")
    ),
    agent: Flags.agent,
    approveAnswer: Flag.Boolean("approve-answer").pipe(
      Flag.withDefault(false),
      Flag.withDescription("The answer too waits for a person, who approves or changes it")
    ),
    mcp: Flags.mcp,
    ...Flags.show,
    journal: Flags.journal,
    noJournal: Flags.noJournal,
    ...Flags.model,
    ...Flags.otlp,
    ...Flags.limit
  },
  loaded(() => import("../handlers/ask.ts").then((handler) => handler.ask))
).pipe(
  Command.withDescription(
    `Ask the bakery's agent a question. Prints each call and its result, why the run stopped, and the answer. ${ExitCode.help}`
  ),
  Command.withShortDescription("Ask the bakery's agent a question"),
  Command.withExamples([
    {
      command: "levain ask \"Two dozen sourdough rolls on Saturday at 9?\"",
      description: "A question, answered offline"
    },
    { command: "echo 'When are you open?' | levain ask --json", description: "From standard input, as events" }
  ])
)
