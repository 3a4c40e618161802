/** What is done about a call that the model asks for again and again: the same tool with the same input, key order aside. */
import * as Json from "./Json.ts"
import type { OpenCall, RunState } from "./RunState.ts"
import * as Text from "./Text.ts"
import type { Block, ToolCall, ToolResult } from "./ToolCall.ts"

/** What becomes of an open call: it runs, it is refused with this result, it waits for its twin of the same reply, or it ends the run. */
export type Verdict =
  | { readonly _tag: "Run" }
  | { readonly _tag: "Refuse"; readonly result: ToolResult }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "End" }

/** Counts from the last message of the conversation on, as all limits do. `index` is that of `call` among the open ones. */
export const judge = (state: RunState, maxRepeats: number) => {
  const all = answered(state)
  return (call: ToolCall, index: number): Verdict => {
    const isSame = sameAs(call)
    const earlier = all.filter((one) => isSame(one.call))
    const beside = state.open.slice(0, index).filter((one) => isSame(one.call))
    if (earlier.length + beside.length < maxRepeats) return { _tag: "Run" }
    if (earlier.some(({ result }) => result?.notRun === "repeated")) return { _tag: "End" }
    const before = [...earlier, ...beside].findLast(({ result }) => result?.notRun !== "repeated")
    return before?.result === undefined ? { _tag: "Wait" } : { _tag: "Refuse", result: refusal(call, before.result) }
  }
}

const sameAs = (call: ToolCall) => {
  const input = Json.canonical(call.input)
  return (other: ToolCall): boolean => other.name === call.name && Json.canonical(other.input) === input
}

/** The calls of earlier replies to this message, each with its result. */
const answered = ({ open, transcript }: RunState): ReadonlyArray<Pick<OpenCall, "call" | "result">> => {
  const begin = transcript.findLastIndex(({ _tag }) => _tag === "Task") + 1
  const end = open.length === 0 ? transcript.length : transcript.length - 1
  return transcript.slice(begin, end).flatMap((message, i, messages) => {
    const results = messages[i + 1]
    return message._tag === "ToolCalls" && results?._tag === "Results"
      ? message.calls.map((call, index) => withResult(call, results.results[index]))
      : []
  })
}

const withResult = (call: ToolCall, result: ToolResult | undefined) =>
  result === undefined ? { call } : { call, result }

/** How much of what came back is told again, in UTF-16 units. */
const mostTold = 2000

const refusal = (call: ToolCall, { content }: ToolResult): ToolResult => {
  const said = `denied: ${call.name} was asked with this very input before, so it did not run again. What came back:`
  const intro: Block = { type: "text", text: said }
  return {
    callId: call.id,
    content: typeof content === "string" ? `${said} ${Text.cut(content, mostTold)}` : [intro, ...content],
    isError: true,
    notRun: "repeated"
  }
}
