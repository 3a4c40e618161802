/** `levain runs`: what the journal holds, the run that was written last first. */
import { Decider, Journal } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as JournalChoice from "../JournalChoice.ts"
import * as Story from "../pure/Story.ts"

export const runs = Effect.fnUntraced(function*({ journal }: { readonly journal: Option.Option<string> }) {
  const layer = yield* JournalChoice.choose(journal)
  yield* list.pipe(Effect.provide(layer))
})

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
