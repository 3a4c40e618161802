/** One call of a reply, from the question whether it needs a person to its result: each step is recorded before the next. */
import * as Effect from "effect/Effect"
import type { JournalError } from "./Journal.ts"
import type { Pending } from "./pure/Approval.ts"
import type { PlacedCall } from "./pure/Command.ts"
import { mendResult } from "./pure/ToolCall.ts"
import type { Fatal } from "./pure/ToolFailure.ts"
import type { RunLog } from "./RunLog.ts"
import { CurrentCall, free } from "./Tool.ts"
import type { Toolset } from "./Toolset.ts"

/** Runs a call and records its result, or records that it waits for a person. An approved call asks nobody, and is never begun twice (I6, I8). */
export const runCall = (log: RunLog, toolset: Toolset["Service"]) => {
  const writes = new Map(toolset.specs.flatMap((spec) => spec.access === "writes" ? [[spec.name, spec]] : []))

  return Effect.fnUntraced(
    function*({ approved, call, place }: PlacedCall): Effect.fn.Return<void, Fatal | JournalError> {
      const review = approved === undefined ? yield* toolset.review(call) : free
      if (review._tag === "NeedsPerson") {
        const { input, why } = review
        const pending: Pending = { runId: log.state().runId, place, tool: call.name, input, why }
        return yield* log.record({ _tag: "ApprovalAsked", place, pending: [pending] })
      }
      const writer = writes.get(call.name)
      if (approved !== undefined || writer !== undefined) {
        const repeatable = approved === undefined && writer?.idempotent === true
        yield* log.record({ _tag: "ToolStarted", place, repeatable })
      }
      // A result that came is kept, even where a sibling's `Fatal` ends the run while it waits to be written (I9).
      yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          restore(toolset.call(approved === undefined ? call : { ...call, input: approved })),
          (result) => log.record({ _tag: "ToolFinished", place, result: mendResult(call, result) })
        )
      )
    },
    (effect, { place }) => Effect.provideService(effect, CurrentCall, { runId: log.state().runId, ...place })
  )
}
