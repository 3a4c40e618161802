/**
 * What it costs to stream a reply of 5,000 pieces, as a ratio to a bare async iterator of as many, in one run: `npm run bench:streaming`.
 * The target is at most 3. Says also what the same run costs that nobody watches.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Agent from "../src/Agent.ts"
import { Model } from "../src/Model.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"

const pieces = Array.from({ length: 5000 }, (_, i) => `piece ${i} `)
const rounds = 41

const iterator = async function*() {
  for (const text of pieces) yield { _tag: "Text", text }
}

const bare = async (): Promise<number> => {
  let chars = 0
  for await (const { text } of iterator()) chars = chars + text.length
  return chars
}

const agent = Agent.make("counter", { instructions: "Count." })
const layer = Layer.merge(
  Toolset.layer(),
  Layer.succeed(Model, {
    reply: (_, sink) =>
      Effect.as(
        Effect.forEach(pieces, (text) => sink({ _tag: "Text", text }), { discard: true }),
        ScriptedModel.answers(1, "Counted.")
      )
  })
)

const streamed = (): Promise<number> =>
  Agent.stream(agent, "Count.").pipe(
    Stream.runFold(() => 0, (chars, part) => part._tag === "Text" ? chars + part.text.length : chars),
    Effect.provide(layer),
    Effect.runPromise
  )

const unwatched = (): Promise<unknown> => Agent.run(agent, "Count.").pipe(Effect.provide(layer), Effect.runPromise)

const millis = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const median = (times: ReadonlyArray<number>): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN

const times = { bare: [] as Array<number>, streamed: [] as Array<number>, unwatched: [] as Array<number> }
for (let round = 0; round < rounds; round++) {
  times.bare.push(await millis(bare))
  times.streamed.push(await millis(streamed))
  times.unwatched.push(await millis(unwatched))
}
const [a, b, c] = [times.bare, times.streamed, times.unwatched].map((all) => median(all.slice(rounds >> 1)))
console.log({ bare: a, streamed: b, unwatched: c, ratio: (b ?? NaN) / (a ?? NaN) })
