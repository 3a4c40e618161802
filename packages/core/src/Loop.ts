/** The one loop: ask `next`, do what it says, record what came of it, go round. Every choice is made in the core. */
import * as Effect from "effect/Effect"
import type { JournalError } from "./Journal.ts"
import { Model, type ModelError } from "./Model.ts"
import type { PlacedCall } from "./pure/Command.ts"
import { next } from "./pure/Decider.ts"
import type { Limits } from "./pure/Limits.ts"
import * as Reply from "./pure/Reply.ts"
import type { Stop } from "./pure/Stop.ts"
import { mendResult } from "./pure/ToolCall.ts"
import type { Fatal } from "./pure/ToolFailure.ts"
import type { RunLog } from "./RunLog.ts"
import { CurrentCall } from "./Tool.ts"
import { Toolset } from "./Toolset.ts"

/** Carries a run that has begun, or goes on, to its stop. */
export const loop = Effect.fnUntraced(function*(
  log: RunLog,
  limits: Limits
): Effect.fn.Return<Stop, ModelError | Fatal | JournalError, Model | Toolset> {
  const model = yield* Model
  const toolset = yield* Toolset
  const writes = new Map(toolset.specs.flatMap((spec) => spec.access === "writes" ? [[spec.name, spec]] : []))

  const runTool = Effect.fnUntraced(function*({ call, place }: PlacedCall) {
    const writer = writes.get(call.name)
    if (writer !== undefined) yield* log.record({ _tag: "ToolStarted", place, repeatable: writer.idempotent })
    const identity = { runId: log.state().runId, ...place }
    const result = mendResult(call, yield* Effect.provideService(toolset.call(call), CurrentCall, identity))
    yield* log.record({ _tag: "ToolFinished", place, result })
  })

  while (true) {
    const { instructions, runId, transcript } = log.state()
    const command = next(log.state(), limits)
    switch (command._tag) {
      case "AskModel": {
        const { isLast } = command
        const reply = yield* model.reply({ runId, instructions, tools: toolset.specs, transcript, isLast }, log.delta)
        yield* log.record({ _tag: "Replied", reply: Reply.mend(reply) })
        break
      }
      case "RunTools":
        yield* Effect.forEach(command.calls, runTool, { concurrency: "unbounded", discard: true })
        break
      case "Refuse":
        for (const refused of command.results) yield* log.record({ _tag: "ToolFinished", ...refused })
        break
      case "GiveLastTurn":
        yield* log.record({ _tag: "LimitReached", stop: command.stop })
        break
      case "Stop":
        yield* log.record({ _tag: "RunStopped", stop: command.stop })
        return command.stop
    }
  }
})
