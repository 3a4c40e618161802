/** A reply of 5,000 pieces, watched through `Agent.stream` and not watched, beside a bare async iterator of as many. */
import { Agent, Model, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { race, type Size, table } from "../Measure.ts"

const iterator = async function*(pieces: ReadonlyArray<string>) {
  for (const text of pieces) yield { _tag: "Text", text }
}

export const deltas = async (size: Size): Promise<void> => {
  const pieces = Array.from({ length: size.quick ? 50 : 5000 }, (_, i) => `piece ${i} `)
  const agent = Agent.make("counter", { instructions: "Count." })
  const reply = ScriptedModel.answers(1, "Counted.")
  const layer = Layer.merge(
    Toolset.layer(),
    Layer.succeed(Model.Model, {
      reply: (_, sink) =>
        Effect.as(Effect.forEach(pieces, (text) => sink({ _tag: "Text", text }), { discard: true }), reply)
    })
  )
  const proved = (chars: number) => {
    if (chars !== pieces.join("").length) throw new Error(`${chars} characters were streamed`)
  }
  const times = await race([
    {
      name: "a bare async iterator",
      go: async () => {
        let chars = 0
        for await (const { text } of iterator(pieces)) chars += text.length
        proved(chars)
      }
    },
    {
      name: "Levain, watched",
      go: async () =>
        proved(
          await Agent.stream(agent, "Count.").pipe(
            Stream.runFold(() => 0, (chars, part) => part._tag === "Text" ? chars + part.text.length : chars),
            Effect.provide(layer),
            Effect.runPromise
          )
        )
    },
    {
      name: "Levain, not watched",
      go: () => Agent.run(agent, "Count.").pipe(Effect.provide(layer), Effect.runPromise)
    }
  ], size)
  table(`A reply of ${pieces.length} pieces`, "ms", times, ["a bare async iterator"])
}
