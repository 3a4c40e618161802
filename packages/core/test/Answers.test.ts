import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expect, expectTypeOf } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import { Journal, makeMemory } from "../src/Journal.ts"
import * as Approval from "../src/pure/Approval.ts"
import { fold } from "../src/pure/Decider.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, expectSendable, modelOf } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

const Order = Schema.Struct({
  item: Schema.String,
  count: Schema.Int,
  day: Schema.optionalKey(Schema.DateFromString)
})

const clerk = Agent.make("clerk", { instructions: "Take the order.", answer: Order, limits: { maxTurns: 4 } })

const order = { item: "rye loaf", count: 2, day: "2026-12-11T00:00:00.000Z" }
const value = { item: "rye loaf", count: 2, day: new Date(order.day) }

const played = <A>(
  agent: Agent.Agent<A>,
  script: Parameters<typeof ScriptedModel.layer>[0],
  tools = Toolset.layer(echo)
) =>
  Agent.run(agent, "Two rye loaves on Friday.", { runId: "r" }).pipe(
    Effect.provide([tools, ScriptedModel.layer(script)])
  )

feature(new URL("../features/answers.feature", import.meta.url), (scenario) => {
  scenario("An answer with a type is a value", () =>
    Effect.gen(function*() {
      const run = yield* played(clerk, [asks(1, call("echo", { text: "hm" })), asks(1, call("answer", order))])
      expectTypeOf(run.answer).toEqualTypeOf<typeof Order.Type | undefined>()
      expect(run.answer).toEqual(value)
      expect(run.stop).toEqual({ _tag: "Answered", text: JSON.stringify(order) })
      expect(run.steps.map(({ call }) => call.name)).toEqual(["echo", "answer"])
      expectSendable(fold(run.events).transcript)
      const plain = yield* played(Agent.make("plain", { instructions: "" }), [answers(1, "Hello.")])
      expectTypeOf(plain.answer).toEqualTypeOf<string | undefined>()
      expect(plain.answer).toBe("Hello.")
    }))

  scenario("An answer that does not decode goes back with why", () =>
    Effect.gen(function*() {
      const run = yield* played(clerk, [
        asks(1, call("answer", { ...order, count: "two" })),
        asks(1, call("answer", order))
      ])
      expect(run.steps[0]?.result).toMatchObject({
        notRun: "badInput",
        content: "badInput: count must be a whole number."
      })
      expect(run.answer).toEqual(value)
    }))

  scenario("Words are no answer where one has a type", () =>
    Effect.gen(function*() {
      const run = yield* played(clerk, [answers(1, "Two loaves."), asks(1, call("answer", order))])
      expect(run.answer).toEqual(value)
      const { transcript } = fold(run.events)
      expect(transcript.map(({ _tag }) => _tag)).toEqual(["Task", "Answer", "Task", "ToolCalls", "Results"])
      expect(transcript[2]).toMatchObject({ text: expect.stringContaining("a call of the tool `answer`") })
      const always = yield* Agent.run(clerk, "Go.").pipe(
        Effect.provide([Toolset.layer(), modelOf(() => Effect.succeed(answers(1, "Words.")))])
      )
      expect([always.stop._tag, always.spent.turns, always.answer]).toEqual(["OutOfTurns", 4, undefined])
      // At a limit words are all that is asked for.
      const last = Agent.make("clerk", { instructions: "", answer: Order, limits: { maxTurns: 1, finalAnswer: true } })
      const ended = yield* played(last, [asks(1, call("echo", { text: "" })), answers(1, "No time.")])
      expect([ended.stop, ended.answer]).toEqual([{ _tag: "OutOfTurns", text: "No time." }, undefined])
    }))

  scenario("A typed answer can wait for a person", () =>
    Effect.gen(function*() {
      const careful = Agent.make("careful", { instructions: "", answer: Order, approveAnswer: true })
      const run = yield* played(careful, [asks(1, call("answer", order))])
      expect(run.answer).toBeUndefined()
      if (run.stop._tag !== "AwaitingApproval") throw new Error(run.stop._tag)
      const [pending] = run.stop.pending
      expect(pending).toMatchObject({ tool: "answer", input: order })
      yield* Agent.answer("r", [Approval.answer(pending, "anna", { _tag: "Approved", input: { ...order, count: 3 } })])
      const approved = yield* Agent.resume("r", { agent: careful }).pipe(
        Effect.provide([Toolset.layer(echo), ScriptedModel.layer([])])
      )
      expectTypeOf(approved.answer).toEqualTypeOf<typeof Order.Type | undefined>()
      expect(approved.answer).toEqual({ ...value, count: 3 })
    }).pipe(Effect.provideService(Journal, makeMemory())))

  scenario("A run with a typed answer is taken up with its agent", () =>
    Effect.gen(function*() {
      const cut = yield* Effect.flip(played(clerk, [asks(1, call("echo", { text: "hm" }))]))
      expect(cut).toMatchObject({ reason: { _tag: "ModelError" } })
      const goOn = Effect.provide([Toolset.layer(echo), ScriptedModel.layer([asks(1, call("answer", order))])])
      const without = yield* Effect.flip(goOn(Agent.resume("r")))
      expect(without.message).toContain("resume(runId, { agent })")
      expect((yield* goOn(Agent.resume("r", { agent: clerk }))).answer).toEqual(value)
      expect((yield* goOn(Agent.resume("r", { agent: clerk }))).answer).toEqual(value)
      expect((yield* goOn(Agent.resume("r"))).answer).toBe(JSON.stringify(order))
      const next = yield* goOn(Agent.continue("r", "The same again.", { agent: clerk }))
      expect(next.answer).toEqual(value)
    }).pipe(Effect.provideService(Journal, makeMemory())))

  scenario("A tool that is called like the answer is one clear error", () =>
    Effect.gen(function*() {
      const taken = Tool.make("answer", { description: "", input: Schema.Struct({}), run: () => Effect.void })
      const error = yield* Effect.flip(played(clerk, [answers(1, "Hi.")], Toolset.layer(taken)))
      expect(error.message).toMatch(/a tool is named "answer".*give the tool another name/)
    }))

  scenario("An agent with a typed answer is a tool like any other", () =>
    Effect.gen(function*() {
      const lead = Agent.make("lead", { instructions: "" })
      const child = Agent.asTool(clerk, {
        description: "Takes orders.",
        tools: Toolset.layer(),
        model: ScriptedModel.layer([asks(1, call("answer", order))])
      })
      const run = yield* played(
        lead,
        [asks(1, call("clerk", { task: "Two." })), answers(1, "Done.")],
        Toolset.layer(child)
      )
      expect(run.steps[0]?.result).toMatchObject({ isError: false, content: JSON.stringify(order) })
      expect(run.steps[0]?.result.isAnswer).toBeUndefined()
    }))

  scenario("An answer that no model can be held to is refused at once", () =>
    Effect.sync(() => {
      expect(() => Agent.make("bad", { instructions: "", answer: Schema.Array(Schema.String) })).toThrow(
        /a tool takes one object|Schema\.Struct/i
      )
    }))
})
