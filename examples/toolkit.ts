/** A toolkit and a language model of effect/ai under Levain's loop, as they are. */
import { Agent } from "@levain/core"
import * as AiModel from "@levain/core/AiModel"
import * as AiToolset from "@levain/core/AiToolset"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** What you may have already: tools with their handlers in a Layer. */
const Price = Tool.make("price", {
  description: "What so many loaves cost, in dollars.",
  parameters: Schema.Struct({ loaves: Schema.Int }),
  success: Schema.Struct({ dollars: Schema.Finite })
}).annotate(Tool.Readonly, true)

const Bakery = Toolkit.make(Price)
const BakeryLive = Bakery.toLayer({ price: ({ loaves }) => Effect.succeed({ dollars: loaves * 9 }) })

/** In place of a provider's `LanguageModel` layer: what it would say, part by part. */
const replies: Array<Array<Response.StreamPartEncoded>> = [
  [{ type: "tool-call", id: "c1", name: "price", params: { loaves: "two" } }, finish("tool-calls")],
  [{ type: "tool-call", id: "c2", name: "price", params: { loaves: 2 } }, finish("tool-calls")],
  [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Two loaves are $18." },
    { type: "text-end", id: "t" },
    finish("stop")
  ]
]

const Provider = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.die("the loop streams"),
    streamText: () => Stream.fromIterable(replies.shift() ?? [])
  })
)

function finish(reason: Response.FinishReason): Response.FinishPartEncoded {
  const usage = { inputTokens: { total: 40 }, outputTokens: { total: 10 } }
  return { type: "finish", reason, usage, response: undefined }
}

const clerk = Agent.make("clerk", { instructions: "Answer with prices." })

await Agent.run(clerk, "What are two loaves?").pipe(
  Effect.tap(({ steps }) =>
    Effect.forEach(steps, ({ call, result }) => Console.log(call.name, JSON.stringify(call.input), "→", result.content))
  ),
  Effect.tap(({ spent, stop }) => Console.log(stop, `${spent.usage.input} tokens in, ${spent.usage.output} out`)),
  Effect.provide([
    AiModel.layer({ info: { provider: "acme", model: "m-1" } }).pipe(Layer.provide(Provider)),
    AiToolset.layer(Bakery).pipe(Layer.provide(BakeryLive))
  ]),
  Effect.runPromise
)
