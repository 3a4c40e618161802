import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { mend, ModelReply } from "../src/pure/Reply.ts"
import { mendResult, ToolResult } from "../src/pure/ToolCall.ts"
import * as Usage from "../src/pure/Usage.ts"

const usage = Usage.make({ input: 1, output: 2, cost: 0.5 })
const native = { provider: "p", content: [{ type: "thinking", thinking: "", signature: "S" }] }
const one = { id: "a", name: "b", input: { x: 1 } }

describe("mend", () => {
  it.prop("gives a reply that its Schema takes, and leaves such a reply as it is", [ModelReply], ([reply]) => {
    const mended = mend(reply)
    expect(Schema.is(ModelReply)(mended)).toBe(true)
    expect(mend(mended)).toEqual(mended)
  })

  it("keeps all of a good reply", () => {
    for (
      const reply of [
        { _tag: "Answer", text: "Yes.", usage, native },
        { _tag: "ToolCalls", calls: [one], text: "Let me see.", usage, native },
        { _tag: "Stopped", reason: "truncated", detail: "max_tokens", text: "Half a", usage, native }
      ] as const
    ) expect(mend(reply)).toEqual(reply)
  })

  it("makes calls what a provider takes back", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    const calls = [{ id: "\ud800", name: "\ud800", input: { a: "\ud800" } }, { ...one, input: cycle as never }] as const
    expect(mend({ _tag: "ToolCalls", calls, usage })).toMatchObject({
      calls: [{ id: "\ufffd", name: "\ufffd", input: { a: "\ufffd" } }, { ...one, input: null }]
    })
    expect(mend({ _tag: "Stopped", reason: "refused", detail: "\ud800", usage })).toMatchObject({ detail: "\ufffd" })
  })

  it("makes native content JSON, and drops it where it has none", () => {
    const answer = (content: unknown) =>
      mend({ _tag: "Answer", text: "Yes.", usage, native: { provider: "p", content: content as never } })
    expect(answer({ x: undefined, big: 1n, zero: -0 }).native).toEqual({
      provider: "p",
      content: { big: "1", zero: 0 }
    })
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    expect(answer(cycle)).not.toHaveProperty("native")
  })

  it("counts what was counted wrongly as nothing, and never switches a limit off", () => {
    const answer = (wrong: object) => mend({ _tag: "Answer", text: "Yes.", usage: { ...usage, ...wrong } }).usage
    for (const wrong of [NaN, -5, undefined, Infinity * -1]) expect(answer({ input: wrong }).input).toBe(0)
    expect(answer({ input: Infinity, output: 2.5 })).toMatchObject({ input: Number.MAX_SAFE_INTEGER, output: 3 })
    for (const cost of [NaN, -1, Infinity, "1"]) expect(answer({ cost })).not.toHaveProperty("cost")
  })
})

describe("mendResult", () => {
  it.prop("gives a result that its Schema takes, under its call's id", [ToolResult], ([result]) => {
    const mended = mendResult(one, result)
    expect(Schema.is(ToolResult)(mended)).toBe(true)
    expect(mended.callId).toBe("a")
    expect(JSON.stringify(mended)).not.toMatch(/\\ud[89a-f]/)
  })

  it("says that blank text is empty, and mends every part of a list", () => {
    const content = [
      { type: "text", text: " " },
      { type: "image", mediaType: "\ud800", data: "\ud800" }
    ] as const
    expect(mendResult(one, { callId: "x", content, isError: false }).content).toEqual([
      { type: "text", text: "(empty text)" },
      { type: "image", mediaType: "\ufffd", data: "\ufffd" }
    ])
    expect(mendResult(one, { callId: "x", content: [] as never, isError: true }).content).toBe("(empty text)")
  })
})

describe("usage", () => {
  it.prop("adds each part to its own kind", [Usage.Usage, Usage.Usage], ([a, b]) => {
    const sum = Usage.add(a, b)
    for (const part of ["input", "cacheWrite", "cacheRead", "output"] as const) {
      expect(sum[part]).toBe(Math.min(a[part] + b[part], Number.MAX_SAFE_INTEGER))
    }
    const cost = (a.cost ?? NaN) + (b.cost ?? NaN)
    expect(sum.cost).toBe(Number.isFinite(cost) ? cost : undefined)
    expect(Schema.is(Usage.Usage)(sum)).toBe(true)
  })

  it("does not count past what a whole number can be", () => {
    const most = Usage.make({ input: Number.MAX_SAFE_INTEGER })
    expect(Schema.is(Usage.Usage)(Usage.add(most, most))).toBe(true)
    expect(Usage.add(Usage.make({ cost: 1e308 }), Usage.make({ cost: 1e308 }))).not.toHaveProperty("cost")
  })
})
