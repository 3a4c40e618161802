/** `levain approvals`: what waits for a person in the runs that are kept. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const approvals = Command.make(
  "approvals",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print what waits instead, one JSON object a line")
    ),
    journal: Flags.journal
  },
  loaded(() => import("../handlers/approvals.ts").then((handler) => handler.approvals))
).pipe(
  Command.withDescription(
    "List what waits for a person in the runs that are kept: the run, then each call's name, what it would do, and why it asks."
  ),
  Command.withShortDescription("List what waits for a person")
)
