import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Layer from "effect/Layer"
import { Agent } from "@levain/core"
import { agentOf, modelOf, toolsOf } from "./contenders/levain.ts"
import * as Work from "./Work.ts"
const turns = 1
const tally = Work.tally()
const runtime = ManagedRuntime.make(Layer.mergeAll(modelOf({ turns, thinks: 0 }, tally), toolsOf(tally)))
const N = Number(process.argv[2] ?? 20000)
for (let i = 0; i < 50; i++) await runtime.runPromise(Agent.run(agentOf({ turns, thinks: 0 }), Work.task))
const s = performance.now()
for (let i = 0; i < N; i++) await runtime.runPromise(Agent.run(agentOf({ turns, thinks: 0 }), Work.task))
console.log("us/turn", ((performance.now() - s) * 1000 / N / turns).toFixed(2))
