/** `levain show RUN`: the story of a run that is kept, its messages or its events. */
import { Decider, Journal, RunEvent } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as JournalChoice from "../JournalChoice.ts"
import { isColoured } from "../Printer.ts"
import * as Render from "../pure/Render.ts"
import * as Story from "../pure/Story.ts"

interface Given {
  readonly run: string
  readonly messages: boolean
  readonly json: boolean
  readonly journal: Option.Option<string>
}

export const show = Effect.fnUntraced(function*({ journal, json, messages, run }: Given) {
  const layer = yield* JournalChoice.choose(journal)
  const events = yield* Effect.gen(function*() {
    const runId = yield* JournalChoice.findRun(run)
    return yield* (yield* Journal.Journal).read(runId)
  }).pipe(Effect.provide(layer))
  const style = (yield* isColoured) ? Render.coloured : Render.plain
  const lines = json
    ? yield* Effect.forEach(events, (event) => toJson(event))
    : messages
    ? Decider.fold(events).transcript.map((message) => JSON.stringify(message))
    : Story.story(events, style)
  for (const line of lines) yield* Console.log(line)
})

/** What was decoded can be encoded. */
const toJson = (event: RunEvent.RunEvent) => Effect.orDie(encode(event))
const encode = Schema.encodeEffect(Schema.fromJsonString(RunEvent.RunEvent))
