/** `levain trace RUN`: when what ran in a kept run, beside what, and what it used. */
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const trace = Command.make(
  "trace",
  { run: Flags.run, journal: Flags.journal },
  loaded(() => import("../handlers/trace.ts").then((handler) => handler.trace))
).pipe(
  Command.withDescription(
    "Print the timeline of a run that is kept: each reply and each call, the runs of called agents below theirs, how long it took and " +
      "what it used."
  ),
  Command.withShortDescription("Print the timeline of a run that is kept"),
  Command.withExamples([{ command: "levain trace last", description: "The run that was written last" }])
)
