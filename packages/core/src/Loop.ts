/** The one loop: ask `next`, do what it says, record what came of it, go round. Every choice is made in the core. */
import * as Effect from "effect/Effect"
import * as Approvals from "./Approvals.ts"
import type { JournalError } from "./Journal.ts"
import { Model, type ModelError } from "./Model.ts"
import type { Tree } from "./ParentRun.ts"
import { next } from "./pure/Decider.ts"
import type { Limits } from "./pure/Limits.ts"
import * as Reply from "./pure/Reply.ts"
import type { Stop } from "./pure/Stop.ts"
import type { Fatal } from "./pure/ToolFailure.ts"
import * as Transcript from "./pure/Transcript.ts"
import * as Waiting from "./pure/Waiting.ts"
import { runCalls } from "./RunCall.ts"
import type { RunLog } from "./RunLog.ts"
import { Toolset } from "./Toolset.ts"

/** Carries a run that has begun, or goes on, to its stop. */
export const loop = Effect.fnUntraced(function*(
  log: RunLog,
  limits: Limits,
  tree: Tree
): Effect.fn.Return<Stop, ModelError | Fatal | JournalError, Model | Toolset> {
  const model = yield* Model
  const toolset = yield* Toolset
  const approvals = yield* Approvals.Approvals
  const caller = { log, toolset, limits, tree }
  const stopWith = (stop: Stop) => Effect.as(log.record({ _tag: "RunStopped", stop }), stop)

  while (true) {
    const { instructions, runId, transcript } = log.state()
    const command = next(log.state(), limits)
    switch (command._tag) {
      case "AskModel": {
        const { isLast } = command
        const request = Transcript.seen({ runId, instructions, tools: toolset.specs, transcript, isLast })
        const reply = yield* model.reply(request, log.delta)
        yield* log.record({ _tag: "Replied", reply: Reply.mend(reply) })
        break
      }
      case "RunTools":
        yield* runCalls(caller, command.calls)
        break
      case "AwaitApproval": {
        for (const pending of command.pending) {
          const answer = yield* Approvals.answerTo(pending, runId, approvals)
          if (answer !== undefined) yield* log.record({ _tag: "ApprovalAnswered", ...answer })
        }
        const stop = Waiting.stop(log.state())
        if (stop !== undefined) return yield* stopWith(stop)
        break
      }
      case "Refuse":
        for (const refused of command.results) yield* log.record({ _tag: "ToolFinished", ...refused })
        break
      case "GiveLastTurn":
        yield* log.record({ _tag: "LimitReached", stop: command.stop })
        break
      case "Stop":
        return yield* stopWith(command.stop)
    }
  }
})
