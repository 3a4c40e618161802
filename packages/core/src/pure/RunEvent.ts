/** One fact about a run. The list of a run's events is its whole state: see `evolve`. */
import * as Schema from "effect/Schema"
import { Answer, Pending } from "./Approval.ts"
import { Limits, Spent } from "./Limits.ts"
import { ModelReply } from "./Reply.ts"
import { Share } from "./Share.ts"
import { Stop } from "./Stop.ts"
import { CallPlace, ToolResult } from "./ToolCall.ts"
import { Task } from "./Transcript.ts"
import { Usage } from "./Usage.ts"

/** The format version that events are written in. */
export const version = 1

const stamp = {
  /** The format version. */
  v: Schema.Literal(version),
  /** When it was recorded, in milliseconds since 1970. */
  at: Schema.Natural
}

export const RunEvent = Schema.TaggedUnion({
  /** A task was taken up. Holds all that the run rests on besides its model and tools. */
  RunStarted: {
    ...stamp,
    runId: Schema.String,
    agent: Schema.String,
    instructions: Schema.String,
    task: Task.fields.text,
    limits: Limits,
    /** A person approves each answer before it is one. */
    approveAnswer: Schema.optionalKey(Schema.Boolean),
    /** The answer is a call of the tool `answer`, whose input has a type; words alone are none. */
    typedAnswer: Schema.optionalKey(Schema.Boolean),
    /** The call of another run that this run is. */
    parent: Schema.optionalKey(Schema.Struct({ runId: Schema.String, ...CallPlace.fields }))
  },
  /** The model replied. */
  Replied: { ...stamp, reply: ModelReply },
  /** A call waits for a person: itself, or calls of the child that it is. What it waited for before is done. */
  ApprovalAsked: { ...stamp, place: CallPlace, pending: Schema.NonEmptyArray(Pending) },
  /** A person answered. Of two answers to one call the first stands. */
  ApprovalAnswered: { ...stamp, ...Answer.fields },
  /** A call that writes is about to run. `repeatable` says whether running it again would do harm. */
  ToolStarted: { ...stamp, place: CallPlace, repeatable: Schema.Boolean },
  /** Calls that are runs of their own are about to begin, or to go on under other limits: what each may spend. */
  BudgetShared: {
    ...stamp,
    shares: Schema.NonEmptyArray(Schema.Struct({ place: CallPlace, share: Share }))
  },
  /** What a call that is a run of its own has spent so far, in all. */
  ToolSpent: { ...stamp, place: CallPlace, spent: Spent },
  /** A call has its result, whether it ran or not. */
  ToolFinished: { ...stamp, place: CallPlace, result: ToolResult },
  /** The run was taken up again, by whatever process, under these limits. */
  RunResumed: { ...stamp, limits: Limits },
  /** A further message in the same conversation. Limits count from here. */
  FollowedUp: { ...stamp, task: Task.fields.text, limits: Limits },
  /** A limit was reached, and the model gets one last turn, without tools. The calls it left open do not run. */
  LimitReached: { ...stamp, stop: Stop },
  /** The run stopped. */
  RunStopped: { ...stamp, stop: Stop },
  /** The run was interrupted, and can be taken up. A process that is killed leaves no such event. */
  RunInterrupted: { ...stamp },
  /** The run ended on an error. `usage` is what was spent on the reply that never came, as far as it is known. */
  RunFailed: { ...stamp, error: Schema.String, message: Schema.String, usage: Schema.optionalKey(Usage) }
})
export type RunEvent = typeof RunEvent.Type

/** An event before it is stamped with version and time. */
export type Fact = RunEvent extends infer E ? E extends RunEvent ? Omit<E, "v" | "at"> : never : never

/** Stamps a fact. `at` is in milliseconds since 1970. */
export const stampFact = (fact: Fact, at: number): RunEvent => ({ ...fact, v: version, at })
