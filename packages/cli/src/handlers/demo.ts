/** `levain demo`: one customer's question with a scripted model in the model's seat, real tools, and made-up token counts. */
import { BakeryAgent } from "@levain/bakery"
import { Agent } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import { pickupTools } from "../AgentChoice.ts"
import { question } from "../commands/demo.ts"
import { play } from "../Play.ts"
import type * as Settings from "../Settings.ts"

const { answers, asks, call } = ScriptedModel

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

export const demo = (options: Settings.ShowFlags) =>
  play(Agent.run(BakeryAgent.pickup, question), options).pipe(
    Effect.provide([pickupTools, ScriptedModel.layer(script)])
  )
