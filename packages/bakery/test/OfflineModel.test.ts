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

const notSure = (items: string) => `I am not sure how many ${items} you would like: please tell us the number.`
const untold = (words: string) => `Our menu and hours say nothing about ${words}: please ask a person here.`

/** A question, and what its draft must say; none of them denies an item. */
const drafts: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  // Half a dozen is six wherever it stands, and half of the dozens before it only where it says so.
  [
    "3 rye loaves and half a dozen cinnamon buns",
    "3 rye loaves are $27",
    "6 cinnamon buns are $24",
    "Together that is $51."
  ],
  [
    "Half a dozen rolls and half a dozen buns",
    "6 sourdough rolls are $9",
    "6 cinnamon buns are $24",
    "Together that is $33."
  ],
  ["2 loaves of rye and a half dozen sourdough rolls", "2 rye loaves are $18", "6 sourdough rolls are $9"],
  ["a dozen rolls and 1/2 dozen buns", "12 sourdough rolls are $18", "6 cinnamon buns are $24"],
  ["half-a-dozen buns", "6 cinnamon buns are $24"],
  ["two and a half dozen buns", "30 cinnamon buns are $120"],
  ["a dozen and a half buns", "18 cinnamon buns are $72"],
  // Other amounts.
  ["a couple of dozen rolls", "24 sourdough rolls are $36"],
  ["Two baker's dozens of rolls", "26 sourdough rolls are $39"],
  ["three quarters of a dozen buns", "9 cinnamon buns are $36"],
  ["a million rolls", "1000000 sourdough rolls are $1500000"],
  ["3 bags of 6 rolls", "18 sourdough rolls are $27"],
  ["3 packs of 12 rolls", "36 sourdough rolls are $54"],
  ["12-pack of rolls", "12 sourdough rolls are $18"],
  ["two six-packs of rolls", "12 sourdough rolls are $18"],
  ["two 12-packs of rolls", "24 sourdough rolls are $36"],
  ["3 x 12 rolls", "36 sourdough rolls are $54"],
  ["12 (twelve) rolls", "12 sourdough rolls are $18"],
  ["I'd like twelve rolls, no wait, make that eighteen", "18 sourdough rolls are $27"],
  ["I ordered 12 rolls for Saturday. Can I change it to 18?", "18 sourdough rolls are $27", "08:00 to 13:00."],
  ["I want 24 rolls instead of 12", "24 sourdough rolls are $36"],
  ["2 rolls per person for 10 people", "20 sourdough rolls are $30"],
  ["A dozen rolls each for 3 families", "36 sourdough rolls are $54"],
  ["rolls (24), rye (2), buns (6)", "24 sourdough rolls", "2 rye loaves", "6 cinnamon buns", "Together that is $78."],
  ["rolls 24 pieces", "24 sourdough rolls are $36"],
  ["24 pcs sourdough rolls", "24 sourdough rolls are $36"],
  ["6rolls", "6 sourdough rolls are $9"],
  ["2 ryes", "2 rye loaves are $18"],
  ["rolls 12\nbuns 6", "12 sourdough rolls are $18", "6 cinnamon buns are $24"],
  ["I need rolls, about 20, on Friday", "20 sourdough rolls are $30", "07:00 to 15:00."],
  [
    "six of each on Thursday",
    "6 sourdough rolls are $9",
    "6 rye loaves are $54",
    "6 cinnamon buns are $24",
    "$87",
    "by Tuesday"
  ],
  ["rolls and buns, 6 of each", "6 sourdough rolls are $9", "6 cinnamon buns are $24"],
  [
    "how much would one of each item cost",
    "One sourdough roll is $1.50",
    "One cinnamon bun is $4",
    "Together that is $14.50."
  ],
  ["six or so buns", "6 cinnamon buns are $24"],
  ["40+ rolls", "40 sourdough rolls are $60"],
  ["40ish rolls", "40 sourdough rolls are $60"],
  ["2k rolls", "2000 sourdough rolls are $3000"],
  ["rolls, qty 12", "12 sourdough rolls are $18"],
  ["12 rolls at 1.50 each", "12 sourdough rolls are $18 ($1.50 each) and need 2 days' notice."],
  ["My 3 kids love your buns. Could I get one each?", "3 cinnamon buns are $12"],
  ["one of everything", "One sourdough roll is $1.50", "One rye loaf is $9", "One cinnamon bun is $4", "$14.50"],
  ["not 12 but 18 rolls", "18 sourdough rolls are $27"],
  ["1,5 dozen rolls", "18 sourdough rolls are $27"],
  ["one thousand two hundred rolls", "1200 sourdough rolls are $1800"],
  ["a gross of rolls", "144 sourdough rolls are $216"],
  ["3 cinamon bun's", "3 cinnamon buns are $12"],
  ["12 rolls with 2 days' notice, ok?", "12 sourdough rolls are $18"],
  ["no rolls, just 3 buns", "3 cinnamon buns are $12 ($4 each) and need 1 day's notice. Tell us"],
  // An amount that is not clear is never priced.
  ["a dozen and half a dozen rolls", notSure("sourdough rolls")],
  ["rolls for me and 11 colleagues, one each", notSure("sourdough rolls")],
  ["each of us wants 2 rolls, we are 6", notSure("sourdough rolls")],
  ["12,5 rolls", notSure("sourdough rolls")],
  ["2 500 rolls", notSure("sourdough rolls")],
  ["1e3 rolls", notSure("sourdough rolls")],
  ["12 dinner rolls", "I do not find \"dinner rolls\" under that name", notSure("sourdough rolls")],
  ["100s of rolls", notSure("sourdough rolls")],
  ["12, maybe 18 rolls", notSure("sourdough rolls")],
  ["12 rolls? 18 rolls?", notSure("sourdough rolls")],
  ["sat 9 rye 2", notSure("rye loaves")],
  ...["several rye loaves", "1/2 rye loaf", "two rye loaves each", "rye loaves: 1.000"].map((question) =>
    [question, "Rye loaves are $9 each", notSure("rye loaves")] as const
  ),
  ...[
    "a few dozen rolls",
    "dozens of rolls",
    "thirty to forty rolls",
    "ten or twelve rolls",
    "ten to twelve rolls",
    "between 10 and 12 rolls",
    "10-12 rolls",
    "1.000 rolls",
    "-5 rolls",
    "2 trays of rolls",
    "a box of rolls",
    "2 rolls each for our guests"
  ].map((question) => [question, "Sourdough rolls are $1.50 each", notSure("sourdough rolls")] as const),
  ["rolls 12 buns 6 rye 2", notSure("sourdough rolls, cinnamon buns and rye loaves")],
  ["12 rolls and 6 buns, no wait, make that 8", notSure("sourdough rolls and cinnamon buns")],
  ["2 rolls and 1 bun each for 10 people", "10 cinnamon buns are $40", notSure("sourdough rolls")],
  ["a tray of cinnamon buns", "Cinnamon buns are $4 each", notSure("cinnamon buns")],
  // What is in an item, and what else the data does not tell.
  ["Is there milk in the cinnamon buns?", "Cinnamon buns are $4 each", untold("\"milk\"")],
  ["Do the cinnamon buns contain butter?", "Cinnamon buns are $4 each", untold("\"contain\" and \"butter\"")],
  ["Are the rolls made with milk or eggs?", "Sourdough rolls are $1.50 each", untold("\"milk\" and \"eggs\"")],
  ["Is there flour in your rye loaf?", "Rye loaves are $9 each", untold("\"flour\"")],
  ["Are the rolls made with yeast?", untold("\"yeast\"")],
  ["Do the rolls have wheat?", untold("\"wheat\"")],
  ["Do the rolls have sesame seeds?", untold("\"sesame\" and \"seeds\"")],
  ["Do the buns have lactose?", untold("\"lactose\"")],
  ["Do the buns have raspberry jam?", "Cinnamon buns are $4 each", untold("\"raspberry jam\"")],
  ["Is there gluten in the rye loaf?", untold("\"gluten\"")],
  ["I'm allergic to milk - can I eat the rye loaf?", "Rye loaves are $9 each", untold("\"allergic\" and \"milk\"")],
  ["Do you slice the rye loaf?", "Rye loaves are $9 each", untold("\"slice\"")],
  ["Do you ship rye loaves?", "Rye loaves are $9 each", untold("\"ship\"")],
  ["Can I pay by card for 2 rye loaves?", "2 rye loaves are $18", untold("\"pay\" and \"card\"")],
  ["How heavy is the rye loaf?", untold("\"heavy\"")],
  ["Is the rye loaf squishy?", untold("\"squishy\"")],
  ["Do you have large rolls?", "Sourdough rolls are $1.50 each", untold("\"large\"")],
  ["Any cinnamon buns left today?", "an order today is too late for today", untold("\"left\"")],
  ["What are cinnamon buns made of", untold("\"what is in it\"")],
  ["Could you tell me if the cinnamon buns have icing?", untold("\"icing\"")],
  ["how many rye loaves do you have", "Rye loaves are $9 each", untold("\"how many\"")],
  ["Do you have outdoor seating?", "please ask a person here"],
  // Items in any spelling, and in the midst of other words.
  ["how much r the rolls n buns", "Sourdough rolls are $1.50 each", "Cinnamon buns are $4 each"],
  ["do you hav sour dough rolls", "Sourdough rolls are $1.50 each"],
  ["sourdogh rols for satruday pls", "Sourdough rolls are $1.50 each", "order by Thursday"],
  ["sourdough-rolls", "Sourdough rolls are $1.50 each"],
  ["-rye?", "Rye loaves are $9 each"],
  ["whats ur cheapest bread", "Sourdough rolls are $1.50 each", "Rye loaves are $9 each", "Cinnamon buns are $4 each"],
  ["Prices", "Sourdough rolls are $1.50 each", "Rye loaves are $9 each", "Cinnamon buns are $4 each"],
  [
    "What can I still get for tomorrow?",
    "Rye loaves are $9 each and need 1 day's notice, so an order today is in time for tomorrow."
  ],
  ["what is the price difference between a roll and a bun", "One sourdough roll is $1.50", "One cinnamon bun is $4"],
  ["How much notice do you need?", "need 2 days' notice", "Rye loaves are $9 each and need 1 day's notice."],
  [
    "tow rye loaves",
    "I do not find \"tow rye loaves\" under that name; the nearest on our menu is rye loaf. Rye loaves are $9 each"
  ],
  ["2 jolly rolls", "the nearest on our menu is sourdough rolls", notSure("sourdough rolls")],
  // Times.
  ["Tuesday 7 p.m.", "19:00 is outside our hours"],
  ["Friday 3 p.m.", "15:00 is closing time"],
  ["Tuesday at 7 tonight", "19:00 is outside our hours"],
  ["1500", "15:00 is closing time on Tuesday to Friday, and outside our hours on other days."],
  ["Can I come at 3pm?", "15:00 is closing time on Tuesday to Friday, and outside our hours on other days."],
  ["Can I come at 1pm?", "13:00 is within our hours on Tuesday to Friday."],
  ["@ 1430", "14:30 is within our hours on Tuesday to Friday."],
  ["Friday 13h00", "so 13:00 works."],
  ["Friday 15h30", "so 15:30 is outside our hours."],
  ["Friday 11ish", "so 11:00 works."],
  ["Sat 8-10?", "so 08:00 works and 10:00 works."],
  ["Friday, 11 or 12?", "so 11:00 works and 12:00 works."],
  ["Are you open until 5 on Friday", "so 17:00 is outside our hours."],
  ["Can I come before 7 on Friday", "so before 07:00 we are closed."],
  ["before 8 on Friday", "so before 08:00 works."],
  ["Can I come after 2 on Friday", "so after 14:00 works."],
  ["after 3 on Friday", "so after 15:00 we are closed."],
  ["Can I come before 8am?", "Before 08:00 we are open on Tuesday to Friday."],
  ["I'll be there at 5 to 9 on Tuesday", "so 08:55 works."],
  [
    "monday at 9, or otherwise tuesday at 9",
    "On Monday we are closed. On Tuesday we are open from 07:00 to 15:00, so 09:00 works."
  ],
  ["when can i come?", weekHours],
  ["Is 7 too early on Thursday?", "so 07:00 works."],
  ["Are you open at night?", "After 17:00 we are closed on every day asked about."],
  ["Good evening, when do you open on Friday?", "On Friday we are open from 07:00 to 15:00."],
  ["Would ten be ok on Friday", "so 10:00 works."],
  ["Thursday 230pm", "so 14:30 works."],
  ["I'll come at like 230 on Thursday", "so 14:30 works."],
  ["Collecting on Thursday, 2 dozen rolls", "24 sourdough rolls are $36", "07:00 to 15:00."],
  ["Is Saturday at 8 too early for rolls?", "so 08:00 works."],
  ["8 o clock saturday", "so 08:00 works."],
  ["are you open 9-5 on friday", "so 09:00 works and 17:00 is outside our hours."],
  ["Friday; 8.", "so 08:00 works."],
  // Days, and whether an order is in time for them.
  [
    "any day but Friday",
    "We are open Tuesday to Thursday from 07:00 to 15:00 and Saturday from 08:00 to 13:00, and closed"
  ],
  [
    "2moro 2 rye",
    "2 rye loaves are $18 ($9 each) and need 1 day's notice, so an order today is in time for tomorrow."
  ],
  ["Tomorrow, Saturday, 12 rolls", "so an order on Friday is too late for Saturday."],
  ["tomorrow is Saturday, can I have 12 rolls?", "so an order on Friday is too late for Saturday."],
  ["the day after tomorrow, 12 rolls?", "so an order today is in time for the day after tomorrow."],
  ["If I place my order on Tuesday, when can I pick up rolls?", "so an order on Tuesday is in time from Thursday on."],
  ["Today is Saturday. Any rolls?", "so an order on Saturday is in time from Monday on."],
  ["12 rolls in a week", "so an order today is in time for then."],
  ["200 rolls in 24 hours", "so an order today is too late for then."],
  ["2 rye loaves to order for today", "so an order today is too late for today."],
  ["I can't make Friday. Saturday at 9?", "On Saturday we are open from 08:00 to 13:00, so 09:00 works."],
  [
    "not on Monday or Tuesday",
    "We are open Wednesday to Friday from 07:00 to 15:00 and Saturday",
    "and closed on Sunday."
  ],
  ["Tue-Thu", "We are open Tuesday to Thursday from 07:00 to 15:00."],
  ["12 rolls on Tuesday or Wednesday, whichever is better", "12 sourdough rolls are $18"],
  ["Today is Friday. 12 rolls next Saturday?", "need 2 days' notice, so please order by Thursday."],
  ["Are you open on 24 December?", weekHours, "which day of the week you mean by \"24 december\"."],
  ["Dec 24?", weekHours, "which day of the week you mean by \"dec 24\"."],
  [
    "Open Friday, December 24?",
    "07:00 to 15:00. These are our usual hours; please ask a person here whether they hold on \"december 24\"."
  ],
  [
    "It is Friday. Can I get a rye loaf tomorrow?",
    "so an order on Friday is in time for Saturday. On Saturday we are open"
  ],
  [
    "If I come in on Tuesday can I get rolls the next day?",
    "so an order on Tuesday is too late for Wednesday. On Wednesday"
  ],
  [
    "order 12 rolls today for pickup tomorrow at 8am",
    "2 days' notice, so an order today is too late for tomorrow.",
    "which day of"
  ],
  ["Today is Thursday, can I have 12 rolls on Saturday?", "so an order on Thursday is in time for Saturday."],
  ["It's Friday, can I have 12 rolls on Saturday?", "so an order on Friday is too late for Saturday."],
  ["Now, Wednesday: 12 rolls for Thursday?", "so an order on Wednesday is too late for Thursday."],
  ["If I order on Thursday can I pick up 12 rolls on Saturday?", "so an order on Thursday is in time for Saturday."],
  [
    "Today is Friday. 12 rolls the day after tomorrow?",
    "so an order on Friday is in time for Sunday. On Sunday we are closed."
  ],
  ["12 rolls in 3 days", "so an order today is in time for then."],
  ["2 buns on Sunday", "2 cinnamon buns are $8 ($4 each) and need 1 day's notice. On Sunday we are closed."],
  ["2 buns on Friday or Saturday", "2 cinnamon buns are $8 ($4 each) and need 1 day's notice. On Friday"]
]

/** What the menu does not have is said without a word against what it has. */
const denials: ReadonlyArray<readonly [string, string]> = [
  [
    "Empanadas?",
    "We don't have empanadas on our menu, which has sourdough rolls, rye loaf and cinnamon buns; if you meant something else, please ask a person here."
  ],
  [
    "Do you have cinnamon rolls?",
    "We don't have cinnamon rolls; our menu has sourdough rolls, rye loaf and cinnamon buns."
  ],
  [
    "Do you sell banana bread?",
    "We don't have banana bread; our menu has sourdough rolls, rye loaf and cinnamon buns."
  ],
  [
    "24 rolls and 6 croissants",
    "24 sourdough rolls are $36 ($1.50 each) and need 2 days' notice. We don't have croissants; our menu has sourdough rolls, rye loaf and cinnamon buns. Tell us the day you would like to come, and we can say when we are open."
  ],
  [
    "ciao, vorrei due rye loaf per sabato",
    "I can read English only. I can tell you what an item on our menu costs, how many days' notice it needs, and when we are open. For example: \"Can I pick up two dozen sourdough rolls on Saturday at 9?\""
  ]
]

describe("the offline model", () => {
  for (const [question, ...facts] of drafts) {
    it.effect(question, () =>
      Effect.gen(function*() {
        const { draft } = yield* asked(question)
        for (const fact of facts) expect(draft).toContain(fact)
        expect(draft).not.toContain("We don't have")
      }).pipe(Effect.provide(atThe(Bakery.example))))
  }

  for (const [question, draft] of denials) {
    it.effect(question, () =>
      Effect.gen(function*() {
        expect((yield* asked(question)).draft).toBe(draft)
      }).pipe(Effect.provide(atThe(Bakery.example))))
  }

  it("is asked at most six times and for at most 50,000 tokens", () => {
    expect(pickup.limits).toEqual({ maxTurns: 6, maxTokens: 50_000 })
  })

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

  it("adds up no sum when a look-up failed", () => {
    const call = (id: string, name: string) => ({ id, name: "menu_item", input: { name } })
    const found = (callId: string, name: string) => ({
      callId,
      content: JSON.stringify({ name, priceCents: 100, noticeDays: 1 }),
      isError: false
    })
    const calls = [call("c1", "rolls"), call("c2", "buns"), call("c3", "rye")] as const
    const reply = OfflineModel.reply(request([
      { _tag: "Task", text: "2 rolls, 3 buns, 1 rye" },
      { _tag: "ToolCalls", calls: [...calls], usage: Usage.zero },
      {
        _tag: "Results",
        results: [found("c1", "rolls"), found("c2", "buns"), {
          callId: "c3",
          content: "unavailable: no",
          isError: true
        }]
      }
    ]))
    const text = reply._tag === "Answer" ? reply.text : ""
    expect(text).toContain("3 buns are $3")
    expect(text).not.toContain("Together")
  })

  it.effect("adds up no sum when an item is missing", () =>
    Effect.gen(function*() {
      const { draft } = yield* asked("2 rolls, 3 buns and a croissant")
      expect(draft).toContain("3 cinnamon buns are $12")
      expect(draft).not.toContain("Together")
    }).pipe(Effect.provide(atThe(Bakery.example))))

  it("asks for no tool that it is not offered", () => {
    expect(OfflineModel.reply(request([{ _tag: "Task", text: "rye?" }]))._tag).toBe("Answer")
  })

  it.prop("replies to any transcript, and the same each time", [Transcript.Transcript], ([transcript]) => {
    const reply = OfflineModel.reply(request(transcript))
    expect(OfflineModel.reply(structuredClone(request(transcript)))).toEqual(reply)
    expect(reply._tag === "Answer" && reply.text.trim() !== "").toBe(true)
  }, { arbitrary: { runs: 200 } })

  it("reads a text as long as any", () => {
    for (
      const words of [
        "dozen ",
        "2 ",
        "two and ",
        "rye ",
        "scrumptious ",
        "not monday and ",
        "at 9, ",
        "(",
        "each of ",
        "2 rolls each "
      ]
    ) {
      expect(OfflineModel.reply(request([{ _tag: "Task", text: words.repeat(5000) }]))._tag).toBe("Answer")
    }
  })

  it.prop("reads any text", [Schema.String], ([text]) => {
    expect(OfflineModel.reply(request([{ _tag: "Task", text }]))._tag).toBe("Answer")
  }, { arbitrary: { runs: 300, size: 60 } })
})
