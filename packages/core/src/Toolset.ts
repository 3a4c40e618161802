/** The tools of one agent, as a service: what they need is met when the Layer is built, and so are their contracts checked. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "./pure/Limits.ts"
import * as Text from "./pure/Text.ts"
import type { ToolCall, ToolResult } from "./pure/ToolCall.ts"
import { NotFound } from "./pure/ToolFailure.ts"
import {
  type CompiledTool,
  failed,
  free,
  InvalidTool,
  type NoResult,
  type Review,
  type Tool,
  type ToolSpec
} from "./Tool.ts"

export class Toolset extends Context.Service<Toolset, {
  /** The contracts, in the order the tools were given. Fixed for a run. */
  readonly specs: ReadonlyArray<ToolSpec>
  /** Whether a call needs a person, and for what input. Runs nothing but the tool's own predicate. */
  readonly review: (call: ToolCall) => Effect.Effect<Review>
  /** Runs one call, in the caller's spans and references. Whatever comes of it is a result for the model, save what `NoResult` names. */
  readonly call: (call: ToolCall) => Effect.Effect<ToolResult, NoResult>
}>()("@levain/core/Toolset") {}

/**
 * A toolset of these tools. Fails with `InvalidTool` where one cannot be offered to a model: its input is no strict
 * JSON Schema, its name is one a provider refuses, or two have one name.
 */
export const layer = <Needs extends ReadonlyArray<unknown>>(
  ...tools: { readonly [K in keyof Needs]: Tool<Needs[K]> }
): Layer.Layer<Toolset, InvalidTool, Needs[number]> => Layer.effect(Toolset, make<Needs[number]>(tools))

type ToolsetService = Toolset["Service"]

/** The tools of several toolsets as one. Fails with `InvalidTool` where two tools have one name. */
export const merge = <E = never, R = never>(
  ...layers: ReadonlyArray<Layer.Layer<Toolset, E, R>>
): Layer.Layer<Toolset, E | InvalidTool, R> =>
  Layer.effect(
    Toolset,
    Effect.gen(function*() {
      const owners = new Map<string, ToolsetService>()
      for (const one of layers) {
        const toolset = Context.get(yield* Layer.build(one), Toolset)
        for (const { name } of toolset.specs) {
          if (owners.has(name)) return yield* duplicate(name)
          owners.set(name, toolset)
        }
      }
      const toolsets = [...new Set(owners.values())]
      return Toolset.of({
        specs: toolsets.flatMap(({ specs }) => specs),
        review: (call) => owners.get(call.name)?.review(call) ?? isFree,
        call: (call) => owners.get(call.name)?.call(call) ?? Effect.succeed(unknownTool(call, [...owners.keys()]))
      })
    })
  )

/** A policy of your own: `change` makes of each toolset another one. */
export const around =
  (change: (toolset: ToolsetService) => ToolsetService) =>
  <A, E, R>(layer: Layer.Layer<A | Toolset, E, R>): Layer.Layer<A | Toolset, E, R> =>
    Layer.flatMap(
      layer,
      (context) => Layer.succeedContext(Context.add(context, Toolset, change(Context.get(context, Toolset))))
    )

/**
 * At most so many tools at work at once: the others wait. Put around several toolsets, the one policy bounds all of them together. A permit
 * is held for one call only, and never for one that is an agent, so that agents which call agents cannot block each other. Throws
 * `InvalidPermits`.
 */
export const parallel = (calls: number) => {
  const permits = Semaphore.makeUnsafe(Limits.permits("parallel", calls))
  return around((toolset) => {
    const agents = new Set(toolset.specs.filter(({ isAgent }) => isAgent === true).map(({ name }) => name))
    return {
      ...toolset,
      call: (call) => agents.has(call.name) ? toolset.call(call) : permits.withPermit(toolset.call(call))
    }
  })
}

const make = Effect.fnUntraced(function*<R>(tools: ReadonlyArray<Tool<R>>) {
  const within = supplying(yield* Effect.context<R>())
  const compiled = new Map<string, CompiledTool<R>>()
  for (const tool of tools) {
    if (compiled.has(tool.name)) return yield* duplicate(tool.name)
    compiled.set(tool.name, yield* tool.compile)
  }
  return Toolset.of({
    specs: Array.from(compiled.values(), (tool) => tool.spec),
    review: (call) => {
      const review = compiled.get(call.name)?.review
      return review === undefined ? isFree : within(review(call))
    },
    call: (call) => {
      const tool = compiled.get(call.name)
      return tool === undefined
        ? Effect.succeed(unknownTool(call, [...compiled.keys()]))
        : within(tool.call(call))
    }
  })
})

const isFree: Effect.Effect<Review> = Effect.succeed(free)

/** Gives what the tools need and the caller has not: its spans and references are its own. */
const supplying = <R>(needs: Context.Context<R>) => {
  const services = Array.from(
    needs.mapUnsafe,
    ([key, service]: [string, unknown]) => ({ key: Context.Service<R, unknown>(key), service })
  ).filter(({ key }) => key.key !== Layer.CurrentMemoMap.key)
  const has = (context: Context.Context<never>, key: Context.Key<R, unknown>): boolean =>
    Option.isSome(Context.getOption(context, key))
  const hasAll = (context: Context.Context<never>): context is Context.Context<R> =>
    services.every(({ key }) => has(context, key))
  const supply = (callers: Context.Context<never>): Context.Context<R> => {
    const supplied = services.reduce(
      (all, { key, service }) => has(all, key) ? all : Context.add(all, key, service),
      callers
    )
    return hasAll(supplied) ? supplied : Context.merge(needs, callers)
  }
  return <A, E>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E> => Effect.updateContext(effect, supply)
}

const duplicate = (tool: string) =>
  new InvalidTool({
    tool,
    reason: "duplicate",
    message: `two tools are named "${tool}": give one of them another name.`
  })

const unknownTool = (call: ToolCall, names: ReadonlyArray<string>): ToolResult => {
  const known = names.length === 0 ? "There are no tools." : `The tools are: ${names.join(", ")}.`
  return failed(
    call,
    new NotFound({ message: `no tool is named ${Text.cutAt(call.name, 64)}. ${known}` }),
    "unknownTool"
  )
}
