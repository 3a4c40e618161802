/** `levain chat`: a conversation with an agent, whose history is a kept run. */
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const chat = Command.make(
  "chat",
  {
    agent: Flags.agent,
    mcp: Flags.mcp,
    ...Flags.show,
    journal: Flags.journal,
    ...Flags.model,
    ...Flags.otlp,
    ...Flags.limit
  },
  loaded(() => import("../handlers/chat.ts").then((handler) => handler.chat))
).pipe(
  Command.withDescription(
    "Talk with an agent: one message a line, or more lines between two lines of \"\"\". /cost says what it cost so far, /messages prints " +
      "what the model saw, /exit ends it. The conversation is a run that is kept: levain reply takes it up another day."
  ),
  Command.withShortDescription("Talk with an agent"),
  Command.withExamples([
    { command: "levain chat", description: "With the bakery's agent" },
    { command: "levain chat --agent ./agent.ts", description: "With one of your own" }
  ])
)
