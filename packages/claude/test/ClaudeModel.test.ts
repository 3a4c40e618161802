/** `ClaudeModel` over real HTTP: the real SDK, a fake API on loopback, and a validator in front of it. */
import { describe, it } from "@effect/vitest"
import { Agent, type Delta, Journal, Json, Model, ModelPolicy, Tool, Toolset } from "@levain/core"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { expect } from "vitest"
import { ClaudeModel } from "../src/index.ts"
import * as FakeApi from "./FakeApi.ts"

const key = "sk-ant-secret-0123456789"

const claude = (api: FakeApi.FakeApi, options: ClaudeModel.Options = {}) =>
  ClaudeModel.layer({ apiKey: Redacted.make(key), baseUrl: api.url, ...options })

const request: Model.ModelRequest = {
  runId: "r",
  instructions: "Answer for the bakery.",
  tools: [],
  transcript: [{ _tag: "Task", text: "Rolls on Saturday?" }]
}

/** One reply, and what a watcher saw of it. */
const ask = Effect.fnUntraced(function*(layer: ReturnType<typeof ClaudeModel.layer>, one = request) {
  const seen: Array<Delta.Delta> = []
  const reply = yield* Effect.flatMap(
    Model.Model,
    (model) => model.reply(one, (delta) => Effect.sync(() => void seen.push(delta)))
  ).pipe(Effect.provide(layer))
  return { reply, seen }
})

const errorOf = (layer: ReturnType<typeof ClaudeModel.layer>) =>
  Effect.map(Effect.flip(ask(layer)), (error) => {
    if (error._tag !== "ModelError") throw error
    return error
  })

const said = (text: string) => ({ content: [{ type: "text", text }] })

const menu = Tool.make("menu_item", {
  description: "One item of the menu.",
  input: Schema.Struct({ name: Schema.String }),
  run: ({ name }) => Effect.succeed(`${name}: $1.50`)
})

const agent = Agent.make("pickup", { instructions: "Answer for the bakery.", limits: { maxTurns: 6 } })

describe.each([["server-sent events", false], ["JSON", true]])("over %s", (_, json) => {
  it.effect("three parallel calls come back as three results in one turn, and the answer is an answer", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make({ json })
      const calls = ["rolls", "rye loaf", "buns"].map((name, i) => ({
        id: `toolu_${i}`,
        name: "menu_item",
        arguments: { name }
      }))
      api.mock.on(
        { userMessage: "Rolls", hasToolResult: false },
        { toolCalls: calls, reasoning: "Let me see.", reasoningSignature: "SIG" }
      )
      api.mock.on({ userMessage: "Rolls", hasToolResult: true }, { content: "All are $1.50.", finishReason: "stop" })
      const run = yield* Agent.run(agent, "Rolls, rye and buns?").pipe(
        Effect.provide([Toolset.layer(menu), claude(api)])
      )
      expect(run.stop).toEqual({ _tag: "Answered", text: "All are $1.50." })
      expect(run.steps.map(({ result }) => result.content)).toEqual(["rolls: $1.50", "rye loaf: $1.50", "buns: $1.50"])
      expect(api.requests[1]?.messages.slice(1)).toMatchObject([
        {
          role: "assistant",
          content: [{ type: "thinking" }, { id: "toolu_0" }, { id: "toolu_1" }, { id: "toolu_2" }]
        },
        { role: "user", content: [{ tool_use_id: "toolu_0" }, { tool_use_id: "toolu_1" }, { tool_use_id: "toolu_2" }] }
      ])
    }))

  it.effect("a reply that is cut at its token limit is truncated, and its call does not run", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make({ json })
      api.mock.on({ userMessage: "Rolls" }, {
        toolCalls: [{ id: "toolu_1", name: "menu_item", arguments: {} }],
        finishReason: "length"
      })
      const run = yield* Agent.run(agent, "Rolls?").pipe(Effect.provide([Toolset.layer(menu), claude(api)]))
      expect(run.stop).toEqual({ _tag: "ModelStopped", reason: "truncated", detail: "max_tokens" })
      expect(run.steps).toEqual([])
    }))

  it.effect("an error of the API is one error with its reason, its id and its wait", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make({ json })
      api.mock.on({ userMessage: "Rolls" }, {
        error: { type: "rate_limit_error", message: "Slow down." },
        status: 429,
        retryAfter: 7
      })
      expect(yield* errorOf(claude(api))).toMatchObject({
        reason: "rateLimited",
        retryAfter: 7000,
        message: "Claude: the API answered 429: Slow down."
      })
      expect(api.requests).toHaveLength(1)
    }))
})

/** A reply whose first words have come, and which goes on. */
const begun = Effect.fnUntraced(function*(layer: ReturnType<typeof ClaudeModel.layer>) {
  const seen = yield* Deferred.make<void>()
  const fiber = yield* Effect.flatMap(
    Model.Model,
    (model) => model.reply(request, () => Effect.asVoid(Deferred.succeed(seen, undefined)))
  ).pipe(Effect.provide(layer), Effect.forkChild)
  yield* Deferred.await(seen)
  return fiber
})

describe("a request", () => {
  it.effect("carries the key as a bearer token, the beta, and three cache markers at most", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(said("Yes.")))
      yield* ask(claude(api, { cache: "1h", model: "claude-sonnet-5-5", effort: "low", maxTokens: 99 }))
      expect(api.headers[0]).toMatchObject({
        authorization: `Bearer ${key}`,
        "anthropic-beta": "server-side-fallback-2026-07-01"
      })
      expect(api.requests[0]).toMatchObject({
        model: "claude-sonnet-5-5",
        max_tokens: 99,
        stream: true,
        output_config: { effort: "low" },
        system: [{ cache_control: { type: "ephemeral", ttl: "1h" } }]
      })
    }))

  it.effect("says in the log, once, which tools no longer fit the strict ones", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const logged: Array<unknown> = []
      const tools = Array.from(
        { length: 22 },
        (_, i) => Tool.make(`tool_${i}`, { description: "A tool.", input: Schema.Struct({}), run: () => Effect.void })
      )
      const { specs } = yield* Effect.provide(Toolset.Toolset, Toolset.layer(...tools))
      api.queue(FakeApi.streams(said("Yes.")), FakeApi.streams(said("Yes.")))
      yield* Effect.gen(function*() {
        const model = yield* Model.Model
        yield* model.reply({ ...request, tools: specs }, Model.unwatched)
        yield* model.reply({ ...request, tools: specs }, Model.unwatched)
      }).pipe(
        Effect.provide([claude(api), Logger.layer([Logger.make(({ message }) => void logged.push(message))])])
      )
      expect(logged).toEqual([[expect.stringMatching(/: tool_20, tool_21$/)]])
    }))

  it.effect("that is interrupted closes its connection", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streamsSome(3, said("Yes we are open"), () => {}))
      const fiber = yield* begun(claude(api))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => api.closed)
    }))
})

describe("a stream", () => {
  it.effect("shows text and thinking as they come, and the reply holds all of it", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({
        content: [
          { type: "thinking", thinking: "Saturday, then.", signature: "SIG" },
          { type: "text", text: "Yes, from 8." }
        ],
        usage: { input_tokens: 100, cache_read_input_tokens: 2000, cache_creation_input_tokens: 30 }
      }))
      const { reply, seen } = yield* ask(claude(api, { thinking: "summarized" }))
      const joined = (tag: string) => seen.map((d) => d._tag === tag && "text" in d ? d.text : "").join("")
      expect([joined("Thinking"), joined("Text")]).toEqual(["Saturday, then.", "Yes, from 8."])
      expect(seen.length).toBeGreaterThan(3)
      expect(reply).toMatchObject({
        text: "Yes, from 8.",
        usage: { input: 100, cacheRead: 2000, cacheWrite: 30, output: 5 }
      })
    }))

  it.effect("that a second model takes over begins anew for its watchers", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({
        content: [
          { type: "text", text: "I'd" },
          { type: "fallback", from: { model: "claude-opus-5-5" }, to: { model: "claude-opus-5" } },
          { type: "text", text: "Yes." }
        ]
      }))
      const { reply, seen } = yield* ask(claude(api))
      expect(reply.text).toBe("Yes.")
      const restarted = seen.findIndex(({ _tag }) => _tag === "Restarted")
      expect(seen.slice(restarted).map((d) => "text" in d ? d.text : d._tag)).toEqual(["Restarted", "Ye", "s."])
    }))

  it.effect("is read no further than it is shown, and a watcher's own time is not the API's silence", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(said("Yes, from 8.")))
      const shown = yield* Queue.unbounded<string>()
      const fiber = yield* Effect.flatMap(
        Model.Model,
        (model) =>
          model.reply(
            request,
            (delta) =>
              "text" in delta ? Effect.andThen(Queue.offer(shown, delta.text), Effect.sleep("10 minutes")) : Effect.void
          )
      ).pipe(
        Effect.provide(claude(api, { idleTimeout: "90 seconds" })),
        Effect.forkChild
      )
      expect(yield* Queue.take(shown)).toBe("Yes, f")
      yield* TestClock.adjust("10 minutes")
      expect(yield* Queue.take(shown)).toBe("rom 8.")
      yield* TestClock.adjust("10 minutes")
      expect(yield* Fiber.join(fiber)).toMatchObject({ text: "Yes, from 8." })
    }))

  it.effect("ends with its message, whatever the connection does afterwards", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(
        FakeApi.streamsSome(99, said("Yes."), () => {}),
        FakeApi.streamsSome(99, said("Yes."), (response) => response.destroy())
      )
      for (const _ of [1, 2]) {
        expect((yield* ask(claude(api))).reply).toMatchObject({ _tag: "Answer", text: "Yes." })
        yield* Effect.promise(() => api.closed)
      }
    }))

  it.effect("that was declined does not count for its watchers", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({ ...said("First,"), stop_reason: "refusal" }))
      const { seen } = yield* ask(claude(api))
      expect(seen.at(-1)).toEqual({ _tag: "Restarted", why: "Claude declined." })
    }))

  it.effect("shown to a watcher that is slow loses nothing", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(said("Yes, from 8 to 13.")))
      const seen: Array<string> = []
      const reply = yield* Effect.flatMap(Model.Model, (model) =>
        model.reply(request, (delta) =>
          Effect.yieldNow.pipe(Effect.andThen(Effect.sync(() =>
            "text" in delta && seen.push(delta.text)
          ))))).pipe(
          Effect.provide(claude(api))
        )
      expect(seen.join("")).toBe(reply.text)
    }))
})

describe("a reply", () => {
  const paused = (n: number) => ({
    content: [{ type: "server_tool_use", id: `srvtoolu_${n}`, name: "web_search", input: {} }],
    stop_reason: "pause_turn"
  })

  it.effect("that is declined is refused, with why", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({
        ...said("The first step"),
        stop_reason: "refusal",
        stop_details: { type: "refusal", category: "bio", explanation: "No." }
      }))
      const { reply } = yield* ask(claude(api))
      expect(reply).toMatchObject({ _tag: "Stopped", reason: "refused", detail: "bio: No." })
    }))

  it.effect("that is paused goes on with the same content, and counts all of it", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(paused(1)), FakeApi.streams(paused(2)), FakeApi.streams(said("Yes.")))
      const { reply } = yield* ask(claude(api))
      expect(reply).toMatchObject({ _tag: "Answer", text: "Yes.", usage: { input: 30, output: 15 } })
      expect(api.requests[2]!["messages"].slice(1)).toEqual([
        { role: "assistant", content: paused(1).content },
        { role: "assistant", content: paused(2).content }
      ])
      api.queue(FakeApi.streams(said("Goodbye.")))
      yield* ask(claude(api), {
        ...request,
        transcript: [...request.transcript, reply, { _tag: "Task", text: "Thanks." }]
      })
      expect(api.requests).toHaveLength(4)
    }))

  it.effect("that is paused without a word is not asked to go on, as it would say the same", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({ content: [], stop_reason: "pause_turn" }))
      expect((yield* ask(claude(api))).reply).toMatchObject({
        _tag: "Stopped",
        reason: "unfinished",
        detail: "pause_turn"
      })
      expect(api.requests).toHaveLength(1)
    }))

  it.effect("that was compacted goes on too", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(
        FakeApi.streams({ content: [{ type: "compaction", content: "So far: rolls." }], stop_reason: "compaction" }),
        FakeApi.streams(said("Yes."))
      )
      expect((yield* ask(claude(api))).reply).toMatchObject({ _tag: "Answer", text: "Yes." })
      expect(api.requests[1]?.messages[1]?.content).toEqual([{ type: "compaction", content: "So far: rolls." }])
    }))

  it.effect("that is paused a sixth time is unfinished", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(...Array.from({ length: 7 }, (_, n) => FakeApi.streams(paused(n))))
      const { reply } = yield* ask(claude(api))
      expect(reply).toMatchObject({ _tag: "Stopped", reason: "unfinished", detail: "pause_turn", usage: { input: 60 } })
      expect(api.requests).toHaveLength(6)
    }))

  it.effect("that fails after a pause says what the pause cost", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(paused(1)), FakeApi.error(500, "api_error", "Oh."))
      expect(yield* errorOf(claude(api))).toMatchObject({ reason: "server", usage: { input: 10, output: 5 } })
    }))

  it.effect("with nothing in it is unfinished, never an empty answer", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({ content: [] }))
      expect((yield* ask(claude(api))).reply).toMatchObject({ _tag: "Stopped", reason: "unfinished" })
    }))
})

/** The stream of one call whose input comes as this text. */
const callOf = (input: string, stop = "tool_use") =>
  FakeApi.raw(
    200,
    "text/event-stream",
    FakeApi.lines([
      { type: "message_start", message: { model: "claude-opus-5-5", content: [], usage: { input_tokens: 9 } } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "menu_item", input: {} }
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: input } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 7 } },
      { type: "message_stop" }
    ])
  )

/** The stream of a message that has this event after its beginning. */
const withEvent = (event: object) =>
  FakeApi.raw(
    200,
    "text/event-stream",
    FakeApi.lines([
      { type: "message_start", message: { content: [], usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "from_the_future", data: "" } },
      event as { type: string }
    ])
  )

const broken: Record<string, readonly [FakeApi.Answer, object]> = {
  "an overloaded API": [FakeApi.error(529, "overloaded_error", "Busy."), {
    reason: "overloaded",
    requestId: "req_error"
  }],
  "a server error": [FakeApi.error(500, "api_error", "Oh."), { reason: "server" }],
  "a gateway that answers in HTML": [FakeApi.raw(502, "text/html", "<html>bad gateway</html>"), {
    reason: "server",
    message: "Claude: the API answered 502."
  }],
  "a bad request": [FakeApi.error(400, "invalid_request_error", "No."), { reason: "badRequest" }],
  "a key that is not known": [FakeApi.error(401, "authentication_error", `invalid key ${key}`), {
    reason: "authentication",
    message: "Claude: the API answered 401: invalid key (the key). Check ANTHROPIC_API_KEY."
  }],
  "a bill that is not paid": [FakeApi.error(402, "billing_error", "Pay."), { reason: "spendLimit" }],
  "a key without the right": [FakeApi.error(403, "permission_error", "No."), { reason: "permission" }],
  "a model that is not there": [FakeApi.error(404, "not_found_error", "model: claude-x"), { reason: "notFound" }],
  "a request that is too large": [FakeApi.error(413, "request_too_large", "Big."), { reason: "tooLarge" }],
  "a spend limit": [
    FakeApi.error(429, "rate_limit_error", "Spent.", {}, { error_code: "enforced_spend_limit_reached" }),
    { reason: "spendLimit" }
  ],
  "a wait in milliseconds": [FakeApi.error(429, "rate_limit_error", "Slow.", { "retry-after-ms": "1500" }), {
    retryAfter: 1500
  }],
  "a wait until a date": [
    FakeApi.error(429, "rate_limit_error", "Slow.", { "retry-after": "Thu, 01 Jan 1970 00:02:00 GMT" }),
    { retryAfter: 120_000 }
  ],
  "a wait that is none": [FakeApi.error(429, "rate_limit_error", "Slow.", { "retry-after": "-1" }), {
    reason: "rateLimited"
  }],
  "an API that says not to try again": [FakeApi.error(500, "api_error", "Oh.", { "x-should-retry": "false" }), {
    retryable: false
  }],
  "HTML with status 200": [FakeApi.raw(200, "text/html", "<html>login</html>"), {
    reason: "malformed",
    message: "Claude: the API's answer is no message: it is of the type text/html."
  }],
  "JSON that is cut": [FakeApi.raw(200, "application/json", "{\"content\": [{\"type\""), { reason: "malformed" }],
  "JSON that is no message": [FakeApi.raw(200, "application/json", "{\"ok\": true}"), { reason: "malformed" }],
  "a stream event that is not JSON": [
    FakeApi.raw(200, "text/event-stream", "event: message_start\ndata: {\"type\": \n\n"),
    { reason: "malformed" }
  ],
  "a call whose input is not JSON": [callOf("{\"name\": xx}"), {
    reason: "malformed",
    message: "Claude: the API's answer is no message: the input of a call is not whole JSON."
  }],
  "a call whose input is half": [callOf("{\"name\":\"rye\", \"qty\": 1"), { reason: "malformed" }],
  "a delta of a kind we do not know": [
    withEvent({ type: "content_block_delta", index: 0, delta: { type: "future_delta", data: "abc" } }),
    {
      reason: "malformed",
      message: "Claude: the API's answer is no message: it has a delta of the unknown kind future_delta."
    }
  ],
  "words for a block that has none": [
    withEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "abc" } }),
    { reason: "malformed" }
  ],
  "a delta for a block that is not there": [
    withEvent({ type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "abc" } }),
    { reason: "malformed" }
  ],
  "a block out of order": [
    withEvent({ type: "content_block_start", index: 3, content_block: { type: "text", text: "" } }),
    { reason: "malformed" }
  ],
  "an event that is no object": [
    FakeApi.raw(200, "text/event-stream", "event: message_start\ndata: null\n\n"),
    { reason: "malformed" }
  ],
  "a stream cut off after its count of tokens": [
    FakeApi.streamsSome(6, { ...said("Yes we are"), usage: { output_tokens: 5000 } }, (response) => response.end()),
    { reason: "connection", usage: { input: 10, output: 5000, cacheRead: 0, cacheWrite: 0 } }
  ],
  "a wait without end": [FakeApi.error(429, "rate_limit_error", "Slow.", { "retry-after": "9".repeat(30) }), {
    retryAfter: Number.MAX_SAFE_INTEGER
  }],
  "a wait of a fraction": [FakeApi.error(429, "rate_limit_error", "Slow.", { "retry-after": "0.0005" }), {
    retryAfter: 1
  }],
  "a server error that calls itself a bad request": [FakeApi.error(500, "invalid_request_error", "Oh."), {
    reason: "server"
  }],
  "a status that nobody knows": [FakeApi.error(418, "teapot", "Short."), { reason: "badRequest" }],
  "a spend limit that says to try again": [
    FakeApi.error(429, "rate_limit_error", "Spent.", { "x-should-retry": "true" }, {
      error_code: "contract_spend_limit_reached"
    }),
    { reason: "spendLimit", retryable: undefined }
  ],
  "an API that says to try again": [FakeApi.error(400, "invalid_request_error", "Oh.", { "x-should-retry": "true" }), {
    retryable: true
  }],
  "an error at length": [FakeApi.error(500, "api_error", `a\n\u001b${"x".repeat(5_000_000)}`), {
    message: expect.stringMatching(/^Claude: the API answered 500: a .x{297}….$/)
  }],
  "a bill by its status alone": [FakeApi.raw(402, "text/plain", ""), { reason: "spendLimit" }],
  "a time-out of the server": [FakeApi.raw(408, "text/plain", ""), { reason: "timeout" }],
  "a conflict": [FakeApi.raw(409, "text/plain", ""), { reason: "server" }],
  "too many requests by the status alone": [FakeApi.raw(429, "text/plain", ""), { reason: "rateLimited" }],
  "a client that was gone": [FakeApi.raw(499, "text/plain", ""), { reason: "connection" }],
  "a server that is away": [FakeApi.raw(503, "text/plain", ""), { reason: "overloaded" }],
  "a gateway that timed out": [FakeApi.raw(504, "text/plain", ""), { reason: "timeout" }],
  "overload by the status alone": [FakeApi.raw(529, "text/plain", ""), { reason: "overloaded" }],
  "an empty stream": [FakeApi.raw(200, "text/event-stream", ""), { reason: "connection" }],
  "a stream that ends before its message": [
    FakeApi.streamsSome(4, said("Yes we are"), (response) => response.end()),
    { reason: "connection", requestId: "req_sse", usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 } }
  ],
  "a stream that breaks": [FakeApi.streamsSome(4, said("Yes we are"), (response) => response.destroy()), {
    reason: "connection"
  }],
  "an error in the middle of a stream": [
    FakeApi.streamsSome(4, said("Yes we are"), (response) =>
      response.end(
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Busy.\"}}\n\n"
      )),
    { reason: "overloaded", message: "Claude: the API answered overloaded_error: Busy.", requestId: "req_sse" }
  ],
  "an API that hangs up": [FakeApi.disconnects, { reason: "connection" }]
}

describe("an error", () => {
  it.effect.each(Object.keys(broken))("%s", (name) =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const [answer, expected] = broken[name]!
      api.queue(answer)
      const error = yield* errorOf(claude(api))
      expect(error).toMatchObject(expected)
      expect(error.retryAfter !== undefined).toBe("retryAfter" in expected)
      expect(error.message).toMatch(/^Claude: [^\n]{5,400}\.$/)
      expect(JSON.stringify(error) + error.message + Json.line(error)).not.toContain(key)
      expect(api.requests).toHaveLength(1)
    }))

  it.effect.each([
    "rate_limit_error",
    "overloaded_error",
    "timeout_error",
    "api_error",
    "not_found_error",
    "billing_error"
  ])(
    "%s in the middle of a stream is told by its type",
    (type) =>
      Effect.gen(function*() {
        const api = yield* FakeApi.make()
        const event = { type: "error", error: { type, message: "Oh." } }
        api.queue(FakeApi.streamsSome(4, said("Yes we are"), (response) => response.end(FakeApi.lines([event]))))
        const reasons: Record<string, string> = {
          rate_limit_error: "rateLimited",
          overloaded_error: "overloaded",
          timeout_error: "timeout",
          api_error: "server",
          not_found_error: "notFound",
          billing_error: "spendLimit"
        }
        expect((yield* errorOf(claude(api))).reason).toBe(reasons[type])
      })
  )

  it.effect("a call cut in the middle by the token limit is a truncated reply, and no error", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(callOf("{\"name\":\"ry", "max_tokens"))
      expect((yield* ask(claude(api))).reply).toMatchObject({ _tag: "Stopped", reason: "truncated" })
    }))

  it.effect("names a key in whatever form it comes back, and no word that a short key is part of", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const odd = "sk-\"quoted\"\\key"
      api.queue(
        FakeApi.error(401, "authentication_error", `no ${JSON.stringify(odd)} here`),
        FakeApi.error(500, "x", "e")
      )
      const error = yield* errorOf(claude(api, { apiKey: Redacted.make(odd) }))
      expect(error.message).toContain("no \"(the key)\" here")
      expect((yield* errorOf(claude(api, { apiKey: Redacted.make("e") }))).message).toBe(
        "Claude: the API answered 500: e."
      )
    }))

  it.effect("a stream that stalls is a time-out, however long it had come", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streamsSome(3, said("Yes we are open"), () => {}))
      const fiber = yield* begun(claude(api, { idleTimeout: "90 seconds" }))
      yield* TestClock.adjust("89 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 seconds")
      expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({
        reason: "timeout",
        message: "Claude: nothing came from the API for 1m 30s.",
        usage: { input: 10 }
      })
      yield* Effect.promise(() => api.closed)
    }))

  it.effect("pings are signs of life", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const pinged = Promise.withResolvers<() => void>()
      api.queue(FakeApi.streamsSome(3, said("Yes"), (response) =>
        pinged.resolve(() =>
          void response.write("event: ping\ndata: {\"type\": \"ping\"}\n\n")
        )))
      const fiber = yield* begun(claude(api, { idleTimeout: "90 seconds" }))
      yield* TestClock.adjust("60 seconds")
      const ping = yield* Effect.promise(() =>
        pinged.promise
      )
      ping()
      yield* Effect.promise(() => fetch(`${api.mock.url}/health`))
      yield* TestClock.adjust("60 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("30 seconds")
      expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ reason: "timeout" })
    }))

  it.live("529 twice, and then an answer: a retried turn is one turn", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const busy = FakeApi.error(529, "overloaded_error", "Busy.")
      api.queue(busy, FakeApi.streamsSome(4, said("Yes we"), (response) => response.destroy()), busy)
      api.mock.on({ userMessage: "Rolls" }, { content: "Yes.", finishReason: "stop" })
      const { reply, seen } = yield* ask(claude(api).pipe(ModelPolicy.retry({ firstDelay: "1 millis" })))
      expect(reply).toMatchObject({ _tag: "Answer", text: "Yes." })
      expect(api.requests).toHaveLength(4)
      const restarts = seen.filter(({ _tag }) => _tag === "Restarted")
      expect(restarts).toHaveLength(3)
      expect(seen.slice(seen.lastIndexOf(restarts[2]!) + 1).map((d) => "text" in d ? d.text : "").join("")).toBe("Yes.")
    }))
})

describe("the account", () => {
  const build = (options: ClaudeModel.Options, env: Record<string, string> = {}) =>
    Effect.scoped(Layer.build(ClaudeModel.layer(options))).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
    )

  it.effect("comes from the configuration where it is not given", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams(said("Yes.")))
      yield* ask(ClaudeModel.layer()).pipe(Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ANTHROPIC_API_KEY: ` ${key}\n`, ANTHROPIC_BASE_URL: api.url })
      ))
      expect(api.headers[0]?.authorization).toBe(`Bearer ${key}`)
    }))

  it.effect.each([
    ["no key", {}, {}, "there is no key for Claude: set ANTHROPIC_API_KEY."],
    ["an empty key", {}, { ANTHROPIC_API_KEY: " " }, "there is no key for Claude: set ANTHROPIC_API_KEY."],
    [
      "a key over two lines",
      {},
      { ANTHROPIC_API_KEY: `${key}\nabc` },
      expect.stringMatching(/^the key for Claude holds/)
    ],
    ["a base URL with a password", { baseUrl: `http://me:${key}@localhost` }, {}, expect.stringMatching(/password/)],
    ["a base URL that is none", { baseUrl: "localhost:80" }, {}, expect.stringMatching(/must begin with/)],
    ["a reply of no tokens", { maxTokens: 0 }, {}, expect.stringMatching(/maxTokens/)],
    ["a model without a name", { model: "" }, {}, expect.stringMatching(/model/)],
    ["a model of two words", { model: "claude opus" }, {}, expect.stringMatching(/model/)],
    ["four models to fall back to", { fallback: ["a", "b", "c", "d"] }, {}, expect.stringMatching(/fallback/)],
    ["a base URL with a name", { baseUrl: "http://me@localhost" }, {}, expect.stringMatching(/name or a password/)],
    ["no time at all", { idleTimeout: 0 }, {}, "the idle timeout for Claude must be a time longer than nothing."]
  ])("%s is one clear line before anything is sent", ([, options, env, message]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        build(options, { ...(Object.keys(options).length > 0 ? { ANTHROPIC_API_KEY: key } : {}), ...env })
      )
      expect(error._tag).toBe("InvalidSetup")
      expect(error.message).toEqual(message)
      expect(error.message).not.toContain(key)
      expect(error.message).not.toContain("\n")
    }))

  it.effect("is in no error, event, journal, log or span of a run that failed on it", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.error(401, "authentication_error", `invalid x-api-key: ${key}`))
      const told: Array<unknown> = []
      const { claim, list, read } = Journal.makeMemory()
      const journal = {
        append: (_: string, events: ReadonlyArray<unknown>) => Effect.sync(() => void told.push(events))
      }
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          told.push(span.attributes, span.events, span.name)
          return span
        }
      })
      const error = yield* Agent.run(agent, "Rolls?").pipe(
        Effect.withSpan("run"),
        Effect.provide([
          Toolset.layer(menu),
          claude(api),
          Logger.layer([Logger.make(({ cause, message }) => void told.push(message, cause))])
        ]),
        Effect.provideService(Journal.Journal, { ...journal, claim, list, read }),
        Effect.withTracer(tracer),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "RunError", reason: { reason: "authentication" } })
      expect(inspect([told, error], { depth: null, showHidden: true }) + error.message).not.toContain(key)
      expect(inspect(told, { depth: null })).toContain("(the key)")
    }))
})
