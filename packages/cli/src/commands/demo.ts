/** `levain demo`: one customer's question with a scripted model in the model's seat. */
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

/** What the customer of the demo asks. */
export const question = "Can I pick up two dozen sourdough rolls and six croissants on Saturday at 9?"

export const demo = Command.make(
  "demo",
  Flags.show,
  loaded(() => import("../handlers/demo.ts").then((handler) => handler.demo))
).pipe(
  Command.withDescription(`Play a scripted run of one question: "${question}"`),
  Command.withShortDescription("Play a scripted run"),
  Command.withExamples([
    { command: "levain demo", description: "As lines, or drawn in a terminal" }
  ])
)
