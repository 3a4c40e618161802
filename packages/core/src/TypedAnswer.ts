/**
 * An answer with a type: the model gives it as a call of one more tool, `answer`, whose input is the answer. What does not decode goes back to
 * it with why, as any call's input does, and so do words alone; all of it counts against the same limits.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "./pure/Json.ts"
import type { ToolCall, ToolResult } from "./pure/ToolCall.ts"
import { Fatal, Unavailable } from "./pure/ToolFailure.ts"
import * as Tool from "./Tool.ts"
import type { Toolset } from "./Toolset.ts"

export interface TypedAnswer<out A> {
  /** False where words are the answer. */
  readonly isTyped: boolean
  /** The toolset with the tool in it. A tool of the same name ends the run. */
  readonly in: (toolset: Toolset["Service"]) => Effect.Effect<Toolset["Service"], Fatal>
  /** The answer that a stop's text holds. None where it holds another. */
  readonly read: (text: string) => Effect.Effect<Option.Option<A>>
}

/** An answer in words, as an agent gives that says nothing else. */
export const words: TypedAnswer<string> = {
  isTyped: false,
  in: Effect.succeed,
  read: (text) => Effect.succeedSome(text)
}

const name = "answer"

const description = "Gives your answer, and ends the conversation. Call it once, alone, when you have all you need."

/** Throws `InvalidTool` for a Schema that no model can be held to: an answer is an object, so it takes a `Schema.Struct`. */
export const make = <A>(schema: Schema.ConstraintCodec<A, unknown>, approve: boolean): TypedAnswer<A> => {
  const contract = Result.getOrThrow(
    Tool.check<A, never>(name, { description, input: schema, ...(approve ? { approval: "always" as const } : {}) })
  )
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeEffect(codec)
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(codec))
  const give = (call: ToolCall, value: A): Effect.Effect<ToolResult> =>
    Effect.match(Effect.flatMap(encode(value), (json) => Effect.fromResult(Json.textOf(json))), {
      onFailure: (error) =>
        Tool.failed(call, new Unavailable({ message: `the answer cannot be written down: ${String(error)}` })),
      onSuccess: (content) => ({ callId: call.id, content, isError: false, isAnswer: true })
    })
  const { review } = contract
  const spec = { ...contract.spec, access: "reads", idempotent: true } as const
  return {
    isTyped: true,
    in: (toolset) =>
      toolset.specs.some((one) => one.name === name)
        ? Effect.fail(
          new Fatal({
            message:
              `a tool is named "${name}", which is what the agent's answer is called: give the tool another name.`
          })
        )
        : Effect.succeed({
          specs: [...toolset.specs, spec],
          review: (call) => call.name === name && review !== undefined ? review(call) : toolset.review(call),
          call: (call) =>
            call.name === name
              ? Effect.matchEffect(contract.decode(call), {
                onFailure: (refused) => Effect.succeed(refused),
                onSuccess: (value) => give(call, value)
              })
              : toolset.call(call)
        }),
    read: (text) => Effect.option(decode(text))
  }
}
