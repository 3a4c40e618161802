/** One agent, one tool, and a scripted model in the model's seat: it runs without a key and without a network. */
import { Agent, Stop, Tool, ToolFailure, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

class Catalogue extends Context.Service<Catalogue, { readonly shelves: ReadonlyMap<string, string> }>()(
  "examples/Catalogue"
) {}

const findBook = Tool.make("find_book", {
  description: "One book by its title, and the shelf it stands on.",
  input: Schema.Struct({ title: Schema.String }),
  output: Schema.Struct({ title: Schema.String, shelf: Schema.String }),
  run: Effect.fnUntraced(function*({ title }) {
    const { shelves } = yield* Catalogue
    const shelf = shelves.get(title)
    if (shelf === undefined) return yield* new ToolFailure.NotFound({ message: `there is no ${title}.` })
    return { title, shelf }
  })
})

const librarian = Agent.make("librarian", {
  instructions: "Answer from the catalogue, never from memory.",
  limits: { maxTurns: 6, maxTokens: 50_000 }
})

const program = Effect.gen(function*() {
  const run = yield* Agent.run(librarian, "Where is The Periodic Table?")
  yield* Console.log(Stop.Stop.match(run.stop, {
    Answered: ({ text }) => text,
    OutOfTurns: () => "It went round too often.",
    OutOfTokens: () => "It read and wrote too much.",
    OutOfCost: () => "It cost too much.",
    OutOfTime: () => "It took too long.",
    Repeating: () => "It asked the same again and again.",
    AwaitingApproval: ({ pending }) => `${pending.length} of its calls wait for a person.`,
    ModelStopped: ({ reason }) => `The model stopped: ${reason}.`
  }))
})

const Shelves = Layer.succeed(Catalogue, { shelves: new Map([["The Periodic Table", "second floor, shelf 12"]]) })
const Tools = Toolset.layer(findBook).pipe(Layer.provide(Shelves))
const Model = ScriptedModel.layer([
  ScriptedModel.asks(300, ScriptedModel.call("find_book", { title: "The Periodic Table" })),
  ScriptedModel.answers(400, "It is on the second floor, shelf 12.")
])

await Effect.runPromise(program.pipe(Effect.provide([Tools, Model])))
