/** A run that is watched: its words as they come, how a tool gets on, and then its spans. */
import { Agent, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"

const { answers, asks, call } = ScriptedModel

const bake = Tool.make("bake", {
  description: "Bakes a loaf.",
  input: Schema.Struct({ loaf: Schema.String }),
  run: Effect.fnUntraced(function*({ loaf }) {
    yield* Tool.progress(`the ${loaf} is in the oven`)
    return `a ${loaf}, baked`
  })
})

const baker = Agent.make("baker", { instructions: "Bake what is asked for." })

const Model = ScriptedModel.layer([
  asks(120, call("bake", { loaf: "rye loaf" })),
  answers(80, "Your rye loaf is done.")
])

/** A tracer that keeps its spans. Another program has one that sends them, from any OpenTelemetry Layer. */
const spans: Array<Tracer.Span> = []
const Tracing = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
)

const shown = (part: Agent.StreamPart): string => {
  if (part._tag === "Text") return `text: ${part.text}`
  return part._tag === "Progress" ? `${part.tool}: ${JSON.stringify(part.said)}` : part._tag
}

const program = Agent.stream(baker, "A rye loaf, please.").pipe(
  Stream.runForEach((part) => Console.log(shown(part))),
  Effect.andThen(Effect.suspend(() => Effect.forEach(spans, ({ name }) => Console.log(`span: ${name}`))))
)

await Effect.runPromise(Effect.provide(program, [Toolset.layer(bake), Model, Tracing]))
