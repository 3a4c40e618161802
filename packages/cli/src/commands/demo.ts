/** `levain demo`: one customer's question with a scripted model in the model's seat, real tools, and made-up token counts. */
import { BakeryAgent } from "@levain/bakery"
import { Agent } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { pickupTools } from "../AgentChoice.ts"
import { play } from "../Play.ts"
import * as Settings from "../Settings.ts"

const { answers, asks, call } = ScriptedModel

const question = "Can I pick up two dozen sourdough rolls and six croissants on Saturday at 9?"

const script = [
  asks(
    300,
    call("menu_item", { name: "Sourdough rolls" }),
    call("menu_item", { name: "Croissants" }),
    call("opening_hours", { day: "saturday" })
  ),
  answers(
    500,
    "Two dozen sourdough rolls are $36 and need two days' notice, so please order by Thursday. " +
      "We don't bake croissants; the menu has sourdough rolls, rye loaf and cinnamon buns. On Saturday we open at 8, so 9 works."
  )
]

export const demo = Command.make(
  "demo",
  Settings.showFlags,
  (options) =>
    play(Agent.run(BakeryAgent.pickup, question), options).pipe(
      Effect.provide([pickupTools, ScriptedModel.layer(script)])
    )
).pipe(
  Command.withDescription(`Play a scripted run of one question: "${question}"`),
  Command.withShortDescription("Play a scripted run"),
  Command.withExamples([
    { command: "levain demo", description: "As lines, or drawn in a terminal" }
  ])
)
