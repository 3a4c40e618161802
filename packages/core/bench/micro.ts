import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Decider, RunEvent, Toolset, Tool, Usage } from "@levain/core"
import * as Reply from "../src/pure/Reply.ts"
import * as Limits from "../src/pure/Limits.ts"
import { toolsOf } from "./contenders/levain.ts"
import * as Work from "./Work.ts"
const rt = ManagedRuntime.make(toolsOf(Work.tally()))
const toolset = await rt.runPromise(Toolset.Toolset)
const N = 100000
const time = async (name: string, eff: Effect.Effect<unknown, any>) => {
  const loop = Effect.gen(function*() { for (let i = 0; i < N; i++) yield* eff })
  await Effect.runPromise(loop); const s = performance.now(); await Effect.runPromise(loop)
  console.log(name, ((performance.now() - s) / N * 1000).toFixed(2))
}
const timeSync = (name: string, f: () => unknown) => { for (let i=0;i<N;i++) f(); const s = performance.now(); for (let i=0;i<N;i++) f(); console.log(name, ((performance.now() - s) / N * 1000).toFixed(2)) }
const [a, b] = Work.callsOf(3)
await time("succeed", Effect.succeed(1))
await time("sync", Effect.sync(() => 1))
await time("toolset.call a", Effect.suspend(() => toolset.call(a)))
await time("toolset.call b", Effect.suspend(() => toolset.call(b)))
await time("toolset.call unknown", Effect.suspend(() => toolset.call({ ...a, name: "x" })))
await time("provideService", Effect.provideService(Effect.succeed(1), Tool.CurrentCall, { runId: "a", turn: 1, index: 2 }))
await time("uninterruptibleMask", Effect.uninterruptibleMask((restore) => restore(Effect.succeed(1))))
await time("forkDetach", Effect.forkDetach(Effect.sync(() => 1), { startImmediately: true }))
await time("forEach 2 sync unbounded", Effect.forEach([1, 2], () => Effect.sync(() => 1), { concurrency: "unbounded", discard: true }))
await time("forEach 2 sync seq", Effect.forEach([1, 2], () => Effect.sync(() => 1), { discard: true }))
await time("fnUntraced", Effect.suspend(Effect.fnUntraced(function*() { yield* Effect.sync(() => 1) })))
const usage = Usage.make(Work.tokens)
const reply = { _tag: "ToolCalls" as const, calls: Work.callsOf(3), usage }
timeSync("Reply.mend", () => Reply.mend(reply))
let state = Decider.fold([RunEvent.stampFact({ _tag: "RunStarted", runId: "r", agent: "a", instructions: "i", task: "t", limits: Limits.make({}) }, 1)])
const replied = RunEvent.stampFact({ _tag: "Replied", reply }, 1)
timeSync("evolve replied", () => Decider.evolve(state, replied))
const s2 = Decider.evolve(state, replied)
const fin = (i: number) => RunEvent.stampFact({ _tag: "ToolFinished", place: { turn: 1, index: i }, result: { callId: "x", content: "y", isError: false } }, 1)
const f0 = fin(0), f1 = fin(1)
timeSync("evolve finished 0", () => Decider.evolve(s2, f0))
const s3 = Decider.evolve(s2, f0)
timeSync("evolve finished 1", () => Decider.evolve(s3, f1))
timeSync("next", () => Decider.next(s2, Limits.make({})))
const l = Limits.make({})
timeSync("next2", () => Decider.next(s2, l))
timeSync("stamp", () => RunEvent.stampFact({ _tag: "Replied", reply }, 1))
timeSync("Date.now", () => Date.now())
