/** `levain approve RUN [CALL]` and `levain deny RUN CALL`: answer what a kept run waits for, and go on with it. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

const flags = {
  by: Flag.String("by").pipe(
    Flag.withMetavar("name"),
    Flag.optional,
    Flag.withDescription("Who says so, for the journal (the name of the user)")
  ),
  ...Flags.show,
  agent: Flags.agentOfRun,
  journal: Flags.journal,
  ...Flags.model,
  ...Flags.otlp
}

const callWord = "A call's name, as levain approvals prints it: 1/0"

export const approve = Command.make(
  "approve",
  {
    run: Flags.run,
    call: Argument.String("call").pipe(
      Argument.optional,
      Argument.withDescription(`${callWord}. Left out where only one waits`)
    ),
    input: Flag.String("input").pipe(
      Flag.withMetavar("JSON"),
      Flag.optional,
      Flag.withDescription("What it is to run with instead; for an answer, the text that is sent instead")
    ),
    ...flags
  },
  loaded(() => import("../handlers/approve.ts").then((handler) => handler.approve))
).pipe(
  Command.withDescription(
    "Say yes to a call that waits for a person. Once nothing of the run waits any more, it goes on."
  ),
  Command.withShortDescription("Say yes to what a run waits for"),
  Command.withExamples([
    { command: "levain approve last", description: "The only call that waits" },
    {
      command: "levain approve last 2/0 --input '{\"day\":\"friday\",\"lines\":[{\"item\":\"rye loaf\",\"count\":1}]}'",
      description: "One call, with another input"
    }
  ])
)

export const deny = Command.make(
  "deny",
  {
    run: Flags.run,
    call: Argument.String("call").pipe(Argument.withDescription(callWord)),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why, for the model to read")),
    ...flags
  },
  loaded(() => import("../handlers/approve.ts").then((handler) => handler.deny))
).pipe(
  Command.withDescription(
    "Say no to a call that waits for a person. The model reads why, once nothing of the run waits any more."
  ),
  Command.withShortDescription("Say no to what a run waits for")
)
