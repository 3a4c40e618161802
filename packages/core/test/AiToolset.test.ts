import { describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as AiToolset from "../src/adapters/AiToolset.ts"
import * as Agent from "../src/Agent.ts"
import { makeMemory } from "../src/Journal.ts"
import { Journal } from "../src/Journal.ts"
import { type Progress, RunObserver } from "../src/RunObserver.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, echo } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

class Product extends Schema.Class<Product>("Product")({ id: Schema.String, price: Schema.Finite }) {}
class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { id: Schema.String }) {}
class Stock extends Context.Service<Stock, { readonly of: (id: string) => number }>()("Stock") {}

const Search = AiTool.make("Search", {
  description: "Searches the catalogue.",
  parameters: Schema.Struct({
    query: Schema.String.annotate({ description: "What to look for." }),
    most: Schema.Natural.pipe(Schema.withDecodingDefault(Effect.succeed(2)))
  }),
  success: Schema.Array(Product)
}).annotate(AiTool.Readonly, true)

const Reserve = AiTool.make("Reserve", {
  description: "Reserves one.",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ left: Schema.Int }),
  failure: OutOfStock,
  failureMode: "return",
  dependencies: [Stock]
})

const Close = AiTool.make("Close", { success: Schema.String, failure: OutOfStock, failureMode: "error" })

const Look = AiTool.make("Look", {
  description: "Looks at a picture.",
  success: Schema.String,
  toModelOutput: () => [
    Prompt.textPart({ text: "A loaf." }),
    Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2, 3]) })
  ]
})

const Raw = AiTool.dynamic("Raw", {
  description: "Whatever its schema says.",
  parameters: {
    type: "object",
    properties: { n: { type: "integer", minimum: 0 }, any: {} },
    required: ["n"],
    additionalProperties: false
  }
})

const Shop = Toolkit.make(Search, Reserve, Close, Look, Raw)

const handlers = Shop.toLayer({
  Search: ({ most, query }) =>
    Effect.succeed(Array.from({ length: most }, (_, i) => new Product({ id: `${query}-${i}`, price: i }))),
  Reserve: Effect.fnUntraced(function*({ id }, context) {
    yield* context.preliminary({ left: 99 })
    const left = (yield* Stock).of(id)
    return left > 0 ? { left: left - 1 } : yield* new OutOfStock({ id })
  }),
  Close: () => Effect.fail(new OutOfStock({ id: "shop" })),
  Look: () => Effect.succeed("seen"),
  Raw: (params) => Effect.succeed(params)
})

const needs = Layer.merge(handlers, Layer.succeed(Stock, { of: (id) => id === "none" ? 0 : 3 }))
const shop = AiToolset.layer(Shop).pipe(Layer.provide(needs))

const played = (tools: Layer.Layer<Toolset.Toolset, unknown>, ...calls: Array<ReturnType<typeof call>>) => {
  const [first = call("none", {}), ...others] = calls
  return Agent.run(agent, "Go.").pipe(
    Effect.provide([tools, ScriptedModel.layer([asks(1, first, ...others), answers(1, "Done.")])])
  )
}

describe("AiToolset", () => {
  it.effect("runs a toolkit's tools: decoded input in, encoded results out, in the order asked", () =>
    Effect.gen(function*() {
      const { steps } = yield* played(
        shop,
        call("Search", { query: "rye" }),
        call("Search", { query: 7 }),
        call("Reserve", { id: "rye-0" }),
        call("Nothing", {}),
        call("Raw", { n: 4 }),
        call("Raw", { n: -4 })
      )
      expect(steps.map(({ result }) => [result.isError, result.content])).toEqual([
        [false, "[{\"id\":\"rye-0\",\"price\":0},{\"id\":\"rye-1\",\"price\":1}]"],
        [true, "badInput: query must be a string."],
        [false, "{\"left\":2}"],
        [true, expect.stringContaining("no tool is named Nothing")],
        [false, "{\"n\":4}"],
        [true, expect.stringMatching(/^badInput: n must be/)]
      ])
    }))

  it.effect("tells the model what a toolkit says of its tools, and a resume what may be repeated", () =>
    Effect.gen(function*() {
      const { specs } = yield* Toolset.Toolset
      expect(specs.map(({ access, idempotent, name }) => [name, access, idempotent])).toEqual([
        ["Search", "reads", true],
        ["Reserve", "writes", false],
        ["Close", "writes", false],
        ["Look", "writes", false],
        ["Raw", "writes", false]
      ])
      expect(specs[0]?.inputSchema).toMatchObject({
        type: "object",
        properties: { query: { description: "What to look for." } },
        additionalProperties: false
      })
      expect(specs.map(({ strict }) => strict)).toEqual([undefined, undefined, undefined, undefined, false])
    }).pipe(Effect.provide(shop)))

  it.effect("annotations decide: idempotent repeats, a destructive reader writes", () =>
    Effect.gen(function*() {
      const plain = AiTool.make("t", { success: Schema.String })
      const specOf = (tool: AiTool.Any) =>
        Effect.gen(function*() {
          const kit = Toolkit.make(tool)
          const { specs } = yield* Effect.provide(
            Toolset.Toolset,
            AiToolset.layer(kit).pipe(Layer.provide(kit.toLayer({ t: () => Effect.succeed("") } as never)))
          )
          return specs[0]
        }) as Effect.Effect<unknown>
      expect(yield* specOf(plain.annotate(AiTool.Idempotent, true))).toMatchObject({
        access: "writes",
        idempotent: true
      })
      expect(yield* specOf(plain.annotate(AiTool.Readonly, true))).toMatchObject({ access: "reads" })
      expect(yield* specOf(plain.annotate(AiTool.Readonly, true).annotate(AiTool.Destructive, true))).toMatchObject({
        access: "writes",
        idempotent: false
      })
    }))

  it.effect("a failure is a result where the toolkit returns it, and ends the run where it does not", () =>
    Effect.gen(function*() {
      const { steps } = yield* played(shop, call("Reserve", { id: "none" }))
      expect(steps[0]?.result).toMatchObject({ isError: true, content: "{\"_tag\":\"OutOfStock\",\"id\":\"none\"}" })
      const error = yield* Effect.flip(played(shop, call("Close", {})))
      expect(error).toMatchObject({ _tag: "RunError", reason: { _tag: "Fatal" } })
    }))

  it.effect("what a tool shows the model instead are blocks, images as such", () =>
    Effect.gen(function*() {
      const { events, steps } = yield* played(shop, call("Look", {}))
      const content = [{ type: "text", text: "A loaf." }, { type: "image", mediaType: "image/png", data: "AQID" }]
      expect(steps[0]?.result).toMatchObject({ isError: false, content })
      expect(events.find(({ _tag }) => _tag === "ToolFinished")).toMatchObject({ result: { content } })
    }))

  it.effect("preliminary results are progress, which observers alone hear", () =>
    Effect.gen(function*() {
      const heard: Array<Progress> = []
      const observer: RunObserver = {
        event: () => Effect.void,
        progress: (progress) => Effect.sync(() => heard.push(progress))
      }
      const { steps } = yield* played(shop, call("Reserve", { id: "rye" })).pipe(
        Effect.provideService(RunObserver, [observer])
      )
      expect(heard).toMatchObject([{ _tag: "Progress", tool: "Reserve", said: { left: 99 } }])
      expect(steps[0]?.result.content).toBe("{\"left\":2}")
    }))

  it.effect("needsApproval waits for a person, and a predicate that fails asks", () =>
    Effect.gen(function*() {
      const gated = (needsApproval: AiTool.NeedsApproval<typeof Search.parametersSchema>) => {
        const kit = Toolkit.make(Search.setNeedsApproval(needsApproval))
        return AiToolset.layer(kit).pipe(Layer.provide(kit.toLayer({ Search: () => Effect.succeed([]) })))
      }
      const cases: ReadonlyArray<readonly [AiTool.NeedsApproval<typeof Search.parametersSchema>, boolean]> = [
        [true, true],
        [false, false],
        [({ most }) => most > 1, true],
        [({ most }) => Effect.succeed(most > 5), false],
        [() => Effect.die("no idea"), true]
      ]
      for (const [needsApproval, waits] of cases) {
        const { stop } = yield* played(gated(needsApproval), call("Search", { query: "rye" })).pipe(
          Effect.provideService(Journal, makeMemory())
        )
        expect(stop._tag).toBe(waits ? "AwaitingApproval" : "Answered")
        if (stop._tag === "AwaitingApproval") expect(stop.pending[0].input).toMatchObject({ query: "rye" })
      }
    }))

  it.effect("stands beside tools of one's own", () =>
    Effect.gen(function*() {
      const both = Toolset.layer(echo, ...AiToolset.tools(Shop)).pipe(Layer.provide(needs))
      const { steps } = yield* played(both, call("echo", { text: "hi" }), call("Search", { query: "a", most: 0 }))
      expect(steps.map(({ result }) => result.content)).toEqual(["hi", "[]"])
    }))

  it.effect("a toolkit in the form of effect/ai's own documentation runs unchanged", () =>
    Effect.gen(function*() {
      const BookId = Schema.String.pipe(Schema.brand("BookId")).annotate({ description: "A book's id, e.g. 'b-1'." })
      const FindBooks = AiTool.make("FindBooks", {
        description: "Searches the shelves by keyword",
        parameters: Schema.Struct({
          keyword: Schema.String.annotate({ description: "The keyword" }),
          maxResults: Schema.Natural.pipe(Schema.withDecodingDefault(Effect.succeed(1))).annotate({
            description: "How many to return"
          })
        }),
        success: Schema.Array(Schema.Struct({ id: BookId, title: Schema.String })),
        failureMode: "error"
      })
      const GetShelf = AiTool.make("GetShelf", {
        description: "The shelf of a book",
        parameters: Schema.Struct({ bookId: BookId }),
        success: Schema.Struct({ bookId: BookId, shelf: Schema.Natural })
      })
      const Library = Toolkit.make(FindBooks, GetShelf)
      const LibraryLayer = Library.toLayer(Effect.gen(function*() {
        const { of } = yield* Stock
        return Library.of({
          FindBooks: Effect.fn("Library.FindBooks")(function*({ keyword, maxResults }) {
            yield* Effect.annotateCurrentSpan({ keyword })
            return [{ id: BookId.make("b-1"), title: `${keyword} I` }, { id: BookId.make("b-2"), title: keyword }]
              .slice(0, maxResults)
          }),
          GetShelf: Effect.fn("Library.GetShelf")(function*({ bookId }) {
            yield* Effect.yieldNow
            return { bookId, shelf: of(bookId) }
          })
        })
      }))
      const library = AiToolset.layer(Library).pipe(Layer.provide(LibraryLayer), Layer.provide(needs))
      const { steps } = yield* played(
        library,
        call("FindBooks", { keyword: "tables" }),
        call("GetShelf", { bookId: "b-1" })
      )
      expect(steps.map(({ result }) => result.content)).toEqual([
        "[{\"id\":\"b-1\",\"title\":\"tables I\"}]",
        "{\"bookId\":\"b-1\",\"shelf\":3}"
      ])
    }))
})
