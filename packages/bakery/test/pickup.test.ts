import { Agent, Stop, Tool, type ToolCall, Toolset, type Transcript } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Bakery from "../src/Bakery.ts"
import { pickup } from "../src/BakeryAgent.ts"
import * as BakeryTools from "../src/BakeryTools.ts"

const { answers, asks, call, stops } = ScriptedModel

const tools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

const result = (message: Transcript.Message | undefined, index = 0): ToolCall.ToolResult | undefined =>
  message?._tag === "Results" ? message.results[index] : undefined

/** One call, and the result the model reads of it on its next turn. */
const resultOf = <E>(asked: ScriptedModel.ScriptedCall, using: Layer.Layer<Toolset.Toolset, E>) =>
  Effect.gen(function*() {
    yield* Agent.run(pickup, "A question about picking up")
    const { seen } = yield* ScriptedModel.ScriptedModel
    return result((yield* seen)[1])
  }).pipe(Effect.provide([using, ScriptedModel.layer([asks(100, asked), answers(100, "Thank you.")])]))

const wantsToolsForEver = (tokens: number) =>
  ScriptedModel.layer(Array.from({ length: 5 }, () => asks(tokens, call("opening_hours", { day: "friday" }))))

const within = (limits: { readonly maxTurns: number; readonly maxTokens: number }) =>
  Agent.make(pickup.name, { instructions: pickup.instructions, limits })

feature(new URL("../features/pickup.feature", import.meta.url), (scenario) => {
  scenario("The agent answers from the bakery's own data", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(pickup, "Two dozen sourdough rolls on Saturday at 9?")
      const { assertPlayed, seen } = yield* ScriptedModel.ScriptedModel
      yield* assertPlayed
      expect((yield* seen)[1]).toEqual({
        _tag: "Results",
        results: [
          {
            callId: "c1",
            isError: false,
            content: "{\"name\":\"sourdough rolls\",\"priceCents\":150,\"noticeDays\":2}"
          },
          {
            callId: "c2",
            isError: false,
            content: "{\"day\":\"saturday\",\"hours\":{\"opens\":\"08:00\",\"closes\":\"13:00\"}}"
          }
        ]
      })
      expect(run.stop).toEqual(Stop.Stop.cases.Answered.make({ text: "Yes: $36, and we open at 8." }))
      expect(run.spent.turns).toBe(2)
      expect(run.spent.usage.output).toBe(700)
    }).pipe(Effect.provide([
      tools,
      ScriptedModel.layer([
        asks(300, call("menu_item", { name: "Sourdough rolls" }), call("opening_hours", { day: "saturday" })),
        answers(400, "Yes: $36, and we open at 8.")
      ])
    ])))

  scenario("A failed lookup goes back to the model as a result", () =>
    Effect.gen(function*() {
      expect(yield* resultOf(call("menu_item", { name: "Croissants" }), tools)).toEqual({
        callId: "c1",
        isError: true,
        content: "notFound: the menu has no croissants. It has: sourdough rolls, rye loaf, cinnamon buns."
      })
    }))

  scenario("Input that breaks the schema never reaches the tool", () =>
    Effect.gen(function*() {
      let looked = 0
      const bakery = Bakery.layer({
        menu: [],
        get hours() {
          looked = looked + 1
          return Bakery.example.hours
        }
      })
      const watched = BakeryTools.layer.pipe(Layer.provide(bakery))
      expect(yield* resultOf(call("opening_hours", { day: "Saturday morning" }), watched)).toEqual({
        callId: "c1",
        isError: true,
        content: "badInput: day must be one of: monday, tuesday, wednesday, thursday, friday, saturday, sunday.",
        notRun: "badInput"
      })
      expect(looked).toBe(0)
      yield* resultOf(call("opening_hours", { day: "saturday" }), watched)
      expect(looked).toBe(1)
    }))

  scenario("A day with a capital letter still finds the hours", () =>
    Effect.gen(function*() {
      expect(yield* resultOf(call("opening_hours", { day: "Saturday" }), tools)).toEqual({
        callId: "c1",
        isError: false,
        content: "{\"day\":\"saturday\",\"hours\":{\"opens\":\"08:00\",\"closes\":\"13:00\"}}"
      })
    }))

  scenario("An unknown tool is a failure, not a crash", () =>
    Effect.gen(function*() {
      expect(yield* resultOf(call("place_order", { item: "rye loaf" }), tools)).toEqual({
        callId: "c1",
        isError: true,
        content: "notFound: no tool is named place_order. The tools are: opening_hours, menu_item.",
        notRun: "unknownTool"
      })
    }))

  scenario("A tool that throws is a failure, not a crash", () =>
    Effect.gen(function*() {
      const till = Tool.make("menu_item", {
        description: "The menu, read from the till.",
        input: Schema.Struct({}),
        run: () => Effect.promise(() => Promise.reject(new Error("the till is offline")))
      })
      expect(yield* resultOf(call("menu_item", {}), Toolset.layer(till))).toEqual({
        callId: "c1",
        isError: true,
        content: "unavailable: Error: the till is offline"
      })
    }))

  scenario("The loop stops at its turn limit", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(within({ maxTurns: 3, maxTokens: 20_000 }), "When are you open?")
      const { seen } = yield* ScriptedModel.ScriptedModel
      expect(yield* seen).toHaveLength(3)
      expect(run.stop).toEqual({ _tag: "OutOfTurns" })
    }).pipe(Effect.provide([tools, wantsToolsForEver(100)])))

  scenario("The loop stops when its budget is spent", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(within({ maxTurns: 6, maxTokens: 1000 }), "When are you open?")
      expect(run.stop).toEqual({ _tag: "OutOfTokens" })
      expect(run.spent.turns).toBe(3)
      expect(run.spent.usage.output).toBe(1200)
    }).pipe(Effect.provide([tools, wantsToolsForEver(400)])))

  scenario("A refusal is a stop, never an answer", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(pickup, "A question about picking up")
      expect(run.stop).toEqual({ _tag: "ModelStopped", reason: "refused" })
      expect(run.steps).toEqual([])
    }).pipe(Effect.provide([tools, ScriptedModel.layer([stops(50, "refused")])])))
})
