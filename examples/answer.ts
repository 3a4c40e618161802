/** An agent whose answer is a value, and a model that needs a second try. */
import { Agent, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { asks, call } = ScriptedModel

const Order = Schema.Struct({
  item: Schema.String.annotate({ description: "As the menu calls it." }),
  count: Schema.Int,
  day: Schema.Literals(["friday", "saturday"])
})

const clerk = Agent.make("clerk", { instructions: "Turn what customers write into orders.", answer: Order })

const menu = Tool.make("menu", {
  description: "All that is baked.",
  input: Schema.Struct({}),
  run: () => Effect.succeed(["rye loaf", "cinnamon bun"])
})

const Model = ScriptedModel.layer([
  asks(100, call("menu", {})),
  asks(100, call("answer", { item: "rye loaf", count: "two", day: "friday" })),
  asks(100, call("answer", { item: "rye loaf", count: 2, day: "friday" }))
])

await Agent.run(clerk, "Two of the rye ones, for Friday").pipe(
  Effect.tap(({ answer, steps }) =>
    Effect.andThen(
      Effect.forEach(steps, ({ call, result }) => Console.log(call.name, "→", result.content)),
      // `answer` has the type of `Order`, and is there where the run stopped with one.
      Console.log(answer === undefined ? "no order" : `${answer.count} of ${answer.item} on ${answer.day}`)
    )
  ),
  Effect.provide([Model, Toolset.layer(menu)]),
  Effect.runPromise
)
