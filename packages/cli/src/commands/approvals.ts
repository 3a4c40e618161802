/** `levain approvals`: what waits for a person in the runs that are kept. */
import { Approval, Decider, Journal, Waiting } from "@levain/core"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as JournalChoice from "../JournalChoice.ts"
import * as Render from "../pure/Render.ts"
import * as Story from "../pure/Story.ts"

export const approvals = Command.make(
  "approvals",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print what waits instead, one JSON object a line")
    ),
    journal: JournalChoice.journalFlag
  },
  Effect.fnUntraced(function*({ journal, json }) {
    const layer = yield* JournalChoice.choose(journal)
    yield* list(json).pipe(Effect.provide(layer))
  })
).pipe(
  Command.withDescription(
    "List what waits for a person in the runs that are kept: the run, then each call's name, what it would do, and why it asks."
  ),
  Command.withShortDescription("List what waits for a person")
)

const list = Effect.fnUntraced(function*(json: boolean) {
  const { list, read } = yield* Journal.Journal
  for (const runId of JournalChoice.rootsOf(yield* list)) {
    const events = yield* Effect.option(read(runId))
    if (events._tag === "None") continue
    const state = Decider.fold(events.value)
    const waits = Waiting.pending(state)
    if (waits.length === 0) continue
    const lines = json
      ? waits.map((one) => encode(one))
      : [Story.runLine(runId, state, events.value), ...waits.flatMap((one) => Render.pendingLines(runId, one))]
    for (const line of lines) yield* Console.log(line)
  }
})

const encode = Schema.encodeSync(Schema.fromJsonString(Approval.Pending))
