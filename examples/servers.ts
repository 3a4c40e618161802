/** The tools of an MCP server beside a tool of one's own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Agent, Tool, Toolset } from "@levain/core"
import * as McpToolset from "@levain/core/McpToolset"
import { ScriptedModel } from "@levain/core/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const { answers, asks, call } = ScriptedModel

const shout = Tool.make("shout", {
  description: "Says it loudly.",
  input: Schema.Struct({ text: Schema.String }),
  run: ({ text }) => Effect.succeed(text.toUpperCase())
})

/** The protocol's own reference server. Its names get a prefix, as another server may have the same ones. */
const Reference = McpToolset.layerStdio({
  server: "reference",
  command: "npx",
  args: ["mcp-server-everything", "stdio"],
  prefix: "ref_"
}).pipe(Layer.provide(NodeServices.layer))

const Model = ScriptedModel.layer([
  asks(100, call("ref_get-sum", { a: 20, b: 22 }), call("ref_get-sum", { a: "20" }), call("shout", { text: "done" })),
  answers(100, "It is 42.")
])

await Agent.run(Agent.make("adder", { instructions: "Add." }), "20 and 22?").pipe(
  Effect.tap(({ steps, stop }) =>
    Effect.andThen(
      Effect.forEach(steps, ({ call, result }) => Console.log(call.name, "→", result.content)),
      Console.log(stop)
    )
  ),
  Effect.provide([Model, Toolset.merge(Reference, Toolset.layer(shout))]),
  Effect.runPromise
)
