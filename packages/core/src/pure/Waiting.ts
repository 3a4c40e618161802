/** What of a run waits for a person, and what an answer does to it. An answer is bound to the run, the call and its exact input (I8). */
import * as Result from "effect/Result"
import * as Approval from "./Approval.ts"
import * as Json from "./Json.ts"
import type { ModelReply } from "./Reply.ts"
import type { Fact, RunEvent } from "./RunEvent.ts"
import type { OpenCall, RunState } from "./RunState.ts"
import type { Stop } from "./Stop.ts"
import * as Text from "./Text.ts"
import { denied, deniedLine, type ToolCall, type ToolResult } from "./ToolCall.ts"

/** All that waits, in the order the calls were asked for. */
export const pending = ({ draft, open }: RunState): ReadonlyArray<Approval.Pending> =>
  draft === undefined && open.every(({ asks }) => asks === undefined) ? [] : [
    ...open.flatMap(({ asks, result }) => result === undefined ? unanswered(asks) : []),
    ...(draft === undefined ? [] : [draft])
  ]

const unanswered = (asks: OpenCall["asks"]): ReadonlyArray<Approval.Pending> =>
  asks?.flatMap(({ answer, pending }) => answer === undefined ? [pending] : []) ?? []

/** The stop of a run that nobody answers now. Undefined when nothing waits. */
export const stop = (state: RunState): Stop | undefined => {
  const [first, ...rest] = pending(state)
  return first === undefined ? undefined : { _tag: "AwaitingApproval", pending: [first, ...rest] }
}

/** Whether nothing of the run is at work: it only waits for a person. */
export const isIdle = (state: RunState): boolean =>
  pending(state).length > 0 &&
  state.open.every((open) => open.result !== undefined || (hasAsked(open) && !open.started))

/** Whether a call has a share of the budget and waits for nobody: it may still spend it. */
export const isAtWork = (open: OpenCall | undefined): boolean =>
  open?.share !== undefined && open.result === undefined && unanswered(open.asks).length === 0

/** Whether a call waits, or waited, for a person. */
export const hasAsked = (open: OpenCall | undefined): boolean =>
  open?.approved !== undefined || open?.asks !== undefined

/** The state after a reply: where a person approves answers, an answer waits. The words of a last turn at a limit are none. */
export const withDraft = (state: RunState, reply: ModelReply): RunState => {
  const rest = state.draft === undefined ? state : withoutDraft(state)
  if (state.approveAnswer !== true || state.lastTurn !== undefined || reply._tag !== "Answer") return rest
  const place = { turn: state.spent.turns + 1, index: 0 }
  return { ...rest, draft: { runId: state.runId, place, input: reply.text, why: draftNeeds } }
}

const withoutDraft = (state: RunState): RunState => {
  const { draft: _, ...rest } = state
  return rest
}

const draftNeeds = "a person reads every draft before it is sent."

/** A call that now waits for these. It may have waited before: what was answered then is done. */
export const ask = (open: OpenCall, asks: ReadonlyArray<Approval.Pending>): OpenCall =>
  open.result === undefined ? { ...open, asks: asks.map((pending) => ({ pending })) } : open

/** The state with an answer in it. One that fits nothing that waits changes nothing. */
export const answered = (state: RunState, answer: Approval.Answer): RunState => {
  const { draft, ...rest } = state
  if (draft !== undefined && Approval.isSame(draft, answer)) return judged(rest, answer.verdict)
  return { ...state, open: state.open.map((open) => withAnswer(open, answer, state.runId)) }
}

const withAnswer = (open: OpenCall, answer: Approval.Answer, runId: string): OpenCall => {
  const isIt = (pending: Approval.Pending) => Approval.isSame(pending, answer)
  if (open.result !== undefined || !unanswered(open.asks).some(isIt)) return open
  const { verdict } = answer
  if (answer.runId !== runId) {
    return { ...open, asks: open.asks?.map((one) => isIt(one.pending) ? { ...one, answer } : one) ?? [] }
  }
  const { asks: _, ...settled } = open
  return verdict._tag === "Denied"
    ? { ...settled, result: denied(open.call, verdict.reason) }
    : { ...settled, approved: verdict.input ?? answer.input }
}

/** A draft that was approved is the answer, in the words it then has; one that was denied is something to go on from. */
const judged = (state: RunState, verdict: Approval.Verdict): RunState => {
  const last = state.transcript.at(-1)
  if (verdict._tag === "Denied") {
    return { ...state, transcript: [...state.transcript, { _tag: "Task", text: deniedLine(verdict.reason) }] }
  }
  if (last?._tag !== "Answer" || typeof verdict.input !== "string") return state
  const edited = { _tag: last._tag, text: Text.mendOr(verdict.input, last.text), usage: last.usage }
  return { ...state, transcript: [...state.transcript.slice(0, -1), edited] }
}

/** The result of a call that nobody answered before the conversation went on. */
export const unapproved = (call: ToolCall): ToolResult =>
  denied(call, `${call.name} did not run: nobody approved it before the conversation went on.`)

/** The events that these answers come to, or why one of them may not be recorded. `events` are the run's so far. */
export const accept = (
  state: RunState,
  events: ReadonlyArray<RunEvent>,
  answers: ReadonlyArray<Approval.Answer>
): Result.Result<ReadonlyArray<Fact>, Approval.ApprovalError> =>
  Result.gen(function*() {
    const given = events.filter((event) => event._tag === "ApprovalAnswered")
    const accepted: Array<Approval.Answer> = []
    for (const one of answers) {
      const answer = Approval.answer(one, one.by, one.verdict)
      if (yield* judge(accepted.reduce(answered, state), [...given, ...accepted], answer)) accepted.push(answer)
    }
    return accepted.map((answer): Fact => ({ _tag: "ApprovalAnswered", ...answer }))
  })

/**
 * Whether an answer may be recorded: true for one that may, false for one that was given in the same words before, and an error for any
 * other. `given` are the answers that were recorded, the first one first.
 */
const judge = (
  state: RunState,
  given: ReadonlyArray<Approval.Answer>,
  answer: Approval.Answer
): Result.Result<boolean, Approval.ApprovalError> => {
  const waits = pending(state)
  const asked = waits.find((one) => Approval.isSameCall(one, answer))
  const earlier = given.find((one) => Approval.isSameCall(one, answer))
  const call = `the call ${Approval.nameIn(answer.runId, answer)} of the run ${answer.runId}`
  if (asked !== undefined) {
    if (!Approval.isSame(asked, answer)) {
      return refuse("otherInput", answer, `${call} has another input than this answer.`)
    }
    return Approval.isFit(asked, answer.verdict)
      ? Result.succeed(true)
      : refuse("badEdit", answer, "a draft can only be changed to a text that is not blank.")
  }
  if (earlier !== undefined) {
    return Approval.isSame(earlier, answer) && isSameVerdict(earlier.verdict, answer.verdict)
      ? Result.succeed(false)
      : refuse("answered", answer, `${call} was answered by ${earlier.by} already, and that answer stands.`)
  }
  const runs = [state, ...waits, ...given].map(({ runId }) => runId)
  return runs.includes(answer.runId)
    ? refuse("unknownCall", answer, `${call} does not wait for anybody.`)
    : refuse("otherRun", answer, `the answer is about the run ${answer.runId}, and this is the run ${state.runId}.`)
}

const isSameVerdict = (a: Approval.Verdict, b: Approval.Verdict): boolean => Json.canonical(a) === Json.canonical(b)

const refuse = (
  reason: Approval.ApprovalError["reason"],
  { runId }: Approval.Answer,
  message: string
): Result.Result<never, Approval.ApprovalError> => Result.fail(new Approval.ApprovalError({ reason, runId, message }))
