/** `levain show RUN`: the story of a run that is kept, its messages or its events. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const show = Command.make(
  "show",
  {
    run: Flags.run,
    messages: Flag.Boolean("messages").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print the messages that the model saw, one JSON object a line")
    ),
    json: Flags.json,
    journal: Flags.journal
  },
  loaded(() => import("../handlers/show.ts").then((handler) => handler.show))
).pipe(
  Command.withDescription("Print a run that is kept: what was asked, each call and its result, and how it ended."),
  Command.withShortDescription("Print a run that is kept"),
  Command.withExamples([
    { command: "levain show last", description: "What happened, in words" },
    { command: "levain show last --messages", description: "What the model saw" }
  ])
)
