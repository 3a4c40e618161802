import { describe, it } from "@effect/vitest"
import { Decider, type Model, Reply, RunEvent, Tool, ToolCall, Toolset, type Transcript } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Caching from "../src/pure/Caching.ts"
import * as Message from "../src/pure/Message.ts"
import * as Native from "../src/pure/Native.ts"
import * as Request from "../src/pure/Request.ts"
import * as Response from "../src/pure/Response.ts"
import { defaults } from "../src/pure/Settings.ts"
import * as RequestValidator from "./RequestValidator.ts"

const find = Tool.make("find_book", {
  description: "One book by its title.",
  input: Schema.Struct({ title: Schema.String, year: Schema.optionalKey(Schema.Int) }),
  run: ({ title }) => Effect.succeed(title)
})

const specsOf = (...tools: ReadonlyArray<Tool.Tool>) =>
  Effect.map(Toolset.Toolset, ({ specs }) => specs).pipe(Effect.provide(Toolset.layer(...tools)))

const request = (
  transcript: Transcript.Transcript,
  tools: ReadonlyArray<Tool.ToolSpec> = []
): Model.ModelRequest => ({ runId: "r", instructions: "Answer from the catalogue.", tools, transcript })

const task: Transcript.Task = { _tag: "Task", text: "Where is it?" }
const usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 }
const calls = (...all: readonly [ToolCall.ToolCall, ...ReadonlyArray<ToolCall.ToolCall>]): Reply.ToolCalls => ({
  _tag: "ToolCalls",
  calls: all,
  usage
})
const results = (...contents: readonly [string, ...ReadonlyArray<string>]): Transcript.Results => {
  const [first, ...rest] = contents.map((content) => ({ callId: "any", content, isError: false }))
  return { _tag: "Results", results: [first!, ...rest] }
}

describe("a request", () => {
  it.effect("has the defaults written out, tools strict, and the transcript at its end", () =>
    Effect.gen(function*() {
      const body = Request.body(request([task], yield* specsOf(find)), defaults)
      expect(body).toEqual({
        model: "claude-opus-5-5",
        max_tokens: 16_000,
        stream: true,
        output_config: { effort: "medium" },
        betas: ["server-side-fallback-2026-07-01"],
        fallbacks: "default",
        system: [{ type: "text", text: "Answer from the catalogue." }],
        tools: [{
          name: "find_book",
          description: "One book by its title.",
          input_schema: {
            type: "object",
            properties: { title: { type: "string" }, year: { type: "integer" } },
            required: ["title"],
            additionalProperties: false
          },
          strict: true
        }],
        messages: [{ role: "user", content: [{ type: "text", text: "Where is it?" }] }]
      })
      expect(Object.keys(body).at(-1)).toBe("messages")
    }))

  it.effect("forbids calls on a last turn, and changes nothing before the transcript for it", () =>
    Effect.gen(function*() {
      const usual = request([task], yield* specsOf(find))
      const { messages, tool_choice, ...rest } = Request.body({ ...usual, isLast: true }, defaults)
      expect(tool_choice).toEqual({ type: "none" })
      expect({ ...rest, messages }).toEqual(Request.body({ ...usual, isLast: false }, defaults))
      expect(Request.body({ ...request([task]), isLast: true }, defaults)).not.toHaveProperty("tool_choice")
    }))

  it("takes every setting", () => {
    const body = Request.body(request([task]), {
      ...defaults,
      effort: "default",
      fallback: ["claude-opus-5"],
      thinking: "summarized",
      maxTokens: 5
    })
    expect(body).toMatchObject({
      max_tokens: 5,
      fallbacks: [{ model: "claude-opus-5" }],
      thinking: { type: "adaptive", display: "summarized" }
    })
    expect(body).not.toHaveProperty("output_config")
    const bare = Request.body({ ...request([task]), instructions: " " }, { ...defaults, fallback: "off" })
    expect(Object.keys(bare)).toEqual(["model", "max_tokens", "stream", "output_config", "messages"])
  })

  it("sends what came with images and documents as the API takes it", () => {
    const transcript: Transcript.Transcript = [task, calls({ id: "a", name: "scan", input: {} }), {
      _tag: "Results",
      results: [{
        callId: "a",
        isError: true,
        content: [
          { type: "text", text: "Two pages." },
          { type: "image", mediaType: "image/png", data: "AA==" },
          { type: "image", mediaType: "image/tiff", data: "AA==" },
          { type: "document", mediaType: "application/pdf", data: "AA==" },
          { type: "document", mediaType: "text/rtf", data: "AA==" }
        ]
      }]
    }]
    expect(Request.body(request(transcript), defaults).messages.at(-1)).toEqual({
      role: "user",
      content: [{
        type: "tool_result",
        tool_use_id: "a",
        is_error: true,
        content: [
          { type: "text", text: "Two pages." },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
          { type: "text", text: "[an image of the type image/tiff, which cannot be shown]" },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AA==" } },
          { type: "text", text: "[a document of the type text/rtf, which cannot be shown]" }
        ]
      }]
    })
  })

  it("sends Claude's own content back as it came, also after it was kept as JSON", () => {
    const content = [
      { type: "thinking", thinking: "", signature: "S" },
      { type: "redacted_thinking", data: "D" },
      { type: "from_the_future", anything: [1, null, { a: "" }] },
      {
        type: "tool_use",
        id: "toolu_1",
        name: "find_book",
        input: { title: "X", b: 1, a: 2 },
        caller: { type: "direct" }
      }
    ]
    const reply = Response.toReply(wire(content, "tool_use"))
    const kept = Schema.decodeUnknownSync(Reply.ModelReply)(JSON.parse(JSON.stringify(reply)))
    if (kept._tag !== "ToolCalls") throw new Error("no calls")
    const { messages } = Request.body(request([task, kept, results("there")]), defaults)
    expect(JSON.stringify(messages[1])).toBe(JSON.stringify({ role: "assistant", content }))
  })

  it("drops what a first model left undone before a fallback, and blank texts", () => {
    const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" } }
    const call = { type: "tool_use", id: "live", name: "find_book", input: {} }
    const reply = Response.toReply(wire([
      { type: "thinking", thinking: "x", signature: "S" },
      { type: "text", text: "Half" },
      { ...call, id: "dead" },
      fallback,
      { type: "text", text: " \n" },
      call
    ], "tool_use"))
    const { messages } = Request.body(request([task, reply, results("r")]), defaults)
    expect(messages[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "Half" }, fallback, call] })
  })

  it("sends all messages of a reply that was paused, less the calls that never ran, and dead halves across them", () => {
    const search = { type: "server_tool_use", id: "srv", name: "web_search", input: {} }
    const call = { type: "tool_use", id: "toolu_1", name: "find_book", input: {} }
    const thinking = { type: "thinking", thinking: "", signature: "S" }
    const paused = wire([thinking, { type: "text", text: "Half." }, search, { ...call, id: "never" }], "pause_turn")
    const reply = Response.toReply(wire([call], "tool_use"), [paused])
    expect(reply).toMatchObject({ text: "Half.", calls: [{ id: "toolu_1" }] })
    const sent = Request.body(request([task, reply, results("r")]), defaults).messages
    expect(sent.slice(1, 3).map(({ content }) => content)).toEqual([
      [thinking, { type: "text", text: "Half." }, search],
      [call]
    ])
    expect(Request.goOn(Request.body(request([task]), defaults), Native.make([paused.content])).messages).toEqual(
      sent.slice(0, 2)
    )
    const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" } }
    const over = Response.toReply(wire([fallback, { type: "text", text: "Answer." }], "end_turn"), [paused])
    expect(over.text).toBe("Answer.")
    expect(Request.body(request([task, over, task]), defaults).messages.slice(1, 3).map(({ content }) => content))
      .toEqual([
        [{ type: "text", text: "Half." }, search],
        [fallback, { type: "text", text: "Answer." }]
      ])
  })

  it("sends no block that a proxy left incomplete", () => {
    const reply = Response.toReply(wire([{ type: "text" }, { type: "text", text: "hi" }], "end_turn"))
    expect(Request.body(request([task, reply, task]), defaults).messages[1]?.content).toEqual([{
      type: "text",
      text: "hi"
    }])
    const odd = Response.toReply(wire([{ type: "tool_use", id: "a", name: "x", input: [1] }], "tool_use"))
    expect(Request.body(request([task, odd, results("1")]), defaults).messages[1]?.content).toEqual([
      { type: "tool_use", id: "a", name: "x", input: { input: [1] } }
    ])
  })

  it("writes another model's reply in neutral blocks, under ids, names and inputs that the API takes", () => {
    const first = { ...calls({ id: "c 1", name: "find book!", input: "rye" }), text: "Let me see." }
    const second = calls({ id: "a", name: "x", input: {} }, { id: "a", name: "y".repeat(80), input: [1] })
    const third = calls({ id: "a", name: "", input: null })
    const { messages } = Request.body(
      request([task, first, results("1"), second, results("2", "3"), third, results("4")]),
      defaults
    )
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "tool_use", id: "call_1_0", name: "find_book_", input: { input: "rye" } }
        ]
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1_0", content: "1" }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "x", input: {} },
          { type: "tool_use", id: "a_3_1", name: "y".repeat(64), input: { input: [1] } }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "2" },
          { type: "tool_result", tool_use_id: "a_3_1", content: "3" }
        ]
      },
      { role: "assistant", content: [{ type: "tool_use", id: "a_5_0", name: "unnamed", input: { input: null } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a_5_0", content: "4" }] }
    ])
  })

  it("leaves out what was declined, and the calls of a reply that was cut off", () => {
    const stopped = (reason: Reply.StopReason, text?: string): Reply.Stopped => ({
      _tag: "Stopped",
      reason,
      usage,
      ...(text === undefined ? {} : { text })
    })
    const { messages } = Request.body(
      request([
        task,
        stopped("refused", "First,"),
        task,
        stopped("truncated", "We op"),
        task,
        stopped("unfinished"),
        task
      ]),
      defaults
    )
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user", "user"])
    expect(messages[2]?.content).toEqual([{ type: "text", text: "We op" }])
  })

  it("ignores a native content that is not what it should be", () => {
    const foreign = [[{ type: "tool_use", id: "b", name: "y", input: {} }]]
    for (const native of [{ provider: "other", content: foreign }, { provider: "anthropic", content: { a: 1 } }]) {
      const { messages } = Request.body(
        request([task, { ...calls({ id: "a", name: "x", input: {} }), native }, results("1")]),
        defaults
      )
      expect(messages[1]?.content).toEqual([{ type: "tool_use", id: "a", name: "x", input: {} }])
    }
  })
})

const wire = (content: ReadonlyArray<Native.Block>, stop_reason: string): Message.Message =>
  Result.getOrThrow(Message.fromUnknown({ content, stop_reason, usage: { input_tokens: 1, output_tokens: 1 } }))

describe("tools", () => {
  const many = <A>(count: number, input: Schema.ConstraintCodec<A, unknown>) =>
    Array.from(
      { length: count },
      (_, i) => Tool.make(`tool_${i}`, { description: "A tool.", input, run: () => Effect.succeed("done") })
    )

  const strictOf = (tools: ReadonlyArray<Tool.Tool>) =>
    Effect.map(specsOf(...tools), (specs) => {
      const all = Request.body(request([task], specs), defaults).tools ?? []
      return all.flatMap((tool) => "strict" in tool && tool.strict ? [tool.name] : []).length
    })

  it.effect("are strict for as long as the API has room for tools, optional fields and unions", () =>
    Effect.gen(function*() {
      const optional = Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.optionalKey(Schema.String) })
      const union = Schema.Struct({ a: Schema.Array(Schema.Union([Schema.String, Schema.Boolean])) })
      expect(yield* strictOf(many(25, Schema.Struct({ a: Schema.String })))).toBe(20)
      expect(yield* strictOf(many(20, optional))).toBe(12)
      expect(yield* strictOf(many(20, union))).toBe(16)
    }))

  it.effect("are not strict where their schema is another's that cannot be held to", () =>
    Effect.gen(function*() {
      const theirs = Tool.foreign("theirs", { type: "object", additionalProperties: { type: "string" } }, {
        description: "Theirs.",
        input: Schema.Record(Schema.String, Schema.String),
        run: () => Effect.succeed("ok")
      })
      const { tools } = Request.body(request([task], yield* specsOf(theirs)), { ...defaults, strict: true })
      expect(tools?.[0]).toMatchObject({ name: "theirs", input_schema: { additionalProperties: { type: "string" } } })
      expect(tools?.[0]).not.toHaveProperty("strict")
    }))

  it.effect("are not strict when they need not be", () =>
    Effect.gen(function*() {
      const body = Request.body(request([task], yield* specsOf(find)), { ...defaults, strict: false })
      expect(body.tools?.[0]).not.toHaveProperty("strict")
    }))
})

describe("cache markers", () => {
  const marked = (body: unknown): number => JSON.stringify(body).split("\"cache_control\"").length - 1
  const long = request([task, calls({ id: "a", name: "x", input: {} }), results("1", "2"), {
    ...calls({ id: "b", name: "x", input: {} })
  }, results("3")])

  it("stand at the end of what is fixed and of the last two turns", () => {
    const body = Caching.mark(Request.body(long, defaults), "5m")
    const at = { cache_control: { type: "ephemeral" } }
    expect(body.system).toMatchObject([at])
    expect(body.messages[2]).toMatchObject({ content: [{ tool_use_id: "a" }, at] })
    expect(body.messages[4]).toMatchObject({ content: [at] })
    expect(marked(body)).toBe(3)
  })

  it("stand on the system prompt and not on the tools where there are both", async () => {
    const specs = await Effect.runPromise(specsOf(find))
    const body = Caching.mark(Request.body(request([task], specs), defaults), "5m")
    expect(body.system).toMatchObject([{ cache_control: { type: "ephemeral" } }])
    expect(marked(body.tools)).toBe(0)
  })

  it("stand on the last tool where there are no instructions", async () => {
    const specs = await Effect.runPromise(specsOf(find))
    const body = Caching.mark(Request.body({ ...request([task], specs), instructions: "" }, defaults), "1h")
    expect(body.tools).toMatchObject([{ cache_control: { type: "ephemeral", ttl: "1h" } }])
  })

  it("can be off", () => {
    const body = Request.body(long, defaults)
    expect(Caching.mark(body, "off")).toBe(body)
    expect(marked(body)).toBe(0)
  })
})

/** What Claude may say of itself: blocks of many kinds, in any order. */
const ClaudeSays = Schema.Struct({
  content: Schema.Array(Schema.Union([
    Schema.Struct({ type: Schema.tag("text"), text: Schema.String }),
    Schema.Struct({ type: Schema.tag("thinking"), thinking: Schema.String, signature: Schema.String }),
    Schema.Struct({ type: Schema.tag("redacted_thinking"), data: Schema.String }),
    Schema.Struct({ type: Schema.tag("compaction"), content: Schema.String }),
    Schema.Struct({ type: Schema.tag("fallback"), from: Schema.Struct({ model: Schema.String }) }),
    Schema.Struct({
      type: Schema.tag("tool_use"),
      id: Schema.Literals(["toolu_1", "toolu_2", "call_1_0"]),
      name: Schema.Literals(["menu_item", "opening_hours"]),
      input: Schema.Record(Schema.String, Schema.Json)
    })
  ])),
  paused: Schema.Boolean,
  stop: Schema.Literals(["end_turn", "tool_use", "stop_sequence", "max_tokens", "refusal", "pause_turn", "new"])
})

const Exchange = Schema.Struct({
  task: Schema.String,
  replies: Schema.Array(Schema.Struct({
    reply: Schema.Union([ClaudeSays, Reply.ModelReply]),
    results: Schema.Array(ToolCall.ToolResult)
  }))
})

interface Sent {
  readonly body: ReturnType<typeof Request.body>
  readonly said: Message.Message | undefined
  /** True where another model answers instead, on the transcript as it was before a pause. */
  readonly isOthers: boolean
}

/** Every request that a core would make of these replies, in the order it would make them. */
const requestsOf = (exchanges: ReadonlyArray<typeof Exchange.Type>): ReadonlyArray<Sent> => {
  const limits = { maxTurns: 1000 }
  const sent: Array<Sent> = []
  let before: Transcript.Transcript = []
  for (const { replies, task } of exchanges) {
    let state = Decider.fold([RunEvent.stampFact({
      _tag: "RunStarted",
      runId: "r",
      agent: "a",
      instructions: "Be kind.",
      task: task.trim() === "" ? "(an empty message)" : task.toWellFormed(),
      limits
    }, 0)])
    const record = (fact: RunEvent.Fact) => {
      state = Decider.evolve(state, RunEvent.stampFact(fact, 0))
    }
    const paused: Array<Message.Message> = []
    for (const { reply, results } of replies) {
      if (Decider.next(state, limits)._tag !== "AskModel") break
      const said = "stop" in reply ? wire(reply.content, reply.paused ? "pause_turn" : reply.stop) : undefined
      const isOthers = said === undefined && paused.splice(0).length > 0
      const body = Request.body(request([...before, ...state.transcript]), defaults)
      sent.push({ body: Request.goOn(body, Native.make(paused.map(({ content }) => content))), said, isOthers })
      const goesOn = said !== undefined && Response.isPaused(said) && paused.length < 5
      if (goesOn && replies.at(-1)?.reply !== reply) {
        paused.push(said)
        continue
      }
      record({
        _tag: "Replied",
        reply: Reply.mend("stop" in reply ? Response.toReply(said ?? wire([], ""), paused.splice(0)) : reply)
      })
      const asked = state.open.map(({ call }) => call)
      asked.forEach((call, index) =>
        record({
          _tag: "ToolFinished",
          place: { turn: state.spent.turns, index },
          result: ToolCall.mendResult(call, results[index] ?? { callId: "", content: "none", isError: true })
        })
      )
    }
    before = [...before, ...state.transcript]
  }
  return sent
}

describe("for any transcript the core can produce", () => {
  it.prop(
    "every request is one the API takes (I1), and begins with the bytes of the one before it (I11)",
    [Schema.Array(Exchange)],
    ([exchanges]) => {
      const validator = RequestValidator.make()
      const headers = { authorization: "Bearer k", "anthropic-beta": "server-side-fallback-2026-07-01" }
      for (const { body, isOthers, said } of requestsOf(exchanges)) {
        if (isOthers) validator.beginAnew()
        const { betas: _, ...sent } = Caching.mark(body, "5m")
        const raw = JSON.stringify(sent)
        expect(validator.check(raw, headers), raw).toBeUndefined()
        if (said !== undefined) validator.served(said.content, said.stop_reason ?? "")
        const isReplaced = said?.content.some(({ type }) => type === "fallback")
        if (said?.stop_reason === "refusal" || isReplaced) validator.beginAnew()
      }
    }
  )
})
