import * as NodeServices from "@effect/platform-node/NodeServices"
import { Agent, type Approval, Approvals, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Bakery from "../src/Bakery.ts"
import * as BakeryAgent from "../src/BakeryAgent.ts"
import * as BakeryTools from "../src/BakeryTools.ts"
import * as OfflineModel from "../src/OfflineModel.ts"
import * as Orders from "../src/Orders.ts"

const { answers, asks, call } = ScriptedModel

const question = "Two rye loaves and 12 sourdough rolls on Friday, please."

const input = { day: "friday", lines: [{ item: "rye loaf", count: 2 }, { item: "sourdough rolls", count: 12 }] }

/** The agent that takes orders, at work in a shop. Says what came of a question, and which orders there are. */
const asked = Effect.fnUntraced(function*(task: string, verdict?: Approval.Verdict) {
  const answered: Approvals.Approvals["ask"] = () => Effect.succeed(verdict && { by: "anna", verdict })
  return yield* Effect.gen(function*() {
    const run = yield* Effect.provide(Agent.run(BakeryAgent.order, task, { runId: "run" }), Approvals.layer(answered))
    const { all } = yield* Orders.Orders
    return { ...run, orders: yield* all }
  }).pipe(Effect.provide(shop))
})

const toolsWith = <E, R>(orders: Layer.Layer<Orders.Orders, E, R>) =>
  BakeryTools.layerOrder.pipe(Layer.provideMerge(orders), Layer.provide(Bakery.layerExample))

const shop = Layer.merge(toolsWith(Orders.layerMemory), OfflineModel.layer)

const said = ({ stop }: Agent.Run) => stop._tag === "Answered" ? stop.text : stop._tag

/** The services that keep orders in a new folder, one that makes them anew from the same file with every use. */
const file = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = `${yield* fs.makeTempDirectoryScoped()}/orders/orders.jsonl`
  return { fs, path, orders: Effect.provide(Orders.Orders, Orders.layerFile(path)) }
})

const one = { day: "friday", lines: [{ item: "rye loaf", count: 2 }], totalCents: 1800 } as const

feature(new URL("../features/order.feature", import.meta.url), (scenario) => {
  scenario("An order waits for a person, with what it is in its own words", () =>
    Effect.gen(function*() {
      const { orders, steps, stop } = yield* asked(question)
      expect(stop).toMatchObject({ _tag: "AwaitingApproval", pending: [{ tool: "place_order", input }] })
      expect(steps.map((step) => step.call.name)).toEqual(["menu_item", "menu_item", "opening_hours"])
      expect(orders).toEqual([])
    }))

  scenario("An approved order is placed once, at the menu's prices", () =>
    Effect.gen(function*() {
      const run = yield* asked(question, { _tag: "Approved" })
      expect(said(run)).toBe("Your order is placed: 2 rye loaves and 12 sourdough rolls for Friday, $36 in all.")
      expect(run.orders).toMatchObject([{ key: "run/2/0", ...input, totalCents: 3600 }])
    }))

  scenario("An order that a person denies is not placed", () =>
    Effect.gen(function*() {
      const run = yield* asked(question, { _tag: "Denied", reason: "the oven is broken" })
      expect(said(run)).toMatch(/^Your order is not placed: please ask a person here\. 2 rye loaves are \$18/)
      expect(run.orders).toEqual([])
    }))

  scenario("An order that a person changes is placed as it then is", () =>
    Effect.gen(function*() {
      const less = { day: "friday", lines: [{ item: "RYE loaf ", count: 1 }] }
      const run = yield* asked(question, { _tag: "Approved", input: less })
      expect(said(run)).toBe("Your order is placed: 1 rye loaf for Friday, $9 in all.")
      expect(run.orders).toMatchObject([{ lines: [{ item: "rye loaf", count: 1 }], totalCents: 900 }])
    }))

  scenario("The agent that answers questions cannot order", () =>
    Effect.gen(function*() {
      const { specs } = yield* Toolset.Toolset
      expect(specs.map(({ access, name }) => `${name} ${access}`)).toEqual(["opening_hours reads", "menu_item reads"])
      const run = yield* Agent.run(BakeryAgent.pickup, question)
      expect(said(run)).toMatch(/^2 rye loaves are \$18/)
    }).pipe(Effect.provide([BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample)), OfflineModel.layer])))

  scenario("What is not clear is asked, not ordered", () =>
    Effect.gen(function*() {
      const unclear = [
        "Rye loaves on Friday?",
        "A few rye loaves on Friday.",
        "Two rye loaves.",
        "Two rye loaves on Sunday.",
        "Two rye loaves and six croissants on Friday.",
        "Are you open on Friday?"
      ]
      for (const task of unclear) expect((yield* asked(task)).stop._tag).toBe("Answered")
    }))

  scenario("What cannot be ordered is told to the model", () =>
    Effect.gen(function*() {
      const results = <R>(orders: Layer.Layer<Orders.Orders, never, R>, ...inputs: ReadonlyArray<typeof input>) =>
        Effect.gen(function*() {
          const [first, ...rest] = inputs.map((input) => call("place_order", input))
          const script = [asks(1, first!, ...rest), answers(1, "Sorry.")]
          const { steps } = yield* Agent.run(BakeryAgent.order, "Order.").pipe(
            Effect.provide([toolsWith(orders), ScriptedModel.layer(script), Approvals.allowAll])
          )
          return steps.map(({ result }) => result.content)
        })
      const lines = [{ item: "rye loaf", count: 1 }]
      expect(
        yield* results(
          Orders.layerMemory,
          { day: "sunday", lines },
          { day: "friday", lines: [] },
          { day: "friday", lines: [{ item: "rye loaf", count: 0 }] },
          { day: "friday", lines: [{ item: "croissants", count: 6 }] }
        )
      ).toEqual([
        "badInput: day must be one that we are open on; on sunday we are closed.",
        expect.stringMatching(/^badInput: lines /),
        expect.stringMatching(/^badInput: lines/),
        "notFound: the menu has no croissants. It has: sourdough rolls, rye loaf, cinnamon buns."
      ])
      const { fs, path } = yield* file
      yield* fs.makeDirectory(path, { recursive: true })
      expect(yield* results(Orders.layerFile(path), { day: "friday", lines })).toEqual([
        expect.stringMatching(/^unavailable: the orders in .* cannot be read: /)
      ])
      const { call: callOnly } = yield* Effect.provide(Toolset.Toolset, toolsWith(Orders.layerMemory))
      const outside = yield* callOnly({ id: "c1", name: "place_order", input: { day: "friday", lines } })
      expect(outside.content).toBe("unavailable: an order is placed in a run only.")
    }).pipe(Effect.provide(NodeServices.layer)))

  scenario("A repeat is not a second order", () =>
    Effect.gen(function*() {
      const { orders: inFile } = yield* file
      for (const orders of [yield* Effect.provide(Orders.Orders, Orders.layerMemory), yield* inFile]) {
        const first = yield* orders.place("a", one)
        const both = yield* Effect.all(
          [orders.place("a", { ...one, totalCents: 1 }), orders.place("b", one)],
          { concurrency: "unbounded" }
        )
        expect(both[0]).toEqual(first)
        expect((yield* orders.all).map(({ key, totalCents }) => [key, totalCents])).toEqual([["a", 1800], ["b", 1800]])
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  scenario("Orders in a file outlive the process, and what was cut off is none", () =>
    Effect.gen(function*() {
      const { fs, orders, path } = yield* file
      expect(yield* (yield* orders).all).toEqual([])
      const first = yield* (yield* orders).place("a", one)
      const whole = yield* fs.readFileString(path)
      yield* fs.writeFileString(path, whole + whole.slice(0, 20))
      expect(yield* (yield* orders).all).toEqual([first])
      const second = yield* (yield* orders).place("b", one)
      expect(yield* (yield* orders).all).toEqual([first, second])
      expect(((yield* fs.stat(path)).mode & 0o777).toString(8)).toBe("600")
      // Two processes that did not see each other: the first one stands.
      yield* fs.writeFileString(path, whole + whole.replace("1800", "1") + whole)
      expect(yield* (yield* orders).all).toEqual([first])
    }).pipe(Effect.provide(NodeServices.layer)))
})
