import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Agent, Model, Usage } from "@levain/core"
import { agentOf, modelOf, toolsOf } from "./contenders/levain.ts"
import { plain } from "./contenders/plain.ts"
import { bareEffect } from "./contenders/bareEffect.ts"
import * as Work from "./Work.ts"
const work = { turns: 10, thinks: 10 }, n = Number(process.argv[3] ?? 1000)
const which = process.argv[2]
const gc = (globalThis as any).gc
let base = 0, peak = 0, waiting = 0
const tally = Work.tally(() => { waiting++; if (waiting === n * 5) { gc(); peak = process.memoryUsage().heapUsed } })
const runtime = ManagedRuntime.make(Layer.mergeAll(modelOf(work, tally), toolsOf(tally)))
const agent = agentOf(work)
const one = which === "levain" ? () => runtime.runPromise(Agent.run(agent, Work.task)).then(() => undefined) : () => (which === "plain" ? plain : bareEffect).run(work, tally)
await one(); waiting = 0
const measure = process.argv[4] === "heap"
if (!measure) waiting = -1e12
for (let r = 0; r < (measure ? 1 : 5); r++) {
gc(); base = process.memoryUsage().heapUsed
const s = performance.now()
await Promise.all(Array.from({ length: n }, one))
console.log(which, "wall", (performance.now() - s).toFixed(0), measure ? "heap/run " + ((peak - base) / n / 1024).toFixed(2) + " KiB" : "")
}
