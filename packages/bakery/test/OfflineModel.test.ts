import { describe, it } from "@effect/vitest"
import { Agent, type Model, Transcript, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Bakery from "../src/Bakery.ts"
import { pickup } from "../src/BakeryAgent.ts"
import * as BakeryTools from "../src/BakeryTools.ts"
import * as OfflineModel from "../src/OfflineModel.ts"

const atThe = (bakery: Bakery.Bakery["Service"]) =>
  Layer.mergeAll(BakeryTools.layer.pipe(Layer.provide(Bakery.layer(bakery))), OfflineModel.layer)

/** What the agent looks up for a question, and its draft. */
const asked = Effect.fnUntraced(function*(question: string) {
  const run = yield* Agent.run(pickup, question)
  return {
    lookUps: run.steps.map(({ call }) => Object.values(call.input as Record<string, string>).join()),
    draft: run.stop._tag === "Answered" ? run.stop.text : run.stop._tag,
    turns: run.spent.turns
  }
})

const week = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
const weekHours =
  "We are open Tuesday to Friday from 07:00 to 15:00 and Saturday from 08:00 to 13:00, and closed on Monday and Sunday."
const noCroissants = "We don't have croissants; our menu has sourdough rolls, rye loaf and cinnamon buns."

/** A question, what it makes the model look up, and what the draft must say. */
const questions: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [
    "Can I pick up two dozen sourdough rolls and six croissants on Saturday at 9?",
    ["sourdough rolls", "croissants", "saturday"],
    [
      "24 sourdough rolls are $36",
      "2 days' notice",
      "order by Thursday",
      noCroissants,
      "08:00 to 13:00, so 09:00 works"
    ]
  ],
  [
    "Hello, we're hosting a brunch for 15 on Saturday. Could you do 30 sourdough rolls, 15 cinnamon buns and two loaves of rye? We'd pick up around 8.",
    ["sourdough rolls", "cinnamon buns", "loaves of rye", "saturday"],
    [
      "30 sourdough rolls are $45",
      "15 cinnamon buns are $60",
      "2 rye loaves are $18",
      "Together that is $123",
      "08:00 works"
    ]
  ],
  ["Rolls - 24, Buns - 12, Rye - 2. Saturday 9:00.", ["rolls", "buns", "rye", "saturday"], ["Together that is $102"]],
  ["a dozen each of rolls and buns for Friday", ["rolls", "buns", "friday"], [
    "12 sourdough rolls",
    "12 cinnamon buns"
  ]],
  ["I need 1,000 rolls", ["rolls"], ["1000 sourdough rolls are $1500"]],
  ["three and a half dozen rolls", ["rolls"], ["42 sourdough rolls"]],
  ["1 1/2 dozen cinnamon buns", ["cinnamon buns"], ["18 cinnamon buns"]],
  ["a hundred and twenty rolls", ["rolls"], ["120 sourdough rolls are $180"]],
  ["a half-dozen rolls", ["rolls"], ["6 sourdough rolls"]],
  ["24 rolls. Sorry, make that 36 rolls.", ["rolls"], ["36 sourdough rolls"]],
  ["10-12 rolls", ["rolls"], ["Sourdough rolls are $1.50 each"]],
  ["rye loaf x 3 on sat at noon", ["rye loaf", "saturday"], ["3 rye loaves are $27", "12:00 works"]],
  ["How much is a rye loaf?", ["rye loaf"], ["One rye loaf is $9 and needs 1 day's notice."]],
  ["What's the price of your sourdough?", ["sourdough"], ["Sourdough rolls are $1.50 each"]],
  ["sinnamon buns", ["sinnamon buns"], ["Cinnamon buns are $4 each"]],
  ["When are you open?", week, [weekHours]],
  ["wat r ur hrs", week, [weekHours]],
  ["Do you open on Sundays?", ["sunday"], ["On Sunday we are closed."]],
  ["40 buns for a party on Sunday", ["buns", "sunday"], ["40 cinnamon buns are $160", "On Sunday we are closed."]],
  ["Tuesday through Saturday?", week.slice(1, 6), ["Tuesday to Friday from 07:00 to 15:00 and Saturday"]],
  ["12 rolls for my Sunday roast, collected on Friday", ["rolls", "friday"], ["order by Wednesday"]],
  ["Not Friday, Saturday, 2 buns", ["buns", "saturday"], ["2 cinnamon buns are $8"]],
  ["Are you open on Wensday?", ["wednesday"], ["On Wednesday we are open from 07:00 to 15:00"]],
  ["Can I come at 4 on Friday?", ["friday"], ["16:00 is outside our hours"]],
  ["200 ROLLS!!! FRIDAY!!! 6AM???", ["rolls", "friday"], [
    "200 sourdough rolls are $300",
    "06:00 is outside our hours"
  ]],
  ["Can I pick up at 1 on Saturday", ["saturday"], ["13:00 is closing time"]],
  ["Can I come by at half past two on Thursday", ["thursday"], ["14:30 works"]],
  ["20 past 8 on tuesday", ["tuesday"], ["08:20 works"]],
  ["by quarter to nine on tuesday", ["tuesday"], ["08:45 works"]],
  ["seven thirty on friday", ["friday"], ["07:30 works"]],
  ["Friday 8-9am", ["friday"], ["08:00 works and 09:00 works"]],
  ["0630 tues ok?", ["tuesday"], ["06:30 is outside our hours"]],
  [
    "any chance of 5 rye loaves tomorrow at 10am?",
    ["rye loaves", ...week],
    ["5 rye loaves are $45", weekHours, "10:00 is within our hours on Tuesday to Saturday", "no calendar"]
  ],
  ["Do you bake baguettes or focaccia?", ["baguettes", "focaccia"], [
    "We don't have baguettes or focaccia; our menu has"
  ]],
  ["Do you have any spanakopita left?", ["spanakopita"], ["We don't have spanakopita"]],
  ["pizza?", ["pizza"], ["We don't have pizza"]],
  ["What's on the menu?", ["whole menu", "sourdough rolls", "rye loaf", "cinnamon buns"], ["$1.50", "$9", "$4"]],
  ["Are your cinnamon buns vegan?", ["cinnamon buns"], ["$4 each", "\"vegan\"", "ask a person here"]],
  ["I'm allergic to nuts, is the rye safe?", ["rye"], ["nuts", "ask a person here"]],
  ["Do you deliver?", [], ["I cannot answer that", "what an item on our menu costs"]],
  ["What is the meaning of life?", [], ["I cannot answer that"]],
  ["", [], ["There is no question here.", "what an item on our menu costs"]],
  ["???", [], ["There is no question here."]],
  ["Haben Sie am Samstag Roggenbrot?", [], ["English only", "what an item on our menu costs"]],
  ["¿Tienen panecillos el sábado a las nueve?", [], ["English only"]],
  ["土曜日にパンを買えますか", [], ["English only"]]
]

describe("the offline model", () => {
  for (const [question, lookUps, facts] of questions) {
    it.effect(question === "" ? "an empty question" : question, () =>
      Effect.gen(function*() {
        const answer = yield* asked(question)
        expect(answer.lookUps).toEqual(lookUps)
        for (const fact of facts) expect(answer.draft).toContain(fact)
        if (!lookUps.includes("whole menu")) expect(answer.turns).toBe(lookUps.length === 0 ? 1 : 2)
      }).pipe(Effect.provide(atThe(Bakery.example))))
  }

  it.effect("says what the tools say, whichever the bakery", () =>
    Effect.gen(function*() {
      const { draft } = yield* asked("Two dozen rolls and an olive ciabatta on Sunday at 11, please")
      expect(draft).toContain("An olive ciabatta".slice(3))
      expect(draft).toContain("One olive ciabatta is $5.25 and needs no notice.")
      expect(draft).toContain("We don't have rolls; our menu has olive ciabatta.")
      expect(draft).toContain("On Sunday we are open from 10:00 to 12:00, so 11:00 works.")
    }).pipe(Effect.provide(atThe({
      menu: [{ name: "olive ciabatta", priceCents: 525, noticeDays: 0 }],
      hours: { ...Bakery.example.hours, sunday: { opens: "10:00", closes: "12:00" } }
    }))))

  const request = (transcript: Transcript.Transcript): Model.ModelRequest => ({
    runId: "r",
    instructions: "",
    tools: [],
    transcript
  })

  it("says so when a look-up failed", () => {
    const reply = OfflineModel.reply({
      ...request([
        { _tag: "Task", text: "rye?" },
        { _tag: "ToolCalls", calls: [{ id: "c1", name: "menu_item", input: { name: "rye" } }], usage: Usage.zero },
        { _tag: "Results", results: [{ callId: "c1", content: "unavailable: the till is offline", isError: true }] }
      ])
    })
    expect(reply).toMatchObject({ _tag: "Answer", text: "I could not look up rye: unavailable: the till is offline" })
  })

  it("asks for no tool that it is not offered", () => {
    expect(OfflineModel.reply(request([{ _tag: "Task", text: "rye?" }]))._tag).toBe("Answer")
  })

  it.prop("replies to any transcript, and the same each time", [Transcript.Transcript], ([transcript]) => {
    const reply = OfflineModel.reply(request(transcript))
    expect(OfflineModel.reply(structuredClone(request(transcript)))).toEqual(reply)
    expect(reply._tag === "Answer" && reply.text.trim() !== "").toBe(true)
  }, { arbitrary: { runs: 200 } })

  it.prop("reads any text", [Schema.String], ([text]) => {
    expect(OfflineModel.reply(request([{ _tag: "Task", text }]))._tag).toBe("Answer")
  }, { arbitrary: { runs: 300, size: 60 } })
})
