/** An event as a line of JSON, and back. What does not come back is a `JournalError` that says where. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { JournalError } from "../Journal.ts"
import { RunEvent, version } from "../pure/RunEvent.ts"

/** One line, without its end. An event is JSON as it is: its Schema would write the same, and look at each part of it first. */
export const encode = (event: RunEvent): string => JSON.stringify(event)

const decodeStamp = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ v: Schema.Int })))
const decodeEvent = Schema.decodeUnknownResult(Schema.fromJsonString(RunEvent))

/** The event of a run's line, which are counted from 1. A newer version's is `unsupported`, anything else `damaged`. */
export const decode = (runId: string, line: string, number: number): Result.Result<RunEvent, JournalError> => {
  const stamped = decodeStamp(line)
  if (Result.isSuccess(stamped) && stamped.success.v > version) {
    const message =
      `the run ${runId} was written by a newer version (format ${stamped.success.v}; this one reads up to ${version}).`
    return Result.fail(new JournalError({ runId, reason: "unsupported", message }))
  }
  return Result.mapError(
    decodeEvent(line),
    () => new JournalError({ runId, reason: "damaged", message: `line ${number} of the run ${runId} is no event.` })
  )
}
