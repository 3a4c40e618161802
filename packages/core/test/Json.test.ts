import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Json from "../src/pure/Json.ts"

const json = (value: unknown) => Result.getOrThrow(Json.fromUnknown(value))

describe("fromUnknown", () => {
  it.prop("leaves JSON as it is, broken text aside", [Json.Json], ([value]) => {
    const text = JSON.stringify(value)
    if (!/\\ud[89a-f]/.test(text)) expect(JSON.stringify(json(value))).toBe(text)
  })

  it.prop("says of anything what its text is", [Schema.Unknown], ([value]) => {
    const text = Result.map(Json.fromUnknown(value), (one) => JSON.stringify(one))
    expect(Json.textOf(value)).toEqual(text)
  })

  it("takes what is nearly JSON the long way", () => {
    const own = JSON.parse("{\"__proto__\":1,\"a\":2}")
    for (const value of [own, { a: -0 }, [NaN], { a: undefined, b: 1 }, [() => 1], { toJSON: () => 7 }, "\ud800"]) {
      const text = Json.textOf(value)
      expect(Result.isSuccess(text)).toBe(true)
      expect(JSON.parse(Result.getOrThrow(text))).toEqual(JSON.parse(JSON.stringify(json(value))))
    }
    expect(Json.textOf([Object.assign([1], { toJSON: () => 7 })])).toEqual(Result.succeed("[[1]]"))
  })

  it("copies, so that nobody changes what was kept", () => {
    const value = { list: [{ a: 1 }] }
    const kept = json(value)
    value.list[0] = { a: 2 }
    expect(kept).toEqual({ list: [{ a: 1 }] })
  })

  it.prop("gives JSON for anything", [Schema.Unknown], ([value]) => {
    expect(Schema.is(Json.Json)(json(value))).toBe(true)
  })

  it("writes in words what JSON cannot hold", () => {
    expect(json({
      date: new Date("2026-12-01T00:00:00Z"),
      never: new Date(NaN),
      big: 12345678901234567890n,
      nan: NaN,
      inf: -Infinity,
      undef: undefined,
      fn: () => 1,
      sym: Symbol("s"),
      error: new RangeError("far"),
      map: new Map([["a", 1n]]),
      set: new Set([1, undefined]),
      list: [undefined, () => 1],
      own: { toJSON: () => ({ seen: 1n }) },
      "\ud800": "\udfff"
    })).toEqual({
      date: "2026-12-01T00:00:00.000Z",
      never: "Invalid Date",
      big: "12345678901234567890",
      nan: "NaN",
      inf: "-Infinity",
      error: "RangeError: far",
      map: [["a", "1"]],
      set: [1, null],
      list: [null, null],
      own: { seen: "1" },
      "\ufffd": "\ufffd"
    })
    expect([json(undefined), json(null)]).toEqual([null, null])
  })

  it("says where a value contains itself, and lets the same value stand twice", () => {
    const cycle: Record<string, unknown> = { a: [{}] }
    cycle["a"] = [{ b: cycle }]
    expect(Json.fromUnknown(cycle)).toEqual(Result.fail("it.a[0].b contains itself"))
    const shared = { x: 1 }
    expect(json([shared, shared])).toEqual([{ x: 1 }, { x: 1 }])
  })

  it("says that a value is nested too deeply, or that its own code threw", () => {
    let deep: unknown = []
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(Json.fromUnknown(deep)).toEqual(Result.fail("it is nested too deeply to write down"))
    const thrower = {
      get field() {
        throw new Error("not now")
      }
    }
    expect(Json.fromUnknown(thrower)).toEqual(Result.fail("its own code threw Error: not now while it was read"))
  })

  it("writes what keeps its parts out of sight, or says that it cannot", () => {
    const self: Record<string, unknown> = { a: 1, toJSON: () => self }
    expect(json({
      self,
      boxed: [new String("x"), new Number(1), new Boolean(false)],
      pattern: /a+/u,
      url: new URL("http://a.b/c"),
      query: new URLSearchParams("a=1"),
      headers: new Headers({ a: "1" }),
      bytes: [new Uint8Array(3), new ArrayBuffer(4)],
      bare: Object.create(null),
      zero: -0
    })).toEqual({
      self: { a: 1 },
      boxed: ["x", 1, false],
      pattern: "/a+/u",
      url: "http://a.b/c",
      query: "a=1",
      headers: [["a", "1"]],
      bytes: ["(3 bytes)", "(4 bytes)"],
      bare: {},
      zero: 0
    })
    const iterator = [1].values()
    for (
      const [value, why] of [
        [Promise.resolve(1), "it is a promise"],
        [{ a: [iterator] }, "it.a[0] is an iterator"],
        [() => 1, "it is a function"],
        [Symbol("s"), "it is a symbol"]
      ]
    ) expect(Json.fromUnknown(value)).toEqual(Result.fail(why))
  })

  it("ten megabytes of bytes are their number, and a million numbers a list", () => {
    expect(json(new Uint8Array(10_000_000))).toBe("(10000000 bytes)")
    expect(json(Array.from({ length: 1_000_000 }, () => 1))).toHaveLength(1_000_000)
  })

  it("takes an error for depth only where it is one", () => {
    const thrower = {
      get field() {
        throw new RangeError("far")
      }
    }
    expect(Json.fromUnknown(thrower)).toMatchObject(
      Result.fail(expect.stringMatching(/^its own code threw RangeError/))
    )
  })

  it("an error's line is mended", () => {
    expect(json(new Error("\ud800"))).toBe("Error: \ufffd")
  })

  it("keeps a key named __proto__ a key", () => {
    const made = json(JSON.parse("{\"__proto__\":{\"polluted\":true}}"))
    expect(JSON.stringify(made)).toBe("{\"__proto__\":{\"polluted\":true}}")
  })
})
