/** Turns and replies in order: all that a model needs to answer, and always what a provider would accept. */
import * as Schema from "effect/Schema"
import { Answer, Stopped, ToolCalls } from "./Reply.ts"
import * as Text from "./Text.ts"
import { ToolResult } from "./ToolCall.ts"

/** What the person asked. Never blank. */
export const Task = Schema.TaggedStruct("Task", { text: Schema.String.check(Schema.isPattern(/\S/u)) })
export type Task = typeof Task.Type

/** The results of the last reply's calls: one a call, in the order asked. */
export const Results = Schema.TaggedStruct("Results", { results: Schema.NonEmptyArray(ToolResult) })
export type Results = typeof Results.Type

/** One message: a turn (`Task`, `Results`) or a reply (`Answer`, `ToolCalls`, `Stopped`). */
export const Message = Schema.Union([Task, Results, Answer, ToolCalls, Stopped]).pipe(Schema.toTaggedUnion("_tag"))
export type Message = typeof Message.Type

/** Messages in order. */
export const Transcript = Schema.Array(Message)
export type Transcript = typeof Transcript.Type

/** The text of a task that may be sent: well-formed, and said to be empty where it is. */
export const mendTask = (text: string): string => Text.mendOr(text, emptyTask)

/** What stands in for a task without words, as no provider takes an empty message. */
export const emptyTask = "(an empty message)"

/** The same with the transcript as it is now, whatever is added to it later. A long one is copied only when it is first read. */
export const seen = <A extends { readonly transcript: Transcript }>(growing: A): A => {
  const { transcript } = growing
  const { length } = transcript
  if (length <= short) return { ...growing, transcript: transcript.slice() }
  let copy: Transcript | undefined
  const get = () => copy ??= transcript.slice(0, length)
  return Object.defineProperty({ ...growing }, "transcript", { get, enumerable: true, configurable: true })
}

/** So few messages are copied sooner than a property is made that copies them. */
const short = 256
