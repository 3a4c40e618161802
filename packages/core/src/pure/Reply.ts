/** What the model says back: an answer, calls, or a stop. Each carries what it cost. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "./Json.ts"
import * as Text from "./Text.ts"
import { ToolCall } from "./ToolCall.ts"
import * as Usage from "./Usage.ts"

const Words = Schema.String.check(Schema.isPattern(/\S/u))

/** The provider's own content of a reply, opaque, to be sent back exactly as it came. Others ignore it. */
export const Native = Schema.Struct({ provider: Schema.String, content: Json.Json })
export type Native = typeof Native.Type

/** Why a model stopped without an answer: it declined, it was cut off, or it ended with nothing to say. */
export const StopReason = Schema.Literals(["refused", "truncated", "unfinished"])
export type StopReason = typeof StopReason.Type

const common = {
  usage: Usage.Usage,
  native: Schema.optionalKey(Native),
  /** Which model it is of, in the provider's word: a policy may have asked another than was meant. */
  model: Schema.optionalKey(Schema.String)
}

/** The final words. Never blank. */
export const Answer = Schema.TaggedStruct("Answer", { text: Words, ...common })
export type Answer = typeof Answer.Type

/** Calls to run, at least one, and the words beside them. */
export const ToolCalls = Schema.TaggedStruct("ToolCalls", {
  calls: Schema.NonEmptyArray(ToolCall),
  text: Schema.optionalKey(Words),
  ...common
})
export type ToolCalls = typeof ToolCalls.Type

/** No answer. `detail` is the provider's word or reason; `text` the words said before the stop, which are no answer. */
export const Stopped = Schema.TaggedStruct("Stopped", {
  reason: StopReason,
  detail: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Words),
  ...common
})
export type Stopped = typeof Stopped.Type

/** One reply of a model. */
export const ModelReply = Schema.Union([Answer, ToolCalls, Stopped]).pipe(Schema.toTaggedUnion("_tag"))
export type ModelReply = typeof ModelReply.Type

/**
 * Makes whatever a model said one of the replies above, so that it may enter the transcript: Unicode is well-formed, inputs and
 * native content are JSON, usage counts, and blank words are no words. So a reply with neither words nor calls is
 * `Stopped("unfinished")`. A native content that has no JSON is left out.
 */
export const mend = (reply: ModelReply): ModelReply => {
  const words = reply.text === undefined || Text.isBlank(reply.text) ? {} : { text: Text.mend(reply.text) }
  const model = reply.model === undefined ? {} : { model: Text.mend(reply.model) }
  const rest = { usage: Usage.mend(reply.usage), ...mendNative(reply.native), ...model }
  switch (reply._tag) {
    case "Answer":
      return wordsOrNothing(words, rest)
    case "ToolCalls": {
      const [first, ...others] = reply.calls.map(mendCall)
      return first === undefined
        ? wordsOrNothing(words, rest)
        : { _tag: "ToolCalls", calls: [first, ...others], ...words, ...rest }
    }
    case "Stopped": {
      const detail = reply.detail === undefined ? {} : { detail: Text.mend(reply.detail) }
      return { _tag: "Stopped", reason: reply.reason, ...detail, ...words, ...rest }
    }
  }
}

const wordsOrNothing = (
  words: { readonly text?: string },
  rest: Pick<ModelReply, "usage" | "native" | "model">
): ModelReply =>
  words.text === undefined
    ? { _tag: "Stopped", reason: "unfinished", ...rest }
    : { _tag: "Answer", text: words.text, ...rest }

const mendNative = (native: Native | undefined): { readonly native?: Native } => {
  const content = native === undefined ? Result.fail("none") : Json.fromUnknown(native.content)
  return native === undefined || Result.isFailure(content)
    ? {}
    : { native: { provider: Text.mend(native.provider), content: content.success } }
}

const mendCall = (call: ToolCall): ToolCall => ({
  id: Text.mend(call.id),
  name: Text.mend(call.name),
  input: Result.getOrElse(Json.fromUnknown(call.input), () => null)
})
