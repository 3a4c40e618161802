/** `levain trace RUN`: when what ran in a kept run, beside what, and what it used. */
import { Journal, type RunEvent } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as JournalChoice from "../JournalChoice.ts"
import { isColoured } from "../Printer.ts"
import * as Render from "../pure/Render.ts"
import * as Timeline from "../pure/Timeline.ts"

export const trace = Effect.fnUntraced(
  function*({ journal, run }: { readonly run: string; readonly journal: Option.Option<string> }) {
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
  }
)
