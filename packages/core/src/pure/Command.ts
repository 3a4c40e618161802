/** What the core tells the shell: `Decision` after one reply, `Command` for a whole run. */
import * as Schema from "effect/Schema"
import { Answer, Pending } from "./Approval.ts"
import { Json } from "./Json.ts"
import { Stop } from "./Stop.ts"
import { CallPlace, ToolCall, ToolResult } from "./ToolCall.ts"

/** What follows from a reply: run its calls, or stop. */
export const Decision = Schema.TaggedUnion({
  RunTools: { calls: Schema.NonEmptyArray(ToolCall) },
  Stop: { stop: Stop }
})
export type Decision = typeof Decision.Type

/** A call and where it stands in the run. */
export const PlacedCall = Schema.Struct({
  place: CallPlace,
  call: ToolCall,
  /** The input that a person said yes to: it runs with this one, and asks nobody. */
  approved: Schema.optionalKey(Json),
  /** What a person said of the calls that it waited for, where it is a run of its own. */
  answers: Schema.optionalKey(Schema.Array(Answer))
})
export type PlacedCall = typeof PlacedCall.Type

/** What the shell is to do next. */
export const Command = Schema.TaggedUnion({
  /** Send the transcript to the model. `isLast` where it may not call tools any more. */
  AskModel: { isLast: Schema.Boolean },
  /** Run these calls, together, and record a result for each. */
  RunTools: { calls: Schema.Array(PlacedCall) },
  /** Nothing is left to run but what waits for these: ask whoever approves. */
  AwaitApproval: { pending: Schema.NonEmptyArray(Pending) },
  /** These calls are not run: record the results, which say why. */
  Refuse: { results: Schema.Array(Schema.Struct({ place: CallPlace, result: ToolResult })) },
  /** Record that a limit was reached: the model gets one last turn. */
  GiveLastTurn: { stop: Stop },
  /** Record the stop and end. */
  Stop: { stop: Stop }
})
export type Command = typeof Command.Type
