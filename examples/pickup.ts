/** The bakery's agent on a question whose steps nobody knew beforehand. Another model is another Layer in the last line. */
import { Bakery, BakeryAgent, BakeryTools, OfflineModel } from "@levain/bakery"
import { Agent } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const program = Effect.gen(function*() {
  const run = yield* Agent.run(BakeryAgent.pickup, "Six croissants or a rye loaf, and are you open on Sunday?")
  for (const { call, result } of run.steps) {
    yield* Console.log(`${call.name} ${JSON.stringify(call.input)} -> ${result.isError ? "error" : "ok"}`)
  }
  yield* Console.log(run.stop._tag === "Answered" ? run.stop.text : run.stop._tag)
})

const Tools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

await Effect.runPromise(program.pipe(Effect.provide([Tools, OfflineModel.layer])))
