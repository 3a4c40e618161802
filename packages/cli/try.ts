import { Agent } from "@levain/core"
import { Bakery, BakeryAgent, BakeryTools, OfflineModel } from "@levain/bakery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
const L = Layer.mergeAll(BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample)), OfflineModel.layer)
for (const q of readFileSync("/tmp/questions.txt", "utf8").split("\n")) {
  const r = await Effect.runPromise(Agent.run(BakeryAgent.pickup, q).pipe(Effect.provide(L)))
  console.log("\nQ", q); console.log("  ", r.steps.map((s) => Object.values(s.call.input as any).join()).join(" | "))
  console.log("  ", (r.stop as any).text ?? r.stop)
}
