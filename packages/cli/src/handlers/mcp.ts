/** `levain mcp`: an agent and its tools, served to other programs as an MCP server. */
import { Agent, Stop, Tool, ToolFailure, Toolset } from "@levain/core"
import * as McpServe from "@levain/core/McpServe"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AgentChoice from "../AgentChoice.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Settings from "../Settings.ts"

interface Given extends Settings.LimitFlags, ModelChoice.Flags {
  readonly agent: string
  readonly journal: Option.Option<string>
  readonly noJournal: boolean
}

export const mcp = Effect.fnUntraced(function*({ agent: name, journal, noJournal, ...flags }: Given) {
  const choice = yield* AgentChoice.choose(name)
  const agent = yield* Settings.withLimits(choice.agent, flags)
  const kept = yield* JournalChoice.choose(journal, noJournal)
  const { layer } = yield* ModelChoice.choose(flags, choice.model)
  const own = Toolset.layer(agentTool(agent)).pipe(Layer.provide([choice.tools, layer]), Layer.provide(kept))
  const served = McpServe.layerStdio({ name: `levain-${agent.name}`, version: "0.1.0" })
  yield* untilClosed(Layer.launch(served.pipe(Layer.provide(Toolset.merge(own, choice.tools)))))
})

/** The server interrupts its own fiber when its input ends: that is how it is meant to end. */
const untilClosed = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(
    Effect.forkChild(serving),
    (fiber) =>
      Effect.flatMap(Fiber.await(fiber), (exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.failCause(exit.cause) : Effect.void)
  )

/** A whole run as one call. Its answer is the result; any other stop is a failure that says which. */
const agentTool = (agent: Agent.Agent<unknown>) =>
  Tool.make(`ask_${agent.name}`, {
    description:
      `Gives a task to the agent "${agent.name}", which works on it with its tools and answers. ${agent.instructions}`,
    input: Schema.Struct({ task: Schema.String.annotate({ description: "The whole task, in words." }) }),
    access: "writes",
    run: ({ task }) =>
      Effect.matchEffect(Agent.run(agent, task), {
        onFailure: ({ message }) => Effect.fail(new ToolFailure.Unavailable({ message })),
        onSuccess: ({ stop }) =>
          stop._tag === "Answered"
            ? Effect.succeed(stop.text)
            : Effect.fail(
              new ToolFailure.Unavailable({ message: `it stopped without an answer: ${Stop.inWords(stop)}.` })
            )
      })
  })
