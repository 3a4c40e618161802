/** The files of a new agent project. */

/** Each file's text by its name. */
export const files = (folder: string): Readonly<Record<string, string>> => ({
  "package.json": `${JSON.stringify(packageJson(folder), undefined, 2)}\n`,
  "agent.ts": agent,
  "agent.test.ts": test,
  ".gitignore": "node_modules/\n"
})

/** What to do with it. */
export const next = (folder: string): ReadonlyArray<string> => [
  `An agent is in ${folder}. Try:`,
  `  cd ${folder} && npm install`,
  "  npm test",
  "  npm start -- \"When is the next train to Bern?\""
]

const packageJson = (folder: string) => ({
  name: folder.toLowerCase().replace(/[^a-z0-9-]+/g, "-").replace(/^-+|-+$/g, "") || "agent",
  private: true,
  type: "module",
  scripts: { start: "levain ask --agent ./agent.ts", test: "node --test" },
  dependencies: { "@levain/cli": "^0.1.0", "@levain/core": "^0.1.0", effect: "^4.1.0" }
})

const agent =
  `/** An agent that knows when trains leave. With a key in ANTHROPIC_API_KEY, leave out \`model\` at the end: then Claude answers. */
import { Agent, Tool, ToolFailure, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const trains: Record<string, string> = { bern: "09:32", basel: "10:04" }

export const nextTrain = Tool.make("next_train", {
  description: "When the next train to a town leaves.",
  input: Schema.Struct({ to: Schema.String }),
  run: ({ to }) => {
    const time = trains[to.toLowerCase()]
    return time === undefined
      ? Effect.fail(new ToolFailure.NotFound({ message: \`no train goes to \${to}. Trains go to Bern and Basel.\` }))
      : Effect.succeed({ to, time })
  }
})

export const agent = Agent.make("trains", {
  instructions: "You tell when trains leave. Look each town up; never guess.",
  limits: { maxTurns: 5 }
})

export const tools = Toolset.layer(nextTrain)

const { answers, asks, call } = ScriptedModel

/** Plays one conversation: it needs no key and no network. */
const model = ScriptedModel.layer([
  asks(20, call("next_train", { to: "Bern" })),
  answers(15, "The next train to Bern leaves at 09:32.")
])

export default { agent, tools, model }
`

const test = `import { Agent } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Effect from "effect/Effect"
import assert from "node:assert/strict"
import { test } from "node:test"
import { agent, tools } from "./agent.ts"

const { answers, asks, call } = ScriptedModel

test("a town without trains is a failure that the model reads", () =>
  Effect.gen(function*() {
    const run = yield* Agent.run(agent, "When is the next train to Paris?")
    assert.equal(run.stop._tag, "Answered")
    assert.deepEqual(run.steps.map(({ result }) => result.content), [
      "notFound: no train goes to Paris. Trains go to Bern and Basel."
    ])
  }).pipe(
    Effect.provide([
      tools,
      ScriptedModel.layer([asks(20, call("next_train", { to: "Paris" })), answers(15, "No train goes there.")])
    ]),
    Effect.runPromise
  ))
`
