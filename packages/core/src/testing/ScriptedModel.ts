/** A model that plays a script and keeps what it was sent: tests of an agent need no network, and cost nothing. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Model, ModelError, type ModelErrorReason, type ModelRequest } from "../Model.ts"
import type { Json } from "../pure/Json.ts"
import type { Answer, ModelReply, Stopped, StopReason, ToolCalls } from "../pure/Reply.ts"
import type { ToolCall } from "../pure/ToolCall.ts"
import type { Message } from "../pure/Transcript.ts"
import * as Usage from "../pure/Usage.ts"

/** A call in a script. One without an id is named `c1`, `c2` and so on through the script, past the ids that are given. */
export type ScriptedCall = Omit<ToolCall, "id"> & { readonly id?: string }

/** Calls in a script. */
export type ScriptedCalls = Omit<ToolCalls, "calls"> & { readonly calls: ReadonlyArray<ScriptedCall> }

/** A reply in a script, or a failure in its place. */
export type ScriptedReply = ModelReply | ScriptedCalls | ModelError

/** Some of the script was never asked for. */
export class ScriptNotPlayed extends Schema.TaggedError<ScriptNotPlayed>()("ScriptNotPlayed", {
  played: Schema.Natural,
  length: Schema.Natural
}) {
  override get message(): string {
    return `${this.played} of the script's ${this.length} replies were played.`
  }
}

/** What a scripted model saw. Given by the same Layer as the `Model`. */
export class ScriptedModel extends Context.Service<ScriptedModel, {
  /** The requests so far, the first one first. */
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
  /** The last message of each request: the task, then the results of each round. */
  readonly seen: Effect.Effect<ReadonlyArray<Message>>
  /** Fails unless the whole script was played. */
  readonly assertPlayed: Effect.Effect<void, ScriptNotPlayed>
}>()("@levain/core/testing/ScriptedModel") {}

/** Plays the script's replies in order. One request more is a `ModelError` that says after how many replies the script ran out. */
export const layer = (script: ReadonlyArray<ScriptedReply>): Layer.Layer<Model | ScriptedModel> =>
  Layer.effectContext(Effect.sync(() => {
    const replies = withIds(script)
    const requests: Array<ModelRequest> = []
    const model = Model.of({
      reply: (request, sink) =>
        Effect.suspend(() => {
          const reply = replies[requests.length]
          if (reply === undefined) return ranOut(script.length)
          requests.push(request)
          if (reply._tag === "ModelError") return Effect.fail(reply)
          return reply.text === undefined
            ? Effect.succeed(reply)
            : Effect.as(sink({ _tag: "Text", text: reply.text }), reply)
        })
    })
    const scripted = ScriptedModel.of({
      requests: Effect.sync(() => [...requests]),
      seen: Effect.sync(() => requests.flatMap(({ transcript }) => transcript.slice(-1))),
      assertPlayed: Effect.suspend(() =>
        requests.length === script.length
          ? Effect.void
          : Effect.fail(new ScriptNotPlayed({ played: requests.length, length: script.length }))
      )
    })
    return Context.make(Model, model).pipe(Context.add(ScriptedModel, scripted))
  }))

/** A call to a tool. */
export const call = (name: string, input: Json, id?: string): ScriptedCall => ({
  name,
  input,
  ...(id === undefined ? {} : { id })
})

/** A reply that costs `tokens` and asks for calls. */
export const asks = (
  tokens: number,
  ...calls: readonly [ScriptedCall, ...ReadonlyArray<ScriptedCall>]
): ScriptedCalls => ({
  _tag: "ToolCalls",
  calls,
  usage: costs(tokens)
})

/** A reply that costs `tokens` and answers. */
export const answers = (tokens: number, text: string): Answer => ({ _tag: "Answer", text, usage: costs(tokens) })

/** A reply that costs `tokens` and stops without an answer. */
export const stops = (tokens: number, reason: StopReason, detail?: string): Stopped => ({
  _tag: "Stopped",
  reason,
  ...(detail === undefined ? {} : { detail }),
  usage: costs(tokens)
})

/** A request that fails, for tests of what is done about it. */
export const fails = (
  reason: ModelErrorReason,
  details: { readonly retryAfter?: number; readonly retryable?: boolean; readonly usage?: Usage.Usage } = {}
): ModelError => new ModelError({ reason, message: `the script says ${reason}.`, ...details })

const costs = (tokens: number) => Usage.make({ output: tokens })

const ranOut = (replies: number) =>
  Effect.fail(
    new ModelError({
      reason: "exhausted",
      message: `the script ran out after ${replies} ${replies === 1 ? "reply" : "replies"}.`
    })
  )

const withIds = (script: ReadonlyArray<ScriptedReply>): ReadonlyArray<ModelReply | ModelError> => {
  let calls = 0
  const given = new Set(script.flatMap((reply) => "calls" in reply ? reply.calls.flatMap(({ id }) => id ?? []) : []))
  const nextId = (): string => {
    calls = calls + 1
    const id = `c${calls}`
    return given.has(id) ? nextId() : id
  }
  return script.map((reply): ModelReply | ModelError => {
    if (reply._tag !== "ToolCalls") return reply
    const [first, ...rest] = reply.calls.map((call): ToolCall => ({ ...call, id: call.id ?? nextId() }))
    return first === undefined
      ? { _tag: "Stopped", reason: "unfinished", usage: reply.usage }
      : { ...reply, calls: [first, ...rest] }
  })
}
