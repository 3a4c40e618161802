import { Usage } from "@levain/core"
import * as Result from "effect/Result"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Message from "../src/pure/Message.ts"
import * as Response from "../src/pure/Response.ts"

const folder = new URL("./fixtures/", import.meta.url)

const message = (name: string): Message.Message =>
  Result.getOrThrow(Message.fromUnknown(JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"))))

const usage = (input: number, output: number, cost: number) => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  cost: expect.closeTo(cost, 10)
})

/** What each kind of message comes to. Opus 5.5 costs 4 dollars a million tokens in, 20 out, and 0.2 read from the cache. */
const table: Record<string, object> = {
  end_turn: { _tag: "Answer", text: "We open at 8 on Saturday.", usage: usage(412, 18, 0.002008) },
  stop_sequence: { _tag: "Answer", text: "We open at 8 on Saturday." },
  tool_use: {
    _tag: "ToolCalls",
    text: "I'll look both up.",
    calls: [
      { id: "toolu_01", name: "menu_item", input: { name: "rye loaf" } },
      { id: "toolu_02", name: "opening_hours", input: { day: "saturday" } }
    ],
    usage: {
      input: 20,
      cacheWrite: 1500,
      cacheRead: 3000,
      output: 96,
      // 20 × 4, 3,000 × 0.2, 500 × 5 (five minutes), 1,000 × 8 (an hour), 96 × 20
      cost: expect.closeTo((80 + 600 + 2500 + 8000 + 1920) / 1e6, 10)
    }
  },
  refusal: { _tag: "Stopped", reason: "refused", detail: "cyber: This request may cause harm." },
  max_tokens: { _tag: "Stopped", reason: "truncated", detail: "max_tokens", text: "I'll look" },
  model_context_window_exceeded: { _tag: "Stopped", reason: "truncated", detail: "model_context_window_exceeded" },
  pause_turn: {
    _tag: "Stopped",
    reason: "unfinished",
    detail: "pause_turn",
    usage: usage(412, 18, 0.002008 + 0.01)
  },
  compaction: {
    _tag: "Stopped",
    reason: "unfinished",
    detail: "compaction",
    usage: usage(150_100, 910, (150_100 * 4 + 910 * 20) / 1e6)
  },
  unknown: { _tag: "Stopped", reason: "unfinished", detail: "moon_phase", text: "Hm." },
  empty: { _tag: "Stopped", reason: "unfinished", detail: "end_turn" },
  fallback: {
    _tag: "ToolCalls",
    text: "Let me see.",
    calls: [{ id: "toolu_live", name: "opening_hours", input: { day: "friday" } }],
    // The declined attempt at its own model's price, and the answer at the second's.
    usage: usage(824, 70, (412 * 4 + 40 * 20 + 412 * 5 + 30 * 25) / 1e6)
  },
  proxy: { _tag: "Answer", text: "Yes.", usage: Usage.make({ input: 3, output: 1 }) }
}

describe("a message comes to a reply", () => {
  it.each(Object.keys(table))("%s", (name) => {
    expect(Response.toReply(message(name))).toMatchObject(table[name]!)
  })

  it("every recorded message is in the table", () => {
    const recorded = readdirSync(folder).map((file) => file.replace(".json", ""))
    expect(Object.keys(table).toSorted()).toEqual(recorded.toSorted())
  })

  it("a model without a price has no cost, and not one of 0", () => {
    expect(Response.toReply(message("proxy")).usage).not.toHaveProperty("cost")
  })

  it("no call of a reply that is cut, declined or of unknown end is run", () => {
    for (const name of ["max_tokens", "refusal", "unknown"]) {
      expect(Response.toReply(message(name))).not.toHaveProperty("calls")
    }
  })

  it("a paused reply that went on is one reply, and costs all its messages", () => {
    const reply = Response.toReply(message("end_turn"), [message("pause_turn")])
    expect(reply).toMatchObject({
      _tag: "Answer",
      text: "We open at 8 on Saturday.",
      usage: { input: 824, output: 36 }
    })
    expect(reply.native?.content).toEqual([message("pause_turn").content, message("end_turn").content])
  })

  it("the content is kept as it came", () => {
    const raw: unknown = JSON.parse(readFileSync(new URL("tool_use.json", folder), "utf8")).content
    expect(JSON.stringify(Response.toReply(message("tool_use")).native?.content)).toBe(JSON.stringify([raw]))
  })

  it("blocks decide: calls under end_turn are calls, and tool_use without any is an answer", () => {
    expect(Response.toReply({ ...message("tool_use"), stop_reason: "end_turn" })._tag).toBe("ToolCalls")
    expect(Response.toReply({ ...message("end_turn"), stop_reason: "tool_use" })._tag).toBe("Answer")
  })

  it("is asked to go on when it is paused, and only then", () => {
    const paused = Object.keys(table).filter((name) => Response.isPaused(message(name)))
    expect(paused).toEqual(["pause_turn", "compaction"])
  })

  it.each([
    ["HTML", "<html>"],
    ["nothing", null],
    ["no content", { type: "message", stop_reason: "end_turn" }],
    ["content that is no block", { content: ["text"] }],
    ["a stop reason that is no word", { content: [], stop_reason: 4 }]
  ])("%s is no message", (_, value) => {
    expect(Result.isFailure(Message.fromUnknown(value))).toBe(true)
  })
})

describe("the bill", () => {
  const cost = (model: string, told: object) =>
    Response.toReply({ ...message("end_turn"), model, usage: { ...told } }).usage.cost

  it("a dated name is the model's", () => {
    expect(cost("claude-opus-5-5-20261001", { input_tokens: 1_000_000, output_tokens: 0 })).toBe(4)
  })

  it("a long prompt can have another price", () => {
    expect(cost("claude-haiku-5-5", { input_tokens: 100_000, output_tokens: 0 })).toBeCloseTo(0.01, 10)
    expect(cost("claude-haiku-5-5", { input_tokens: 1000, cache_read_input_tokens: 99_001, output_tokens: 0 }))
      .toBeCloseTo((1000 * 0.5 + 99_001 * 0.05) / 1e6, 10)
  })

  it("each model reads its cache at a price of its own", () => {
    const read = { cache_read_input_tokens: 1_000_000, input_tokens: 0, output_tokens: 0 }
    expect(["claude-opus-5-5", "claude-sonnet-5", "claude-fable-5-1"].map((model) => cost(model, read)))
      .toEqual([0.2, 0.2, 0.25])
  })

  it("what was declined before a word was said is free, save where it is billed", () => {
    const refused = (category: string | null, output_tokens: number) =>
      Response.toReply({
        ...message("refusal"),
        stop_details: { category },
        usage: { input_tokens: 1_000_000, output_tokens }
      }).usage.cost
    expect([refused("cyber", 0), refused(null, 0)]).toEqual([0, 0])
    expect([refused("bio", 0), refused("frontier_llm", 0), refused("reasoning_extraction", 0)]).toEqual([4, 4, 4])
    expect(refused("cyber", 50_000)).toBe(5)
  })

  it("every model has its price", () => {
    const of = (model: string, input_tokens: number, output_tokens: number) =>
      cost(model, { input_tokens, output_tokens })
    const million = 1_000_000
    const table = ["opus-5-5", "sonnet-5-5", "sonnet-5", "opus-5", "fable-5-1", "haiku-5-5"].map((name) => [
      of(`claude-${name}`, million, 0),
      of(`claude-${name}`, 0, million)
    ])
    expect(table).toEqual([[4, 20], [2, 10], [2, 10], [5, 25], [10, 50], [0.5, 0.5]])
    expect(of("claude-haiku-5-5", 200_000, million)).toBeCloseTo(0.1 + 2.5, 10)
  })

  it("one part is billed as many are, and no more is written for an hour than is written", () => {
    const part = { type: "message", model: "claude-opus-5", input_tokens: 1_000_000, output_tokens: 0 }
    expect(cost("claude-opus-5-5", { input_tokens: 1, output_tokens: 0, iterations: [part] })).toBe(5)
    const written = { ephemeral_1h_input_tokens: 5_000_000 }
    const told = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 1_000_000, cache_creation: written }
    expect(cost("claude-opus-5-5", told)).toBe(8)
    expect(cost("claude-opus-5-5", { input_tokens: 1.5, output_tokens: -1 })).toBe(0)
    const fast = { input_tokens: 1, output_tokens: 1, speed: "fast", iterations: [part] }
    expect(cost("claude-opus-5-5", fast)).toBeUndefined()
  })

  it("what the API did not tell is not known", () => {
    expect(cost("claude-opus-5-5", {})).toBeUndefined()
    expect(cost("claude-opus-5-5", { input_tokens: null, output_tokens: null })).toBeUndefined()
  })

  it("serving from the United States costs a tenth more, and a fast reply what we do not know", () => {
    const told = { input_tokens: 1_000_000, output_tokens: 0 }
    expect(cost("claude-opus-5-5", { ...told, inference_geo: "us" })).toBeCloseTo(4.4, 10)
    expect(cost("claude-opus-5-5", { ...told, speed: "fast" })).toBeUndefined()
  })
})
