/** `levain runs`: what the journal holds, the run that was written last first. */
import { Decider, Journal } from "@levain/core"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as JournalChoice from "../JournalChoice.ts"
import * as Story from "../pure/Story.ts"

export const runs = Command.make(
  "runs",
  { journal: JournalChoice.journalFlag },
  Effect.fnUntraced(function*({ journal }) {
    const layer = yield* JournalChoice.choose(journal)
    yield* list.pipe(Effect.provide(layer))
  })
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

const list = Effect.gen(function*() {
  const { list, read } = yield* Journal.Journal
  for (const runId of JournalChoice.rootsOf(yield* list)) {
    const line = yield* Effect.match(read(runId), {
      onFailure: ({ message }) => Story.brokenLine(runId, message),
      onSuccess: (events) => Story.runLine(runId, Decider.fold(events), events)
    })
    yield* Console.log(line)
  }
})
