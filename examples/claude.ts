/** The bakery's agent with Claude in the model's seat, tried again when it fails, and replaced when it cannot answer at all. */
import { Bakery, BakeryAgent, BakeryTools, OfflineModel } from "@levain/bakery"
import { ClaudeModel } from "@levain/claude"
import { Agent, ModelPolicy } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const program = Effect.gen(function*() {
  const { spent, stop } = yield* Agent.run(BakeryAgent.pickup, "Are you open on Sunday?")
  yield* Console.log(stop._tag === "Answered" ? stop.text : stop._tag, spent.usage)
})

const Tools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

const Claude = ClaudeModel.layer({ effort: "low", cache: "1h" }).pipe(
  ModelPolicy.retry({ times: 4 }),
  ModelPolicy.fallback(OfflineModel.layer)
)

await Effect.runPromise(program.pipe(
  Effect.provide([Tools, Claude]),
  Effect.catchTag(["InvalidSetup"], ({ message }) => Console.log(message))
))
