/** What the events of a run add up to. */
import * as Schema from "effect/Schema"
import { Answer, Pending } from "./Approval.ts"
import { Json } from "./Json.ts"
import { Limits, nothingSpent, Spent } from "./Limits.ts"
import { Share } from "./Share.ts"
import { Stop } from "./Stop.ts"
import { CallPlace, ToolCall, ToolResult } from "./ToolCall.ts"
import { Transcript } from "./Transcript.ts"

/**
 * A call of the last reply: done when it has a result. `started` when it writes and was begun in a way that must not be
 * repeated, so that a run which is taken up again does not know what became of it.
 */
export const OpenCall = Schema.Struct({
  call: ToolCall,
  started: Schema.Boolean,
  result: Schema.optionalKey(ToolResult),
  /** What it may spend, where it is a run of its own and there is a budget. */
  share: Schema.optionalKey(Share),
  /** What it has spent so far, where it is a run of its own. */
  spent: Schema.optionalKey(Spent),
  /** The input that a person approved: it is run with this one. */
  approved: Schema.optionalKey(Json),
  /** What it waits for, each with its answer once it has one: itself, or calls of a child. */
  asks: Schema.optionalKey(Schema.Array(Schema.Struct({ pending: Pending, answer: Schema.optionalKey(Answer) })))
})
export type OpenCall = typeof OpenCall.Type

export const RunState = Schema.Struct({
  runId: Schema.String,
  instructions: Schema.String,
  /** What the model was told and what it said. Ends with the reply whose calls are open, if some are. */
  transcript: Transcript,
  /** The calls of the last reply, in the order asked, until each has its result and they go back as one turn. */
  open: Schema.Array(OpenCall),
  spent: Spent,
  /** What of it was spent since the last message of the conversation: limits are held against this. */
  current: Spent,
  /** When the last event came of a run that is live, in milliseconds since 1970. */
  liveAt: Schema.optionalKey(Schema.Natural),
  /** A person approves each answer before it is one. */
  approveAnswer: Schema.optionalKey(Schema.Boolean),
  /** Words alone are no answer: it is a call. */
  typedAnswer: Schema.optionalKey(Schema.Boolean),
  /** The answer that waits for a person. */
  draft: Schema.optionalKey(Pending),
  /** The limits that the run was last given. */
  limits: Schema.optionalKey(Limits),
  /** The limit at which the model is given its last turn, for words alone. */
  lastTurn: Schema.optionalKey(Stop),
  /** Why the run ended, once it has. */
  stop: Schema.optionalKey(Stop)
})
export type RunState = typeof RunState.Type

/** The state of a run of which nothing is known yet. */
export const empty: RunState = {
  runId: "",
  instructions: "",
  transcript: [],
  open: [],
  spent: nothingSpent,
  current: nothingSpent
}

/** One finished call: what was asked and what came back. */
export const Step = Schema.Struct({ place: CallPlace, call: ToolCall, result: ToolResult })
export type Step = typeof Step.Type

/** The finished calls of a run, in the order they were asked for. */
export const steps = (state: RunState): ReadonlyArray<Step> => {
  let turn = 0
  let asked: ReadonlyArray<ToolCall> = []
  const closed = state.transcript.flatMap((message): ReadonlyArray<Step> => {
    if (message._tag === "Results") return pair(turn, asked, message.results)
    if (message._tag === "Task") return []
    turn = turn + 1
    asked = message._tag === "ToolCalls" ? message.calls : []
    return []
  })
  return [...closed, ...pair(turn, state.open.map((open) => open.call), state.open.map((open) => open.result))]
}

const pair = (
  turn: number,
  calls: ReadonlyArray<ToolCall>,
  results: ReadonlyArray<ToolResult | undefined>
): ReadonlyArray<Step> =>
  calls.flatMap((call, index) => {
    const result = results[index]
    return result === undefined ? [] : [{ place: { turn, index }, call, result }]
  })
