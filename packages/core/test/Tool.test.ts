import { describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { expect, expectTypeOf } from "vitest"
import type { Json } from "../src/pure/Json.ts"
import type { ToolResult } from "../src/pure/ToolCall.ts"
import { Fatal, NotFound } from "../src/pure/ToolFailure.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"

/** What the model reads of one call. */
const called = <R>(tool: Tool.Tool<R>, input: unknown) =>
  Effect.gen(function*() {
    const toolset = yield* Toolset.Toolset
    return yield* toolset.call({ id: "c1", name: tool.name, input: input as Json })
  }).pipe(Effect.provide(Toolset.layer(tool)))

/** Takes an input of this Schema and says what it got. */
const takes = <I>(input: Schema.ConstraintCodec<I, unknown>) =>
  Tool.make("takes", { description: "Takes.", input, run: (got) => Effect.succeed({ got }) })

/** Returns this value. */
const returns = (
  value: unknown,
  options?: { readonly maxChars?: number; readonly output?: Schema.ConstraintCodec<unknown, unknown> }
) =>
  Tool.make("returns", {
    description: "Returns.",
    input: Schema.Struct({}),
    run: () => Effect.succeed(value),
    ...options
  })

const says = (content: string): ToolResult => ({ callId: "c1", content, isError: false })
const refuses = (content: string): ToolResult => ({ callId: "c1", content, isError: true, notRun: "badInput" })
const fails = (content: string): ToolResult => ({ callId: "c1", content, isError: true })

const Order = Schema.Struct({
  item: Schema.NonEmptyString,
  size: Schema.Literals(["small", "Large"]),
  count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 })),
  note: Schema.optionalKey(Schema.String),
  topping: Schema.optionalKey(Schema.NullOr(Schema.Literals(["nuts", "none"]))),
  lines: Schema.Array(
    Schema.Struct({ day: Schema.Literals(["monday", "tuesday"]), at: Schema.optionalKey(Schema.Finite) })
  )
})
const order = { item: "rye", size: "small", count: 1, lines: [] }

describe("input", () => {
  it.effect("is decoded before the tool runs", () =>
    Effect.gen(function*() {
      const trimmed = Schema.Struct({ name: Schema.String.pipe(Schema.decode(SchemaTransformation.trim())) })
      expect(yield* called(takes(trimmed), { name: "  rye " })).toEqual(says("{\"got\":{\"name\":\"rye\"}}"))
    }))

  it.effect("a null for an optional field is the field left out, at any depth", () =>
    Effect.gen(function*() {
      expect(yield* called(takes(Order), { ...order, note: null, lines: [{ day: "monday", at: null }] })).toEqual(
        says("{\"got\":{\"item\":\"rye\",\"size\":\"small\",\"count\":1,\"lines\":[{\"day\":\"monday\"}]}}")
      )
    }))

  it.effect("a null that the field takes stays, and one that a required field does not take is refused", () =>
    Effect.gen(function*() {
      expect((yield* called(takes(Order), { ...order, topping: null })).content).toContain("\"topping\":null")
      expect(yield* called(takes(Order), { ...order, item: null })).toEqual(refuses("badInput: item must be a string."))
    }))

  it.effect("enum values match in any case, at any depth and in unions", () =>
    Effect.gen(function*() {
      const sent = { ...order, size: "LARGE", topping: "NUTS", lines: [{ day: "Tuesday" }] }
      expect(yield* called(takes(Order), sent)).toEqual(
        says(
          "{\"got\":{\"item\":\"rye\",\"size\":\"Large\",\"count\":1,\"topping\":\"nuts\",\"lines\":[{\"day\":\"tuesday\"}]}}"
        )
      )
      const Shape = Schema.Struct({
        shape: Schema.Union([
          Schema.Struct({ kind: Schema.Literal("circle"), r: Schema.Finite }),
          Schema.Struct({ kind: Schema.Literal("square"), a: Schema.Finite, fill: Schema.optionalKey(Schema.String) })
        ])
      })
      expect(yield* called(takes(Shape), { shape: { kind: "SQUARE", a: 1, fill: null } })).toEqual(
        says("{\"got\":{\"shape\":{\"kind\":\"square\",\"a\":1}}}")
      )
    }))

  it.effect("two enum values that differ in case alone are told apart", () =>
    Effect.gen(function*() {
      const Both = Schema.Struct({ unit: Schema.Literals(["m", "M"]) })
      expect((yield* called(takes(Both), { unit: "M" })).content).toBe("{\"got\":{\"unit\":\"M\"}}")
      expect((yield* called(takes(Both), { unit: "m" })).content).toBe("{\"got\":{\"unit\":\"m\"}}")
    }))

  it.effect("a refusal names the field and what it takes, is short, and shows neither value nor stack", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ ...order, size: "huge" }, "size must be one of: small, Large."],
        [{ ...order, count: 0 }, "count must be a value between 1 and 99."],
        [{ ...order, count: "2" }, "count must be a whole number."],
        [{ ...order, count: 1.5 }, "count must be an integer."],
        [{ ...order, item: "" }, "item must be a value with a length of at least 1."],
        [{ ...order, lines: [{ day: "monday" }, { day: "sunday" }] }, "lines[1].day must be one of: monday, tuesday."],
        [{ ...order, lines: "none" }, "lines must be a list, each an object with day, at."],
        [{ ...order, extra: 1 }, "extra is not a field. The fields are: item, size, count, note, topping, lines."],
        [
          { size: "small" },
          "item must be a string. count must be a whole number. lines must be a list, each an object with day, at."
        ],
        [{}, "item must be a string. size must be one of: small, Large. count must be a whole number. And 1 more."],
        ["text", "the input must be an object with item, size, count, note, topping, lines."],
        [null, "the input must be an object with item, size, count, note, topping, lines."],
        [[order], "the input must be an object with item, size, count, note, topping, lines."],
        [undefined, "the input must be an object with item, size, count, note, topping, lines."]
      ]
      for (const [input, message] of cases) {
        expect(yield* called(takes(Order), input)).toEqual(refuses(`badInput: ${message}`))
      }
      const secret = yield* called(takes(Order), { ...order, size: "sk-secret", count: "sk-secret" })
      expect(JSON.stringify(secret)).not.toContain("sk-secret")
    }))

  it.effect("a refusal uses the Schema's own message where it has one", () =>
    Effect.gen(function*() {
      const even = Schema.makeFilter<number>((n) => n % 2 === 0 ? undefined : "must be even")
      const Range = Schema.Struct({ lo: Schema.Finite, hi: Schema.Finite.check(even) }).check(
        Schema.makeFilter(({ hi, lo }) => lo <= hi ? undefined : { path: ["hi"], issue: "hi must not be under lo" })
      )
      expect((yield* called(takes(Range), { lo: 1, hi: 3 })).content).toBe("badInput: hi must be even.")
      expect((yield* called(takes(Range), { lo: 5, hi: 2 })).content).toBe("badInput: hi must not be under lo")
    }))

  it.effect("a long list of values is cut short", () =>
    Effect.gen(function*() {
      const Many = Schema.Struct({ n: Schema.Literals(Array.from({ length: 500 }, (_, i) => `value-${i}`)) })
      const { content } = yield* called(takes(Many), { n: "x" })
      expect(content).toMatch(/value-23, and 476 more\.$/)
    }))

  it.effect("a tool without fields takes an empty object", () =>
    Effect.gen(function*() {
      expect(yield* called(returns("ok"), {})).toEqual(says("ok"))
    }))

  it.effect("a Schema whose own code throws is a failure of the tool", () =>
    Effect.gen(function*() {
      const Broken = Schema.Struct({
        a: Schema.String.pipe(Schema.decode(SchemaTransformation.transform({
          decode: (): string => {
            throw new Error("in the Schema")
          },
          encode: (a: string) => a
        })))
      })
      expect(yield* called(takes(Broken), { a: "x" })).toEqual(fails("unavailable: Error: in the Schema"))
    }))
})

describe("output", () => {
  it.effect("whatever comes back is text the model can read", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        ["words", "words"],
        ["", "(empty text)"],
        [" \n ", "(empty text)"],
        [undefined, "(no output)"],
        [null, "null"],
        [0, "0"],
        [NaN, "\"NaN\""],
        [10n, "\"10\""],
        [new Date(0), "\"1970-01-01T00:00:00.000Z\""],
        [{ a: [1, undefined] }, "{\"a\":[1,null]}"],
        ["half \ud83d", "half \ufffd"]
      ]
      for (const [value, text] of cases) expect(yield* called(returns(value), {})).toEqual(says(text))
    }))

  it.effect("what cannot be written down is a clear failure", () =>
    Effect.gen(function*() {
      const cycle: Record<string, unknown> = {}
      cycle["self"] = cycle
      expect(yield* called(returns(cycle), {})).toEqual(
        fails("unavailable: what the tool returned cannot be written down: it.self contains itself.")
      )
    }))

  it.effect("is encoded by its Schema, and refused when it is not what that says", () =>
    Effect.gen(function*() {
      const output = Schema.Struct({ on: Schema.Date, note: Schema.optionalKey(Schema.String) })
      expect(yield* called(returns({ on: new Date(0) }, { output }), {})).toEqual(
        says("{\"on\":\"1970-01-01T00:00:00.000Z\"}")
      )
      const { content, isError } = yield* called(returns({ on: "today" }, { output }), {})
      expect(isError).toBe(true)
      expect(content).toMatch(/^unavailable: what the tool returned is not its output: .*on.*\.$/)
    }))

  it.effect("ten megabytes are cut at a character, head and tail kept, and the cap is the tool's", () =>
    Effect.gen(function*() {
      const text = "😀".repeat(5_242_880)
      const { content } = yield* called(returns(text), {})
      expect(content).toHaveLength(50_000 + "\n[… cut: 50,000 of 10,485,760 characters are shown …]\n".length)
      expect((content as string).isWellFormed()).toBe(true)
      expect((yield* called(returns("0123456789", { maxChars: 4 }), {})).content).toBe(
        "01\n[… cut: 4 of 10 characters are shown …]\n89"
      )
      const long = Tool.make("long", {
        description: "Fails at length.",
        input: Schema.Struct({}),
        maxChars: 20,
        run: () => new NotFound({ message: "x".repeat(1000) })
      })
      expect((yield* called(long, {})).content).toContain("cut: 20 of 1,010 characters")
    }))
})

describe("run", () => {
  class Shelf extends Context.Service<Shelf, { readonly books: ReadonlyArray<string> }>()("test/Shelf") {}

  const find = Tool.make("find", {
    description: "Finds a book.",
    input: Schema.Struct({ title: Schema.String }),
    run: Effect.fnUntraced(function*({ title }) {
      const { books } = yield* Shelf
      if (!books.includes(title)) return yield* new NotFound({ message: `no ${title}.` })
      return title
    })
  })

  it("what tools need is in the toolset's type", () => {
    class Clockwork extends Context.Service<Clockwork, number>()("test/Clockwork") {}
    const tick = Tool.make("tick", {
      description: "Ticks.",
      input: Schema.Struct({}),
      run: () => Effect.service(Clockwork)
    })
    const both = () => Toolset.layer(find, tick)
    expectTypeOf(find).toEqualTypeOf<Tool.Tool<Shelf>>()
    expectTypeOf<Layer.Services<ReturnType<typeof both>>>().toEqualTypeOf<Shelf | Clockwork>()
    expectTypeOf(Toolset.layer()).toEqualTypeOf<Layer.Layer<Toolset.Toolset, Tool.InvalidTool>>()
  })

  it.effect("has its needs met when the toolset is built", () =>
    Effect.gen(function*() {
      const { call } = yield* Toolset.Toolset
      expect(yield* call({ id: "c1", name: "find", input: { title: "Emma" } })).toEqual(says("Emma"))
      expect(yield* call({ id: "c1", name: "find", input: { title: "Ulysses" } })).toEqual(
        fails("notFound: no Ulysses.")
      )
    }).pipe(Effect.provide(Toolset.layer(find).pipe(Layer.provide(Layer.succeed(Shelf, { books: ["Emma"] }))))))

  it.effect("a fatal failure is the only one that is no result", () =>
    Effect.gen(function*() {
      const fatal = Tool.make("fatal", {
        description: "Ends it.",
        input: Schema.Struct({}),
        run: () => new Fatal({ message: "the database is down." })
      })
      expect(yield* Effect.flip(called(fatal, {}))).toEqual(new Fatal({ message: "the database is down." }))
    }))

  it("errors of its own do not compile", () => {
    Tool.make("wrong", {
      description: "Fails with its own error.",
      input: Schema.Struct({}),
      // @ts-expect-error: a tool maps its errors to failures the model reads, or to Fatal.
      run: () => Effect.fail(new Error("own"))
    })
  })
})
