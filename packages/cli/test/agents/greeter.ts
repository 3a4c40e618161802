/** An agent of one's own: it greets, with a tool and a scripted model. */
import { Agent, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { answers, asks, call } = ScriptedModel

const greet = Tool.make("greet", {
  description: "Greets.",
  input: Schema.Struct({ name: Schema.String }),
  approval: ({ name }) => name !== "Anna" && `who is ${name}?`,
  run: ({ name }) => Effect.succeed(`Hello, ${name}.`)
})

export default {
  agent: Agent.make("greeter", { instructions: "Greet." }),
  tools: Toolset.layer(greet),
  model: ScriptedModel.layer([asks(10, call("greet", { name: "Anna" })), answers(5, "Hello, Anna.")])
}
