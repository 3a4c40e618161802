/**
 * Which agent is at work, with its tools: one of the command's own or one in a file, by a flag; for a run that is taken up, by its name in
 * the journal. A file is a module whose default export is `{ agent, tools, model? }`: an agent, the Layer of its `Toolset`, and the
 * Layer of its `Model` where it has its own.
 */
import { Bakery, BakeryAgent, BakeryTools, Orders } from "@levain/bakery"
import { type Agent, Model, type RunEvent, type Tool, Toolset } from "@levain/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { UsageError } from "./Ending.ts"
import * as Place from "./Place.ts"
import { isFile } from "./pure/AgentFile.ts"
import * as Text from "./pure/Text.ts"

type ToolsLayer = Layer.Layer<Toolset.Toolset, Tool.InvalidTool | UsageError, FileSystem.FileSystem | Path.Path>

export interface AgentChoice {
  readonly agent: Agent.Agent<unknown>
  readonly tools: ToolsLayer
  /** The agent's own model, where it has one; `none` where only a flag or a key can name one, as offline rules are the bakery's. */
  readonly model: Layer.Layer<Model.Model, UsageError, FileSystem.FileSystem | Path.Path> | "offline" | "none"
}

/** The agent of this name or in this file. */
export const choose = Effect.fnUntraced(function*(
  name: string
): Effect.fn.Return<AgentChoice, UsageError, FileSystem.FileSystem | Path.Path> {
  if (isFile(name)) return yield* load(name)
  switch (name) {
    case BakeryAgent.pickup.name:
      return { agent: BakeryAgent.pickup, tools: pickupTools, model: "offline" }
    case BakeryAgent.order.name:
      return { agent: BakeryAgent.order, tools: orderTools(yield* ordersFile), model: "offline" }
    default:
      return yield* new UsageError({
        message:
          `this command has no agent named ${name}: only pickup and order, and yours by its file: --agent ./agent.ts.`
      })
  }
})

/** The agent that a run was begun with: one in a file only where a flag names that. */
export const ofRun = Effect.fnUntraced(function*(
  [first]: ReadonlyArray<RunEvent.RunEvent>,
  given: Option.Option<string>
) {
  const name = first?._tag === "RunStarted" ? first.agent : ""
  const choice = yield* choose(Option.getOrElse(given, () => name))
  return choice.agent.name === name
    ? choice
    : yield* new UsageError({ message: `the run is one of the agent ${name}, not of ${choice.agent.name}.` })
})

const load = Effect.fnUntraced(function*(file: string): Effect.fn.Return<AgentChoice, UsageError> {
  const url = pathToFileURL(resolve(file))
  if (!existsSync(url)) return yield* new UsageError({ message: `there is no file ${file}.` })
  const other = otherEffect(url)
  if (other !== undefined) return yield* new UsageError({ message: other })
  const loaded: unknown = yield* Effect.tryPromise({
    try: () => import(url.href),
    catch: (error) => new UsageError({ message: `${file} cannot be loaded: ${Text.oneLine(String(error))}` })
  })
  const own = Predicate.hasProperty(loaded, "default") ? loaded.default : undefined
  if (!isOwn(own)) return yield* new UsageError({ message: `${file} has no default export { agent, tools, model? }.` })
  return {
    agent: own.agent,
    tools: told(own.tools, Toolset.Toolset, `the tools of ${file}`),
    model: own.model === undefined ? "none" : told(own.model, Model.Model, `the model of ${file}`)
  }
})

/** An agent that rests on another copy of Effect than the command would not be understood by it. */
const otherEffect = (file: URL): string | undefined => {
  const at = (from: string | URL) => {
    try {
      return createRequire(from).resolve("effect/package.json")
    } catch {
      return undefined
    }
  }
  const theirs = at(file)
  return theirs === undefined || theirs === at(import.meta.url)
    ? undefined
    : "the agent's effect is another copy than this command's: install @levain/cli in the agent's project, and run it there with npx levain."
}

interface Own {
  readonly agent: Agent.Agent<unknown>
  readonly tools: OwnLayer
  readonly model?: OwnLayer
}

/** What it gives is looked for once it is built. */
type OwnLayer = Layer.Layer<unknown, unknown, FileSystem.FileSystem | Path.Path>

const isOwn = (own: unknown): own is Own =>
  Predicate.hasProperty(own, "agent") && Predicate.hasProperty(own.agent, "name") &&
  Predicate.hasProperty(own.agent, "instructions") && Predicate.hasProperty(own.agent, "limits") &&
  Predicate.hasProperty(own, "tools") && Layer.isLayer(own.tools) &&
  (!Predicate.hasProperty(own, "model") || own.model === undefined || Layer.isLayer(own.model))

/** One service of a Layer that nobody has checked. Whatever is wrong with it is one line. */
const told = <I, S>(layer: OwnLayer, service: Context.Key<I, S>, what: string) =>
  Layer.effect(
    service,
    Effect.gen(function*() {
      const built = yield* Layer.build(layer).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : new UsageError({ message: `${what} cannot be built: ${Text.oneLine(String(Cause.squash(cause)))}` })
        )
      )
      const found = Context.getOption(built, service)
      return Option.isSome(found)
        ? found.value
        : yield* new UsageError({ message: `${what} are a Layer of something else: ${service.key} is not in it.` })
    })
  )

/** The tools that only read, on the bakery's example data. */
export const pickupTools = BakeryTools.layer.pipe(Layer.provide(Bakery.layerExample))

const orderTools = (file: string): ToolsLayer =>
  BakeryTools.layerOrder.pipe(Layer.provide([Bakery.layerExample, Orders.layerFile(file)]))

const ordersFile = Effect.gen(function*() {
  const file = (yield* Place.variable("LEVAIN_ORDERS")) ?? (yield* Place.inState("orders.jsonl"))
  return file ??
    (yield* new UsageError({ message: "there is no home folder to keep orders in: name a file in LEVAIN_ORDERS." }))
})
