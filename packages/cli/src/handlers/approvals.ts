/** `levain approvals`: what waits for a person in the runs that are kept. */
import { Approval, Decider, Journal, Waiting } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as JournalChoice from "../JournalChoice.ts"
import * as Render from "../pure/Render.ts"
import * as Story from "../pure/Story.ts"

export const approvals = Effect.fnUntraced(
  function*({ journal, json }: { readonly json: boolean; readonly journal: Option.Option<string> }) {
    const layer = yield* JournalChoice.choose(journal)
    yield* list(json).pipe(Effect.provide(layer))
  }
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
