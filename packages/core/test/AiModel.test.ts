import { describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import * as AiModel from "../src/adapters/AiModel.ts"
import * as Agent from "../src/Agent.ts"
import { Model, ModelError } from "../src/Model.ts"
import type { Delta } from "../src/pure/Delta.ts"
import { ModelReply } from "../src/pure/Reply.ts"
import { Transcript } from "../src/pure/Transcript.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, copy, echo } from "./fixtures.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

const finish = (
  reason: Response.FinishReason,
  usage: Response.FinishPartEncoded["usage"] = {
    inputTokens: { uncached: 5, total: 9, cacheRead: 3, cacheWrite: 1 },
    outputTokens: { total: 7, text: 4, reasoning: 3 }
  }
): Response.FinishPartEncoded => ({ type: "finish", reason, usage, response: undefined })

const text = (...deltas: ReadonlyArray<string>): Parts => [
  { type: "text-start", id: "t" },
  ...deltas.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
  { type: "text-end", id: "t" }
]

const thought = (delta: string): Parts => [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta },
  { type: "reasoning-end", id: "r", metadata: { acme: { signature: "s1" } } }
]

const called = (id: string, name: string, params: unknown): Response.StreamPartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})

/** A provider that replies with these parts, one list a request, and keeps what it was sent. */
const providing = (...replies: ReadonlyArray<Parts | AiError.AiError>) => {
  const sent: Array<LanguageModel.ProviderOptions> = []
  let turn = 0
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.die("nobody asks for a reply that does not stream"),
      streamText: (options) => {
        sent.push(options)
        const reply = replies[turn++] ?? []
        return reply instanceof AiError.AiError ? Stream.fail(reply) : Stream.fromIterable(reply)
      }
    })
  )
  return { sent, layer: AiModel.layer({ info: { provider: "acme", model: "m1" } }).pipe(Layer.provide(layer)) }
}

const request = {
  runId: "r",
  instructions: "Be brief.",
  tools: [],
  transcript: [{ _tag: "Task" as const, text: "Hi" }]
}

const replyTo = (...replies: ReadonlyArray<Parts | AiError.AiError>) =>
  Effect.gen(function*() {
    const deltas: Array<Delta> = []
    const { reply } = yield* Model
    const said = yield* Effect.result(reply(request, (delta) => Effect.sync(() => void deltas.push(delta))))
    return { said, deltas }
  }).pipe(Effect.provide(providing(...replies).layer))

describe("AiModel", () => {
  it.effect("is a model of the loop: it streams, asks for calls, and reads their results", () =>
    Effect.gen(function*() {
      const { layer, sent } = providing(
        [
          ...thought("Echo it."),
          ...text("One ", "moment."),
          called("c1", "echo", { text: "hello" }),
          finish("tool-calls")
        ],
        [...text("It said hello."), finish("stop")]
      )
      const run = yield* Agent.run(agent, "Say hello.").pipe(Effect.provide([layer, Toolset.layer(echo)]))
      expect(run.stop).toEqual({ _tag: "Answered", text: "It said hello." })
      expect(run.steps.map(({ result }) => result.content)).toEqual(["hello"])
      expect(run.spent).toMatchObject({ turns: 2, usage: { input: 10, cacheRead: 6, cacheWrite: 2, output: 14 } })
      const [first, second] = sent
      expect(first?.tools.map(({ name }) => name)).toEqual(["echo"])
      expect(first?.prompt.content.map(({ role }) => role)).toEqual(["system", "user"])
      expect(second?.prompt.content.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"])
      // What its provider said goes back as it came, with what only the provider knows.
      expect(copy(second?.prompt.content[2]?.content)).toMatchObject([
        { type: "reasoning", text: "Echo it.", options: { acme: { signature: "s1" } } },
        { type: "text", text: "One moment." },
        { type: "tool-call", id: "c1", name: "echo", params: { text: "hello" } }
      ])
      expect(copy(second?.prompt.content[3]?.content)).toMatchObject([
        { type: "tool-result", id: "c1", name: "echo", isFailure: false, result: "hello" }
      ])
    }))

  it.effect("shows words and thoughts as they come", () =>
    Effect.gen(function*() {
      const { deltas } = yield* replyTo([...thought("Hm."), ...text("a", "b"), finish("stop")])
      expect(deltas).toEqual([
        { _tag: "Thinking", text: "Hm." },
        { _tag: "Text", text: "a" },
        { _tag: "Text", text: "b" }
      ])
    }))

  it.effect("each way a reply ends is a reply or an error", () =>
    Effect.gen(function*() {
      const ends: { readonly [reason in Response.FinishReason]: readonly [object, object] } = {
        stop: [{ _tag: "Answer", text: "Hi." }, { _tag: "Stopped", reason: "unfinished" }],
        "tool-calls": [{ _tag: "Answer" }, { _tag: "Stopped", reason: "unfinished" }],
        length: [{ _tag: "Stopped", reason: "truncated", text: "Hi." }, { _tag: "Stopped", reason: "truncated" }],
        "content-filter": [{ _tag: "Stopped", reason: "refused" }, { _tag: "Stopped", reason: "refused" }],
        error: [{ _tag: "ModelError", reason: "server" }, { _tag: "ModelError", reason: "server" }],
        pause: [{ _tag: "ModelError", reason: "malformed" }, { _tag: "ModelError", reason: "malformed" }],
        other: [{ _tag: "Answer" }, { _tag: "Stopped", reason: "unfinished", detail: "other" }],
        unknown: [{ _tag: "Answer" }, { _tag: "Stopped", reason: "unfinished", detail: "unknown" }]
      }
      for (
        const [reason, [withText, without]] of Object.entries(ends) as Array<[Response.FinishReason, [object, object]]>
      ) {
        const a = (yield* replyTo([...text("Hi."), finish(reason)])).said
        const b = (yield* replyTo([finish(reason)])).said
        expect([reason, a._tag === "Success" ? a.success : a.failure]).toMatchObject([reason, withText])
        expect([reason, b._tag === "Success" ? b.success : b.failure]).toMatchObject([reason, without])
        if (b._tag === "Failure") expect(b.failure.usage).toMatchObject({ input: 5, output: 7 })
        for (const one of [a, b]) if (one._tag === "Success") expect(Schema.is(ModelReply)(one.success)).toBe(true)
      }
      const { said } = yield* replyTo([called("c1", "echo", "no object"), finish("stop")])
      expect(said).toMatchObject({ success: { _tag: "ToolCalls", calls: [{ input: "no object" }] } })
    }))

  it.effect("a reply that pauses is asked to go on, and is one reply", () =>
    Effect.gen(function*() {
      const { layer, sent } = providing([...text("First, "), finish("pause")], [...text("then."), finish("stop")])
      const said = yield* Effect.flatMap(Model, ({ reply }) => reply(request, () => Effect.void)).pipe(
        Effect.provide(layer)
      )
      expect(said).toMatchObject({ _tag: "Answer", text: "First, then.", usage: { input: 10, output: 14 } })
      expect(sent[1]?.prompt.content.map(({ role }) => role)).toEqual(["system", "user", "assistant"])
      const always = yield* replyTo(...Array.from({ length: 11 }, () => [...text("…"), finish("pause")]))
      expect(always.said).toMatchObject({ success: { _tag: "Stopped", reason: "unfinished" } })
    }))

  it.effect("usage of which only sums are told is counted as new input", () =>
    Effect.gen(function*() {
      const usage = { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { text: 2, reasoning: 3 } }
      const { said } = yield* replyTo([...text("Hi."), finish("stop", usage)])
      expect(said).toMatchObject({ success: { usage: { input: 5, cacheRead: 4, cacheWrite: 0, output: 5 } } })
    }))

  it.effect("each error is a ModelError, which is tried again where the provider would", () =>
    Effect.gen(function*() {
      const fails = (reason: AiError.AiErrorReason) => AiError.make({ module: "m", method: "s", reason })
      const cases: ReadonlyArray<readonly [AiError.AiErrorReason, object]> = [
        [
          new AiError.RateLimitError({ retryAfter: Duration.seconds(2) }),
          { reason: "rateLimited", retryAfter: 2000, retryable: true }
        ],
        [new AiError.QuotaExhaustedError({}), { reason: "spendLimit", retryable: false }],
        [new AiError.AuthenticationError({ kind: "InvalidKey" }), { reason: "authentication", retryable: false }],
        [new AiError.AuthenticationError({ kind: "InsufficientPermissions" }), { reason: "permission" }],
        [new AiError.InternalProviderError({ description: "down" }), { reason: "server", retryable: true }],
        [new AiError.InvalidOutputError({ description: "no" }), { reason: "malformed" }],
        [new AiError.ContentPolicyError({ description: "no" }), { reason: "badRequest", retryable: false }],
        [new AiError.InvalidRequestError({ description: "no" }), { reason: "badRequest" }],
        [new AiError.UnknownError({ description: "?" }), { reason: "server" }]
      ]
      for (const [reason, expected] of cases) {
        const { said } = yield* replyTo(fails(reason))
        expect(said).toMatchObject({ failure: { _tag: "ModelError", ...expected } })
      }
      const late = yield* replyTo([...text("Hi."), { type: "error", error: new Error("cut off") }])
      expect(late.said).toMatchObject({ failure: { reason: "server", message: "Error: cut off." } })
    }))

  it.effect.prop("any transcript can be sent", [Transcript], ([transcript]) =>
    Effect.gen(function*() {
      const { layer, sent } = providing([...text("Hi."), finish("stop")])
      const said = yield* Effect.result(
        Effect.flatMap(Model, ({ reply }) => reply({ ...request, transcript }, () => Effect.void)).pipe(
          Effect.provide(layer)
        )
      )
      expect(said._tag === "Failure" ? said.failure : said.success).not.toBeInstanceOf(ModelError)
      expect(sent[0]?.prompt.content[0]?.role).toBe("system")
    }), { arbitrary: { runs: 100 } })
})
