/**
 * What every model promises, run over each of ours: a program that runs an agent changes one Layer to change its model, and sees no
 * difference but the words.
 */
import { it } from "@effect/vitest"
import { Bakery, BakeryAgent, BakeryTools, OfflineModel } from "@levain/bakery"
import { ClaudeModel } from "@levain/claude"
import { Agent, type Delta, Model, Reply, RunEvent, RunObserver } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import * as FakeApi from "../packages/claude/test/FakeApi.ts"

const question = "Are you open on Sunday, and do you have rye loaf?"
const said = "On Sunday we are closed, and a rye loaf is $9."

const scripted = ScriptedModel.layer([
  ScriptedModel.asks(
    20,
    ScriptedModel.call("menu_item", { name: "rye loaf" }),
    ScriptedModel.call("opening_hours", { day: "sunday" })
  ),
  ScriptedModel.answers(30, said)
])

/** Claude, played by the fake API, which says what the script says. */
const claude = Layer.unwrap(Effect.map(FakeApi.make(), (api) => {
  api.queue(
    FakeApi.streams({
      stop_reason: "tool_use",
      content: [
        { type: "tool_use", id: "toolu_1", name: "menu_item", input: { name: "rye loaf" } },
        { type: "tool_use", id: "toolu_2", name: "opening_hours", input: { day: "sunday" } }
      ]
    }),
    FakeApi.streams({ content: [{ type: "text", text: said }] })
  )
  return ClaudeModel.layer({ apiKey: Redacted.make("k"), baseUrl: api.url })
}))

const Tools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

const models: ReadonlyArray<readonly [string, Layer.Layer<Model.Model, unknown>]> = [
  ["ScriptedModel", scripted],
  ["OfflineModel", OfflineModel.layer],
  ["ClaudeModel", claude]
]

describe.each(models)("%s", (_, model) => {
  it.effect("asks for what it needs, answers from the results, and is watched while it does", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const observer: RunObserver.RunObserver = {
        event: () => Effect.void,
        delta: (delta: Delta.Delta) => Effect.sync(() => void (delta._tag === "Text" && seen.push(delta.text)))
      }
      const run = yield* Agent.run(BakeryAgent.pickup, question).pipe(
        Effect.provideService(RunObserver.RunObserver, [observer])
      )
      expect(run.stop).toMatchObject({ _tag: "Answered", text: expect.stringContaining("closed") })
      expect(run.steps.map(({ call, result }) => [call.name, call.input, result.isError, result.callId === call.id]))
        .toEqual([
          ["menu_item", { name: "rye loaf" }, false, true],
          ["opening_hours", { day: "sunday" }, false, true]
        ])
      expect(run.spent.turns).toBe(2)
      expect(run.events.map(({ _tag }) => _tag)).toEqual([
        "RunStarted",
        "Replied",
        "ToolFinished",
        "ToolFinished",
        "Replied",
        "RunStopped"
      ])
      expect(run.stop._tag === "Answered" && seen.join("")).toBe(run.stop._tag === "Answered" && run.stop.text)
    }).pipe(Effect.provide([Tools, model])))

  it.effect("replies in values that can be kept as JSON and need no mending", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(BakeryAgent.pickup, question)
      const events = Schema.Array(RunEvent.RunEvent)
      const kept = JSON.stringify(Schema.encodeSync(events)(run.events))
      expect(Schema.decodeUnknownSync(events)(JSON.parse(kept))).toEqual(run.events)
      for (const event of run.events) {
        if (event._tag === "Replied") expect(Reply.mend(event.reply)).toEqual(event.reply)
      }
    }).pipe(Effect.provide([Tools, model])))

  it.effect("needs no sink: what a watcher sees is in the reply", () =>
    Effect.gen(function*() {
      const { reply } = yield* Model.Model
      const transcript = [{ _tag: "Task", text: question }] as const
      const first = yield* reply({ runId: "r", instructions: "Be kind.", tools: [], transcript }, Model.unwatched)
      expect(Schema.is(Reply.ModelReply)(first)).toBe(true)
    }).pipe(Effect.provide(model)))
})
