/** `levain show RUN`: the story of a run that is kept, its messages or its events. */
import { Decider, Journal, RunEvent } from "@levain/core"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as JournalChoice from "../JournalChoice.ts"
import { isColoured } from "../Printer.ts"
import * as Render from "../pure/Render.ts"
import * as Story from "../pure/Story.ts"
import * as Settings from "../Settings.ts"

/** The run that a command is about. */
export const runArgument = Argument.String("run").pipe(
  Argument.withDescription("A run's id, the beginning of one, or last")
)

export const show = Command.make(
  "show",
  {
    run: runArgument,
    messages: Flag.Boolean("messages").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print the messages that the model saw, one JSON object a line")
    ),
    json: Settings.jsonFlag,
    journal: JournalChoice.journalFlag
  },
  Effect.fnUntraced(function*({ journal, json, messages, run }) {
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
).pipe(
  Command.withDescription("Print a run that is kept: what was asked, each call and its result, and how it ended."),
  Command.withShortDescription("Print a run that is kept"),
  Command.withExamples([
    { command: "levain show last", description: "What happened, in words" },
    { command: "levain show last --messages", description: "What the model saw" }
  ])
)

/** What was decoded can be encoded. */
const toJson = (event: RunEvent.RunEvent) => Effect.orDie(encode(event))
const encode = Schema.encodeEffect(Schema.fromJsonString(RunEvent.RunEvent))
