/** `levain init DIR`: a small agent project, which runs and is tested at once. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { loaded } from "../Handler.ts"

export const init = Command.make(
  "init",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Where the project is to be: a folder that is not there yet, or is empty")
    )
  },
  loaded(() => import("../handlers/init.ts").then((handler) => handler.init))
).pipe(
  Command.withDescription("Write a small agent project: an agent, its tool, and a test with a scripted model."),
  Command.withShortDescription("Write a small agent project"),
  Command.withExamples([{ command: "levain init my-agent", description: "A project in the folder my-agent" }])
)
