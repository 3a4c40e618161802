import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import type * as StrictSchema from "../src/pure/StrictSchema.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"

const named = (name: string) =>
  Tool.make(name, { description: "A tool.", input: Schema.Struct({}), run: () => Effect.succeed("ok") })

const taking = (input: Schema.ConstraintCodec<unknown, unknown>) =>
  Tool.make("tool", { description: "A tool.", input, run: () => Effect.succeed("ok") })

/** The error of building a toolset. */
const refusal = (...tools: ReadonlyArray<Tool.Tool>) =>
  Effect.flip(Effect.service(Toolset.Toolset).pipe(Effect.provide(Toolset.layer(...tools))))

const schemaOf = (input: Schema.ConstraintCodec<unknown, unknown>) =>
  Effect.map(Effect.service(Toolset.Toolset), ({ specs }) => specs[0]?.inputSchema).pipe(
    Effect.provide(Toolset.layer(taking(input)))
  )

describe("building a toolset", () => {
  it.effect("refuses names that providers refuse", () =>
    Effect.gen(function*() {
      for (const name of ["", "with space", "naïve", "a.b", "x".repeat(65), "a\n"]) {
        expect(yield* refusal(named(name))).toMatchObject({ _tag: "InvalidTool", tool: name, reason: "name" })
      }
      const error = yield* refusal(named("a.b"))
      expect(error.message).toBe("the tool \"a.b\" needs another name: 1 to 64 letters, digits, \"_\" or \"-\".")
      for (const name of ["x".repeat(64), "A-b_9"]) {
        const { specs } = yield* Effect.service(Toolset.Toolset).pipe(Effect.provide(Toolset.layer(named(name))))
        expect(specs.map((spec) => spec.name)).toEqual([name])
      }
    }))

  it.effect("refuses two tools of one name", () =>
    Effect.gen(function*() {
      expect(yield* refusal(named("a"), named("b"), named("a"))).toMatchObject({
        reason: "duplicate",
        tool: "a",
        message: "two tools are named \"a\": give one of them another name."
      })
    }))

  it.effect("refuses an input that is no strict JSON Schema, naming the tool, the place and the keyword", () =>
    Effect.gen(function*() {
      interface Even {
        readonly odd: ReadonlyArray<Odd>
      }
      interface Odd {
        readonly even: ReadonlyArray<Even>
      }
      const Even: Schema.Codec<Even> = Schema.Struct({
        odd: Schema.Array(Schema.suspend((): Schema.Codec<Odd> => Odd))
      }).annotate({ identifier: "Even" })
      const Odd: Schema.Codec<Odd> = Schema.Struct({
        even: Schema.Array(Schema.suspend((): Schema.Codec<Even> => Even))
      }).annotate({ identifier: "Odd" })
      interface Tree {
        readonly kids: ReadonlyArray<Tree>
      }
      const Tree: Schema.Codec<Tree> = Schema.Struct({
        kids: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
      }).annotate({ identifier: "Tree" })
      const cases: ReadonlyArray<readonly [Schema.ConstraintCodec<unknown, unknown>, string, string]> = [
        [Tree, "input.kids[]", "$ref"],
        [Schema.Struct({ tree: Tree }), "input.tree.kids[]", "$ref"],
        [Even, "input.odd[].even[]", "$ref"],
        [Schema.Struct({ map: Schema.Record(Schema.String, Schema.Unknown) }), "input.map", "additionalProperties"],
        [Schema.Struct({ "naïve key": Schema.String }), "input.naïve key", "properties"],
        [Schema.Struct({ pair: Schema.Tuple([Schema.String, Schema.Finite]) }), "input.pair", "prefixItems"],
        [Schema.Struct({ map: Schema.Record(Schema.String, Schema.Finite) }), "input.map", "additionalProperties"],
        [Schema.Struct({ any: Schema.Unknown }), "input.any", "type"],
        [Schema.Struct({ list: Schema.Array(Schema.Json) }), "input.list[]", "type"],
        [Schema.String, "input", "type"],
        [Schema.Array(Schema.String), "input", "type"],
        [Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })]), "input", "anyOf"]
      ]
      for (const [input, path, keyword] of cases) {
        const error = yield* refusal(taking(input))
        expect(error).toMatchObject({ _tag: "InvalidTool", tool: "tool", reason: "schema" })
        expect(error.message).toContain(
          `the tool "tool" cannot be sent as a strict JSON Schema: ${path} needs the keyword "${keyword}".`
        )
      }
    }))

  it.effect("writes a schema that strict tool use takes, with what cannot be sent as a rule in the description", () =>
    Effect.gen(function*() {
      class Address extends Schema.Class<Address>("Address")({ street: Schema.String }) {}
      const input = Schema.Struct({
        name: Schema.String.annotate({ description: "The name." }).check(Schema.isMinLength(2), Schema.isMaxLength(9)),
        count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
        price: Schema.Number,
        any: Schema.Int,
        code: Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/u)),
        ahead: Schema.String.check(Schema.isPattern(/^(?=a)/u)),
        to: Address,
        tags: Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMinLength(2)),
        maybe: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
      })
      expect(yield* schemaOf(input)).toEqual({
        type: "object",
        properties: {
          name: {
            type: "string",
            description: "The name. (a value with a length of at least 2, a value with a length of at most 9)"
          },
          count: { type: "integer", description: "(a value between 1 and 5)" },
          price: { type: "number" },
          any: { type: "integer" },
          code: { type: "string", pattern: "^[A-Z]{2}$" },
          ahead: { type: "string", description: "(a string matching the RegExp ^(?=a))" },
          to: {
            type: "object",
            properties: { street: { type: "string" } },
            required: ["street"],
            additionalProperties: false
          },
          tags: {
            type: "array",
            items: { type: "string", enum: ["a", "b"] },
            description: "(a value with a length of at least 2)"
          },
          maybe: { anyOf: [{ type: "boolean" }, { type: "null" }] }
        },
        required: ["name", "count", "price", "any", "code", "ahead", "to", "tags"],
        additionalProperties: false
      })
      expect(yield* schemaOf(Schema.Struct({}))).toEqual({
        type: "object",
        properties: {},
        required: [],
        additionalProperties: false
      })
    }))

  it.effect("refuses options that no call could keep", () =>
    Effect.gen(function*() {
      const options: ReadonlyArray<readonly [object, string]> = [
        [{ maxChars: NaN }, "maxChars that is not a whole number from 1 up"],
        [{ maxChars: 0 }, "maxChars that is not a whole number from 1 up"],
        [{ maxChars: 1.5 }, "maxChars that is not a whole number from 1 up"],
        [{ timeLimit: "5 parsecs" }, "timeLimit that is not a time longer than nothing"],
        [{ timeLimit: -1 }, "timeLimit that is not a time longer than nothing"],
        [{ timeLimit: 0 }, "timeLimit that is not a time longer than nothing"]
      ]
      for (const [option, message] of options) {
        const error = yield* refusal(
          Tool.make("tool", { description: "", input: Schema.Struct({}), run: () => Effect.void, ...option })
        )
        expect(error).toMatchObject({ reason: "option", message: `the tool "tool" has a ${message}.` })
      }
      const wordless = yield* refusal(
        Tool.make("tool", {
          description: "",
          input: Schema.Struct({}),
          output: Schema.Struct({ [Symbol.for("key")]: Schema.String }) as never,
          run: () => Effect.void
        })
      )
      expect(wordless).toMatchObject({ reason: "schema", message: expect.stringContaining("its output has no JSON") })
    }))

  it.effect("tells the model each rule in words, once", () =>
    Effect.gen(function*() {
      const described = (input: Schema.Struct<Schema.Struct.Fields>) =>
        Effect.map(schemaOf(input as never), (schema) => {
          const properties = schema?.["properties"]
          return Object.values(typeof properties === "object" && properties !== null ? properties : {})
        })
      const rules: ReadonlyArray<readonly [Schema.Top, object]> = [
        [Schema.String.check(Schema.isPattern(/^[a-z]+$/)), {
          type: "string",
          description: "(a string matching the RegExp ^[a-z]+$)"
        }],
        [Schema.String.check(Schema.isPattern(/^a/u), Schema.isPattern(/b$/u)), {
          type: "string",
          pattern: "^a",
          description: "(matching b$)"
        }],
        [Schema.String.check(Schema.isPattern(/^\u{1F600}$/u)), {
          type: "string",
          description: "(a string matching the RegExp ^\\u{1F600}$)"
        }],
        [Schema.Int.check(Schema.isMultipleOf(2), Schema.isMultipleOf(3)), {
          type: "integer",
          description: "(a value that is a multiple of 2, a value that is a multiple of 3)"
        }],
        [Schema.Finite.check(Schema.isGreaterThan(1)).annotate({ description: "How many." }), {
          type: "number",
          description: "How many. (more than 1)"
        }],
        [Schema.Array(Schema.Int).check(Schema.isMaxLength(3)).annotate({ description: "Some." }), {
          type: "array",
          items: { type: "integer" },
          description: "Some. (at most 3 items)"
        }],
        [Schema.NonEmptyArray(Schema.String), { type: "array", items: { type: "string" }, minItems: 1 }],
        [Schema.Date, { type: "string", description: "(a string that will be decoded as a Date)" }],
        [Schema.String.annotate({ default: "x" }), { type: "string", default: "x" }],
        [Schema.String.annotate({ identifier: "app/Title a%b~c" }), { type: "string" }]
      ]
      for (const [rule, written] of rules) {
        expect(yield* described(Schema.Struct({ a: rule as never }))).toEqual([written])
      }
    }))

  it.effect("mends a description", () =>
    Effect.gen(function*() {
      const broken = Tool.make("t", { description: "half \ud800", input: Schema.Struct({}), run: () => Effect.void })
      const { specs } = yield* Effect.provide(Toolset.Toolset, Toolset.layer(broken))
      expect(specs[0]?.description).toBe("half \ufffd")
    }))

  it.effect("keeps the order of the tools, and what they do to the world", () =>
    Effect.gen(function*() {
      const writes = Tool.make("writes", {
        description: "Writes.",
        input: Schema.Struct({}),
        access: "writes",
        run: () => Effect.void
      })
      const again = Tool.make("again", {
        description: "Writes the same again.",
        input: Schema.Struct({}),
        access: "writes",
        idempotent: true,
        run: () => Effect.void
      })
      const { call, specs } = yield* Effect.service(Toolset.Toolset).pipe(
        Effect.provide(Toolset.layer(writes, named("reads"), again))
      )
      expect(specs.map(({ access, idempotent, name }) => [name, access, idempotent])).toEqual([
        ["writes", "writes", false],
        ["reads", "reads", true],
        ["again", "writes", true]
      ])
      expect((yield* call({ id: "c1", name: "other", input: {} })).content).toBe(
        "notFound: no tool is named other. The tools are: writes, reads, again."
      )
    }))

  it.effect("may hold no tools at all", () =>
    Effect.gen(function*() {
      const { call } = yield* Toolset.Toolset
      expect((yield* call({ id: "c1", name: "any", input: {} })).content).toBe(
        "notFound: no tool is named any. There are no tools."
      )
    }).pipe(Effect.provide(Toolset.layer())))
})

describe("merging toolsets", () => {
  const gated = Tool.make("gated", {
    description: "A tool.",
    input: Schema.Struct({}),
    approval: "always",
    run: () => Effect.succeed("ran")
  })

  it.effect("gives the tools of all of them, in order, each its own calls", () =>
    Effect.gen(function*() {
      const { call, review, specs } = yield* Toolset.Toolset
      expect(specs.map(({ name }) => name)).toEqual(["a", "b", "gated"])
      expect(yield* call({ id: "c1", name: "b", input: {} })).toMatchObject({ content: "ok" })
      expect((yield* review({ id: "c1", name: "a", input: {} }))._tag).toBe("Free")
      expect((yield* review({ id: "c1", name: "gated", input: {} }))._tag).toBe("NeedsPerson")
      expect((yield* call({ id: "c1", name: "other", input: {} })).content).toBe(
        "notFound: no tool is named other. The tools are: a, b, gated."
      )
    }).pipe(
      Effect.provide(Toolset.merge(Toolset.layer(named("a"), named("b")), Toolset.layer(), Toolset.layer(gated)))
    ))

  it.effect("refuses two tools of one name", () =>
    Effect.gen(function*() {
      const twice = Toolset.merge(Toolset.layer(named("a")), Toolset.layer(named("b"), named("a")))
      expect(yield* Effect.flip(Effect.provide(Toolset.Toolset, twice))).toMatchObject({
        _tag: "InvalidTool",
        tool: "a",
        reason: "duplicate"
      })
    }))
})

describe("a tool of somebody else's schema", () => {
  const specOf = (inputSchema: StrictSchema.JsonSchema) =>
    Effect.map(Toolset.Toolset, ({ specs }) => specs[0]).pipe(
      Effect.provide(Toolset.layer(Tool.foreign("theirs", inputSchema, {
        description: "Theirs.",
        input: Schema.Record(Schema.String, Schema.Unknown),
        run: () => Effect.succeed("ok")
      })))
    )

  it.effect("is strict where it can be, closed and with its definitions in place", () =>
    Effect.gen(function*() {
      for (const key of ["$defs", "definitions"]) {
        const spec = yield* specOf({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: { point: { $ref: `#/${key}/Point` }, properties: { type: "string", enum: ["x"] } },
          required: ["point"],
          [key]: { Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } }
        })
        expect(spec?.strict).toBeUndefined()
        expect(spec?.inputSchema).toMatchObject({
          properties: { point: { type: "object", properties: { x: { type: "number" } }, additionalProperties: false } },
          additionalProperties: false
        })
      }
    }))

  it.effect("is sent as it is where it cannot be", () =>
    Effect.gen(function*() {
      const open = { type: "object", additionalProperties: { type: "string" } }
      expect(yield* specOf(open)).toMatchObject({ strict: false, inputSchema: open })
    }))
})
