/** An agent whose tool cannot be interrupted, and never ends. */
import { Agent, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { asks, call } = ScriptedModel

const stay = Tool.make("stay", {
  description: "Stays.",
  input: Schema.Struct({}),
  run: () => Effect.uninterruptible(Effect.never)
})

export default {
  agent: Agent.make("stubborn", { instructions: "Stay." }),
  tools: Toolset.layer(stay),
  model: ScriptedModel.layer([asks(10, call("stay", {}))])
}
