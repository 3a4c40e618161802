/** An agent that adds, with the tools of whatever server is given to it. */
import { Agent, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"

const { answers, asks, call } = ScriptedModel

export default {
  agent: Agent.make("adder", { instructions: "Add." }),
  tools: Toolset.layer(),
  model: ScriptedModel.layer([asks(10, call("get-sum", { a: 20, b: 22 })), answers(5, "It is 42.")])
}
