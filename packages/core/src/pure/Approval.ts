/** What waits for a person, and what the person says about it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "./Json.ts"
import * as Text from "./Text.ts"
import { CallPlace } from "./ToolCall.ts"

/** What an answer is bound to: one call of one run, with this very input. */
const bound = {
  /** The run that the call is of: a child's where the call is a child's. */
  runId: Schema.String,
  place: CallPlace,
  /** The decoded input as JSON: what the person is shown, and what is run. The text itself where it is a draft. */
  input: Json.Json
}

/** Which call, and with what input. */
export type Bound = Schema.Struct<typeof bound>["Type"]

/** A call that waits for a person, or a draft of the answer, which has no `tool`. */
export const Pending = Schema.Struct({ ...bound, tool: Schema.optionalKey(Schema.String), why: Schema.String })
export type Pending = typeof Pending.Type

/**
 * Yes or no. `input` is there when the person changed it: it is decoded like any other when the call runs. A draft is changed by another
 * text. The model reads `denied: ` and the reason.
 */
export const Verdict = Schema.TaggedUnion({
  Approved: { input: Schema.optionalKey(Json.Json) },
  Denied: { reason: Schema.String }
})
export type Verdict = typeof Verdict.Type

/** What one person says about one call. `by` is the person, in whatever words the program has for one. */
export const Answer = Schema.Struct({ ...bound, by: Schema.String, verdict: Verdict })
export type Answer = typeof Answer.Type

/** An answer to what waits: its words are well-formed and its input is JSON, whoever says so. */
export const answer = ({ input, place, runId }: Bound, by: string, verdict: Verdict): Answer => ({
  runId,
  place,
  input,
  by: Text.mend(by),
  verdict: mend(verdict)
})

const mend = (verdict: Verdict): Verdict => {
  if (verdict._tag === "Denied") return { _tag: "Denied", reason: Text.mend(verdict.reason) }
  if (verdict.input === undefined) return { _tag: "Approved" }
  return { _tag: "Approved", input: Result.getOrElse(Json.fromUnknown(verdict.input), () => null) }
}

/** Whether a verdict can be carried out: a draft is only changed to a text, and to one that is not blank. */
export const isFit = ({ tool }: Pending, verdict: Verdict): boolean =>
  tool !== undefined || verdict._tag === "Denied" || verdict.input === undefined || isText(verdict.input)

const isText = (input: Json.Json): boolean => typeof input === "string" && !Text.isBlank(input)

/** Whether two are about the same call, whatever its input. */
export const isSameCall = (a: Omit<Bound, "input">, b: Omit<Bound, "input">): boolean =>
  a.runId === b.runId && a.place.turn === b.place.turn && a.place.index === b.place.index

/** Whether two are about the same call with the same input, key order aside. */
export const isSame = (a: Bound, b: Bound): boolean =>
  isSameCall(a, b) && Json.canonical(a.input) === Json.canonical(b.input)

/**
 * A call's name for people, within the run that it is answered from: `2/0` is the first call of the second turn, `2/0.1/3` the fourth call
 * of the first turn of the child that `2/0` is.
 */
export const nameIn = (rootId: string, { place: { index, turn }, runId }: Omit<Bound, "input">): string =>
  `${childPath(rootId, runId)}${turn}/${index}`

const childPath = (rootId: string, runId: string): string =>
  runId.startsWith(`${rootId}.`) ? `${runId.slice(rootId.length + 1).replaceAll("-", "/")}.` : ""

/**
 * An answer that is not taken; nothing is recorded. `unknownCall`: no such call waits. `answered`: it has another answer already, which
 * stands. `otherInput`: it was given for an input that is not the call's. `otherRun`: it is about a call of another run. `badEdit`: a draft
 * was changed to what is no text.
 */
export class ApprovalError extends Schema.TaggedError<ApprovalError>()("ApprovalError", {
  reason: Schema.Literals(["unknownCall", "answered", "otherInput", "otherRun", "badEdit"]),
  runId: Schema.String,
  message: Schema.String
}) {}

/** Whether an error is one of an answer. */
export const isApprovalError = Schema.is(ApprovalError)
