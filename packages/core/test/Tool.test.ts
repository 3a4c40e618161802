import { describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as TestClock from "effect/testing/TestClock"
import { expect, expectTypeOf } from "vitest"
import { Json } from "../src/pure/Json.ts"
import type { ToolResult } from "../src/pure/ToolCall.ts"
import { BadInput, Denied, Fatal, NotFound } from "../src/pure/ToolFailure.ts"
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

  it.effect("a refusal names the field and what it takes, is short, and shows neither value nor stack (I12)", () =>
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

  it.effect.prop(
    "a field that is none is refused, wherever it stands and whatever it holds",
    [Schema.String, Json],
    ([key, value]) =>
      Effect.gen(function*() {
        const Nested = Schema.Struct({
          a: Schema.Struct({ b: Schema.String }),
          list: Schema.Array(Schema.Struct({ c: Schema.Finite }))
        })
        const Either = Schema.Struct({ either: Schema.Union([Schema.Struct({ d: Schema.String }), Schema.String]) })
        const good = { a: { b: "" }, list: [{ c: 1 }, { c: 2 }] }
        expect((yield* called(takes(Nested), good)).isError).toBe(false)
        const other = JSON.parse(`{${JSON.stringify(`no ${key}`)}:${JSON.stringify(value)}}`)
        const cases = [
          [Nested, { ...good, ...other }],
          [Nested, { ...good, a: { ...good.a, ...other } }],
          [Nested, { ...good, list: [{ c: 1 }, { c: 2, ...other }] }],
          [Either, { either: { d: "", ...other } }]
        ] as const
        for (const [takesInput, bad] of cases) {
          const { content, notRun } = yield* called(takes<unknown>(takesInput), bad)
          expect([content, notRun]).toEqual([expect.stringMatching(/is not a field/), "badInput"])
        }
      })
  )

  it.effect("something else for an object without fields never reaches the tool, and an object is its own copy", () =>
    Effect.gen(function*() {
      for (const input of ["text", 5, [1], true, null, { extra: 1 }]) {
        expect((yield* called(returns("ran"), input)).notRun).toBe("badInput")
        const nested = yield* called(takes(Schema.Struct({ a: Schema.Array(Schema.Struct({})) })), { a: [{}, input] })
        expect(nested.content).toMatch(/^badInput: a(\[\]|\[1\]) must be an object|^badInput: a\[1\]/)
      }
      const sent = { deep: {} }
      const writes = Tool.make("writes", {
        description: "Changes what it got.",
        input: Schema.Struct({ deep: Schema.Struct({}) }),
        run: (input) => Effect.sync(() => Object.assign(input.deep, { changed: true }))
      })
      yield* called(writes, sent)
      expect(sent).toEqual({ deep: {} })
    }))

  it.effect("a number is no name of a number", () =>
    Effect.gen(function*() {
      const Wide = Schema.Struct({ n: Schema.Number, list: Schema.optionalKey(Schema.Array(Schema.Number)) })
      expect(yield* called(takes(Wide), { n: "NaN" })).toEqual(refuses("badInput: n must be a number."))
      expect((yield* called(takes(Wide), { n: 1, list: [1, "Infinity"] })).notRun).toBe("badInput")
      expect((yield* called(takes(Wide), { n: 1, list: [2] })).isError).toBe(false)
    }))

  it.effect("what fits an alternative as it was sent is not read as another", () =>
    Effect.gen(function*() {
      const Cased = Schema.Struct({
        u: Schema.Union([
          Schema.Struct({ k: Schema.Literal("a"), x: Schema.Finite }),
          Schema.Struct({ k: Schema.Literal("A"), x: Schema.Finite })
        ])
      })
      expect((yield* called(takes(Cased), { u: { k: "A", x: 1 } })).content).toContain("\"k\":\"A\"")
      const Free = Schema.Struct({ who: Schema.Union([Schema.Literals(["all"]), Schema.String]) })
      expect((yield* called(takes(Free), { who: "ALL" })).content).toContain("\"ALL\"")
      const Strict = Schema.Struct({ u: Schema.Union([Schema.Array(Schema.Literals(["x"])), Schema.Int]) })
      expect((yield* called(takes(Strict), { u: ["X"] })).content).toContain("[\"x\"]")
      expect((yield* called(takes(Strict), { u: 1.5 })).notRun).toBe("badInput")
    }))

  it.effect("a refusal within a union is that of the alternative that was meant", () =>
    Effect.gen(function*() {
      const Tagged = Schema.Struct({
        u: Schema.Union([
          Schema.Struct({ k: Schema.Literal("a"), v: Schema.String }),
          Schema.Struct({ k: Schema.Literal("b"), v: Schema.Boolean })
        ])
      })
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ k: "b", v: "x" }, "u.v must be true or false."],
        [{ k: "b", v: true, z: 1 }, "u.z is not a field. The fields are: k, v."],
        [{ k: "c" }, "u.k must be one of: a, b."],
        ["text", "u must be an object with k, v, or an object with k, v."]
      ]
      for (const [u, message] of cases) {
        expect(yield* called(takes(Tagged), { u })).toEqual(refuses(`badInput: ${message}`))
      }
    }))

  it.effect("a refusal says what a conversion or a rule takes", () =>
    Effect.gen(function*() {
      const Odd = Schema.Struct({
        when: Schema.optionalKey(Schema.Date),
        word: Schema.optionalKey(Schema.String.check(Schema.makeFilter((s) => s !== "x"))),
        told: Schema.optionalKey(
          Schema.String.annotate({ description: "Anything but x." }).check(Schema.makeFilter((s) => s !== "x"))
        )
      })
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ when: "tomorrow" }, "when must be a valid Date."],
        [{ word: "x" }, "word breaks a rule of the tool."],
        [{ told: "x" }, "told breaks a rule of the tool: Anything but x."],
        [{ word: 1 }, "word must be a string."]
      ]
      for (const [input, message] of cases) {
        expect((yield* called(takes(Odd), input)).content).toBe(`badInput: ${message}`)
      }
    }))

  it.effect("a refusal is short, whatever was sent", () =>
    Effect.gen(function*() {
      const long = yield* called(takes(Order), { ...order, ["k".repeat(1_000_000)]: 1 })
      expect(long.content).toMatch(/^badInput: k{60}… is not a field\./)
      const { call } = yield* Effect.provide(Toolset.Toolset, Toolset.layer(returns(1)))
      const unknown = yield* call({ id: "c1", name: "😀".repeat(500_000), input: {} })
      expect(unknown.content).toBe(`notFound: no tool is named ${"😀".repeat(32)}…. The tools are: returns.`)
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

  it.effect("blocks are kept as such, a text alone as text, and a failure in its own words", () =>
    Effect.gen(function*() {
      const image = { type: "image", mediaType: "image/png", data: "AA==" } as const
      const content = (blocks: Tool.Content["blocks"], isError?: boolean) =>
        new Tool.Content({ blocks, ...(isError === undefined ? {} : { isError }) })
      expect(yield* called(returns(content([image])), {})).toEqual({ callId: "c1", content: [image], isError: false })
      expect(yield* called(returns(content([{ type: "text", text: "words" }])), {})).toEqual(says("words"))
      expect(yield* called(returns(content([{ type: "text", text: "no oven" }], true)), {})).toEqual(fails("no oven"))
      const long = yield* called(
        returns(content([{ type: "text", text: "x".repeat(40) }, { type: "text", text: " " }, image]), {
          maxChars: 12
        }),
        {}
      )
      expect(long.content).toEqual([
        { type: "text", text: expect.stringMatching(/^x{6}\n\[… cut: 12 of 40 characters are shown …\]\nx{6}$/) },
        { type: "text", text: "(empty text)" },
        image
      ])
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

  it.effect("more than the default cap is given where the tool allows it", () =>
    Effect.gen(function*() {
      const { content } = yield* called(returns("x".repeat(60_000), { maxChars: 70_000 }), {})
      expect(content).toHaveLength(60_000)
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

  it.effect("a fatal failure is found among others", () =>
    Effect.gen(function*() {
      const both = Tool.make("both", {
        description: "Fails twice.",
        input: Schema.Struct({}),
        run: () =>
          Effect.failCause(Cause.combine(
            Cause.fail(new Denied({ message: "not you" })),
            Cause.fail(new Fatal({ message: "the key was revoked." }))
          ))
      })
      expect(yield* Effect.flip(called(both, {}))).toMatchObject({ message: "the key was revoked." })
    }))

  it.effect("each failure is the line it prints", () =>
    Effect.gen(function*() {
      const failing = (failure: BadInput | Denied) =>
        Tool.make("failing", { description: "Fails.", input: Schema.Struct({}), run: () => failure })
      expect(yield* called(failing(new Denied({ message: "not today." })), {})).toEqual(fails("denied: not today."))
      expect(yield* called(failing(new BadInput({ message: "no." })), {})).toEqual(fails("badInput: no."))
    }))

  it.effect("what is no Effect, and what cannot be looked at, is unavailable", () =>
    Effect.gen(function*() {
      const odd = (run: () => unknown) =>
        Tool.make("odd", { description: "Odd.", input: Schema.Struct({}), run: run as () => Effect.Effect<unknown> })
      const revoked = Proxy.revocable({}, {})
      revoked.revoke()
      for (
        const run of [
          async () => "x",
          () => undefined,
          () => Effect.flatMap(Effect.void, () => "y" as never),
          () => Effect.fail(revoked.proxy),
          () => Effect.die(revoked.proxy)
        ]
      ) expect((yield* called(odd(run), {})).content).toMatch(/^unavailable: /)
    }))

  it.effect("a tool sees the references and spans of the run, not those of the day its toolset was built", () =>
    Effect.gen(function*() {
      const Tenant = Context.Reference("test/Tenant", { defaultValue: () => "none" })
      const who = Tool.make("who", {
        description: "Says for whom.",
        input: Schema.Struct({}),
        run: Effect.fnUntraced(function*() {
          const span = yield* Effect.orDie(Effect.currentSpan)
          return `${yield* Tenant} ${span.name}`
        })
      })
      const built = yield* Layer.build(Toolset.layer(who)).pipe(
        Effect.provideService(Tenant, "boot"),
        Effect.withSpan("boot")
      )
      const { call } = Context.get(built, Toolset.Toolset)
      const { content } = yield* call({ id: "c1", name: "who", input: {} }).pipe(
        Effect.provideService(Tenant, "this run"),
        Effect.withSpan("run")
      )
      expect(content).toBe("this run run")
    }))

  const Slow = Schema.Struct({
    a: Schema.String.pipe(
      Schema.decode(
        SchemaTransformation.transformEffect<string, string>({ decode: () => Effect.never, encode: () => Effect.never })
      )
    )
  })
  it.effect.each(
    [
      ["reading its input", { input: Slow, run: () => Effect.succeed({ a: "x" }) }],
      ["its work", { input: Schema.Struct({ a: Schema.String }), run: () => Effect.never }],
      ["writing its output", {
        input: Schema.Struct({ a: Schema.String }),
        output: Slow,
        run: () => Effect.succeed({ a: "x" })
      }]
    ] as const
  )("a time limit covers %s", ([, options]) =>
    Effect.gen(function*() {
      const limited = Tool.make("limited", { description: "Slow.", timeLimit: "1 second", ...options })
      const fiber = yield* Effect.forkChild(called(limited, { a: "x" }))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toEqual(fails("unavailable: limited took longer than 1s."))
    }))

  it.effect("a tool past its limit is interrupted, and its finalizers run", () =>
    Effect.gen(function*() {
      const finalized = yield* Deferred.make<void>()
      const hangs = Tool.make("hangs", {
        description: "Hangs.",
        input: Schema.Struct({}),
        timeLimit: "1 second",
        run: () => Effect.ensuring(Effect.never, Deferred.succeed(finalized, undefined))
      })
      const fiber = yield* Effect.forkChild(called(hangs, {}))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      yield* Deferred.await(finalized)
    }))

  it.effect("an interrupted run waits for a tool's finalizers", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const closes = Tool.make("closes", {
        description: "Takes its time to close.",
        input: Schema.Struct({}),
        run: () =>
          Effect.ensuring(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), Deferred.await(released))
      })
      const fiber = yield* Effect.forkChild(called(closes, {}))
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust("9 seconds")
      expect(stopping.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(stopping)
    }))

  it.effect.each(
    [
      ["than the tool's limit", "1 second", "1 second"],
      ["than ten seconds where it has no limit", undefined, "10 seconds"]
    ] as const
  )(
    "an interrupted run waits for a tool that ignores it no longer %s",
    ([, timeLimit, wait]) =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<void>()
        const stubborn = Tool.make("stubborn", {
          description: "Ignores everything.",
          input: Schema.Struct({}),
          ...(timeLimit === undefined ? {} : { timeLimit }),
          run: () => Effect.uninterruptible(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        })
        const fiber = yield* Effect.forkChild(called(stubborn, {}))
        yield* Deferred.await(begun)
        const stopping = yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* TestClock.adjust("999 millis")
        expect(stopping.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(wait)
        yield* Fiber.join(stopping)
      })
  )

  it("errors of its own do not compile", () => {
    Tool.make("wrong", {
      description: "Fails with its own error.",
      input: Schema.Struct({}),
      // @ts-expect-error: a tool maps its errors to failures the model reads, or to Fatal.
      run: () => Effect.fail(new Error("own"))
    })
  })
})
