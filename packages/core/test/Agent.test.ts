/** Laws of whole runs: scripts are generated from the Schemas, so the model does whatever a model may do, and more. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import { fold } from "../src/pure/Decider.ts"
import { ModelReply } from "../src/pure/Reply.ts"
import { Unavailable } from "../src/pure/ToolFailure.ts"
import * as Usage from "../src/pure/Usage.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, expectSendable, limited } from "./fixtures.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

/** Names of tools there are and are not, so that generated calls meet both. */
const Name = Schema.Literals(["echo", "fails", "dies", "counts", "constructor", ""])
const Call = Schema.Struct({ id: Schema.Literals(["a", "b", "\ud800"]), name: Name, input: Schema.Json })

/** Replies that a correct adapter would not make are among them: blank words, no calls. */
const Reply = Schema.Union([
  ModelReply,
  Schema.Struct({
    _tag: Schema.tag("ToolCalls"),
    calls: Schema.Array(Call),
    text: Schema.optionalKey(Schema.String),
    usage: Usage.Usage
  }),
  Schema.Struct({ _tag: Schema.tag("Answer"), text: Schema.Literals(["", " ", "\udc00"]), usage: Usage.Usage })
])
const Script = Schema.Array(Reply)

const counted = () => {
  let count = 0
  const counts = Tool.make("counts", {
    description: "Counts.",
    input: Schema.Struct({}),
    run: () => Effect.sync(() => count = count + 1)
  })
  return { counts, count: () => count }
}

const fails = Tool.make("fails", {
  description: "Fails.",
  input: Schema.Struct({}),
  run: () => new Unavailable({ message: "as ever" })
})
const dies = Tool.make("dies", { description: "Dies.", input: Schema.Struct({}), run: () => Effect.die("dead") })

describe("a run", () => {
  it.effect.prop(
    "keeps its promises whatever the model does",
    [Script, Small, Schema.optionalKey(Schema.Natural.check(Schema.isGreaterThanOrEqualTo(1))), Schema.String],
    ([script, maxTurns, maxTokens, task]) =>
      Effect.gen(function*() {
        const { counts, count } = counted()
        const agent = limited(maxTokens === undefined ? { maxTurns } : { maxTurns, maxTokens })
        const endless = [
          ...script,
          ...Array.from({ length: 6 }, () => ScriptedModel.asks(1, ScriptedModel.call("counts", {})))
        ]
        yield* Effect.gen(function*() {
          const run = yield* Agent.run(agent, task)
          const state = fold(run.events)

          const { requests } = yield* ScriptedModel.ScriptedModel
          const asked = yield* requests
          expect(asked.length).toBeLessThanOrEqual(maxTurns)
          expect(asked.length).toBe(run.spent.turns)
          for (const { transcript } of asked) expectSendable(transcript)
          expectSendable(state.transcript, true)

          const replies = run.events.flatMap((event) => event._tag === "Replied" ? [event.reply] : [])
          expect(run.spent.usage).toEqual(replies.map(({ usage }) => usage).reduce(Usage.add, Usage.zero))

          const places = run.steps.map(({ place }) => `${place.turn}.${place.index}`)
          expect(new Set(places).size).toBe(places.length)
          expect(run.steps.filter(({ result }) => result.content === String(count())).length).toBeLessThanOrEqual(1)
          expect(count()).toBe(run.steps.filter(({ call, result }) => call.name === "counts" && !result.isError).length)

          // I10
          const [end, ...rest] = run.events.toReversed()
          expect(end).toMatchObject({ _tag: "RunStopped", stop: run.stop })
          expect(rest.filter(({ _tag }) => ["RunStopped", "RunFailed", "RunInterrupted"].includes(_tag))).toEqual([])
          if (run.stop._tag === "Answered") expect(run.stop.text.trim()).not.toBe("")
        }).pipe(
          Effect.provide([Toolset.layer(echo, fails, dies, counts), ScriptedModel.layer(endless)])
        )
      }),
    { arbitrary: { runs: 300, size: 20 } }
  )

  it.effect("has an id of its own", () =>
    Effect.gen(function*() {
      const once = Agent.run(limited({}), "Hello?").pipe(
        Effect.provide(ScriptedModel.layer([ScriptedModel.answers(1, "Hi.")]))
      )
      const [a, b] = yield* Effect.all([once, once])
      expect(a.runId).not.toBe(b.runId)
      expect(a.runId).toMatch(/^[0-9a-f-]{36}$/)
    }).pipe(Effect.provide(Toolset.layer())))

  it("a program without a model or without tools does not compile", () => {
    const run = Agent.run(limited({}), "Hello?")
    const withTools = Effect.provide(run, Toolset.layer())
    const whole = Effect.provide(withTools, ScriptedModel.layer([]).pipe(Layer.orDie))
    // @ts-expect-error: the model is missing.
    const incomplete: Effect.Effect<Agent.Run, unknown> = withTools
    const complete: Effect.Effect<Agent.Run, unknown> = whole
    expect([incomplete, complete]).toHaveLength(2)
  })
})
