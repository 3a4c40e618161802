/** `levain trace RUN`: when what ran in a kept run, beside what, and what it used. */
import { Journal, type RunEvent } from "@levain/core"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as JournalChoice from "../JournalChoice.ts"
import { isColoured } from "../Printer.ts"
import * as Render from "../pure/Render.ts"
import * as Timeline from "../pure/Timeline.ts"
import { runArgument } from "./show.ts"

export const trace = Command.make(
  "trace",
  { run: runArgument, journal: JournalChoice.journalFlag },
  Effect.fnUntraced(function*({ journal, run }) {
    const layer = yield* JournalChoice.choose(journal)
    const style = (yield* isColoured) ? Render.coloured : Render.plain
    const spans = yield* Effect.gen(function*() {
      const runId = yield* JournalChoice.findRun(run)
      const { list, read } = yield* Journal.Journal
      const ids = (yield* list).filter((id) => id === runId || id.startsWith(`${runId}.`))
      const kept = new Map<string, ReadonlyArray<RunEvent.RunEvent>>()
      for (const id of ids) kept.set(id, yield* read(id))
      return Timeline.spans(runId, kept)
    }).pipe(Effect.provide(layer))
    for (const line of [Timeline.heading, ...Timeline.lines(spans, style), Timeline.totals(spans)]) {
      yield* Console.log(line)
    }
  })
).pipe(
  Command.withDescription(
    "Print the timeline of a run that is kept: each reply and each call, the runs of called agents below theirs, how long it took and " +
      "what it used."
  ),
  Command.withShortDescription("Print the timeline of a run that is kept"),
  Command.withExamples([{ command: "levain trace last", description: "The run that was written last" }])
)
