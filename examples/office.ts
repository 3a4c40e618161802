/** Two agents and a person: one agent asks another, whose payments need a yes. The run waits, and goes on once it is given. */
import { Agent, Approval, Approvals, Journal, ModelPolicy, Stop, Tool, Toolset } from "@levain/core"
import { ScriptedModel } from "@levain/core/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { answers, asks, call } = ScriptedModel

const pay = Tool.make("pay", {
  description: "Pays a bill.",
  input: Schema.Struct({ to: Schema.String, dollars: Schema.Int }),
  access: "writes",
  approval: ({ dollars }) => dollars > 100 && `${dollars} dollars are more than 100.`,
  run: ({ dollars, to }) => Effect.succeed(`${dollars} dollars were paid to ${to}.`)
})

const accountant = Agent.make("accountant", { instructions: "Pay what is due.", limits: { maxTokens: 10_000 } })
const manager = Agent.make("manager", { instructions: "Have it done.", limits: { maxTokens: 50_000 } })

const Tools = Toolset.layer(
  Agent.asTool(accountant, {
    description: "Pays bills. Say to whom and how much.",
    tools: Toolset.layer(pay).pipe(Toolset.parallel(1)),
    model: ScriptedModel.layer([
      asks(200, call("pay", { to: "the mill", dollars: 80 }), call("pay", { to: "the landlord", dollars: 1200 })),
      answers(100, "Both are paid.")
    ])
  })
)

const Model = ScriptedModel.layer([
  asks(300, call("accountant", { task: "Pay the mill 80 dollars and the landlord 1200." })),
  answers(200, "The bills are paid.")
]).pipe(ModelPolicy.concurrency(8))

const program = Effect.gen(function*() {
  const run = yield* Agent.run(manager, "Pay this month's bills.", { runId: "bills" })
  yield* Console.log(`${Stop.inWords(run.stop)}, ${run.spent.usage.output} tokens spent`)
  if (run.stop._tag !== "AwaitingApproval") return

  // Where runs are kept in files or a database, this can be another process on another day.
  for (const pending of run.stop.pending) {
    yield* Console.log(
      `${Approval.nameIn(run.runId, pending)} ${pending.tool} ${JSON.stringify(pending.input)}: ${pending.why}`
    )
    yield* Agent.answer(run.runId, [Approval.answer(pending, "anna", { _tag: "Approved" })])
  }
  const { spent, stop } = yield* Agent.resume(run.runId)
  yield* Console.log(`${stop._tag === "Answered" ? stop.text : stop._tag} ${spent.usage.output} tokens spent`)
})

await Effect.runPromise(program.pipe(Effect.provide([Tools, Model, Journal.layerMemory, Approvals.suspend])))
