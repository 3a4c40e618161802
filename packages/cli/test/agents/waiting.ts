/** An agent whose call needs a person, and that has no model of its own for a second reply. */
import { Agent, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { answers, asks, call } = ScriptedModel

const send = Tool.make("send", {
  description: "Sends.",
  input: Schema.Struct({}),
  access: "writes",
  approval: "always",
  run: () => Effect.succeed("It is sent.")
})

const script = [asks(10, call("send", {})), answers(5, "Done.")]

export default {
  agent: Agent.make("sender", { instructions: "Send." }),
  tools: Toolset.layer(send),
  model: ScriptedModel.layer(process.env["SENDER_REPLY"] === "2" ? script.slice(1) : script)
}
