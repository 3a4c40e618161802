/** `levain runs`: what the journal holds, the run that was written last first. */
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const runs = Command.make(
  "runs",
  { journal: Flags.journal },
  loaded(() => import("../handlers/runs.ts").then((handler) => handler.runs))
).pipe(
  Command.withDescription(
    "List the runs that are kept: id, how they ended, turns, tokens, task. The one written last comes first."
  ),
  Command.withShortDescription("List the runs that are kept"),
  Command.withExamples([
    { command: "levain runs", description: "Those in your state folder" },
    { command: "levain runs --journal sqlite:runs.db", description: "Those in a database" }
  ])
)
