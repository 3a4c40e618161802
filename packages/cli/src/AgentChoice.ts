/** Which agent is at work, with its tools: by a flag for a new run, by its name in the journal for one that is taken up. */
import { Bakery, BakeryAgent, BakeryTools, Orders } from "@levain/bakery"
import type { Agent, RunEvent, Tool, Toolset } from "@levain/core"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { UsageError } from "./Ending.ts"
import * as Place from "./Place.ts"

export const agentFlag = Flag.Literals("agent", ["pickup", "order"]).pipe(
  Flag.withDefault("pickup"),
  Flag.withDescription("Which agent answers: pickup drafts answers; order places orders too, each with a person's yes")
)

type ToolsLayer = Layer.Layer<Toolset.Toolset, Tool.InvalidTool, FileSystem.FileSystem | Path.Path>

export interface AgentChoice {
  readonly agent: Agent.Agent
  readonly tools: ToolsLayer
}

/** The agent of this name. */
export const choose = Effect.fnUntraced(function*(name: string): Effect.fn.Return<AgentChoice, UsageError> {
  switch (name) {
    case BakeryAgent.pickup.name:
      return { agent: BakeryAgent.pickup, tools: pickupTools }
    case BakeryAgent.order.name:
      return { agent: BakeryAgent.order, tools: orderTools(yield* ordersFile) }
    default:
      return yield* new UsageError({ message: `this command has no agent named ${name}: only pickup and order.` })
  }
})

/** The agent that a run was begun with. */
export const ofRun = ([first]: ReadonlyArray<RunEvent.RunEvent>) =>
  choose(first?._tag === "RunStarted" ? first.agent : "")

/** The tools that only read, on the bakery's example data. */
export const pickupTools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

const orderTools = (file: string): ToolsLayer =>
  BakeryTools.layerOrder.pipe(Layer.provide([Bakery.layerExample, Orders.layerFile(file)]))

const ordersFile = Effect.gen(function*() {
  const file = (yield* Place.variable("LEVAIN_ORDERS")) ?? (yield* Place.inState("orders.jsonl"))
  return file ??
    (yield* new UsageError({ message: "there is no home folder to keep orders in: name a file in LEVAIN_ORDERS." }))
})
