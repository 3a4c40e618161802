import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, echo } from "./fixtures.ts"

const { answers, asks, call, layer, stops } = ScriptedModel

const wants = asks(1, call("echo", { text: "a" }), call("echo", { text: "b" }, "mine"))

describe("ScriptedModel", () => {
  it.effect("plays its script in order and keeps what it saw", () =>
    Effect.gen(function*() {
      const { assertPlayed, requests, seen } = yield* ScriptedModel.ScriptedModel
      const run = yield* Agent.run(agent, "Hello?")
      yield* assertPlayed
      expect(run.steps.map((step) => step.call.id)).toEqual(["c1", "mine", "c2"])
      expect((yield* seen).map(({ _tag }) => _tag)).toEqual(["Task", "Results", "Results"])
      expect((yield* requests).map(({ transcript }) => transcript.length)).toEqual([1, 3, 5])
      expect((yield* requests)[0]).toMatchObject({ instructions: "Test.", runId: run.runId })
      expect((yield* requests)[0]?.tools.map((tool) => tool.name)).toEqual(["echo"])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      layer([wants, asks(1, call("echo", { text: "c" })), stops(1, "refused")])
    ])))

  it.effect("gives no call an id that another was given", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "Hello?")
      expect(run.steps.map((step) => step.call.id)).toEqual(["c2", "c1", "c3"])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      layer([
        asks(1, call("echo", { text: "a" }, "c2"), call("echo", { text: "b" }), call("echo", { text: "c" })),
        answers(1, "Done.")
      ])
    ])))

  it.effect("a script that runs out says after how many replies", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Agent.run(agent, "Hello?"))
      expect(error.reason).toMatchObject({ reason: "exhausted", message: "the script ran out after 1 reply." })
    }).pipe(Effect.provide([Toolset.layer(echo), layer([wants])])))

  it.effect("a script not played to its end says how much was", () =>
    Effect.gen(function*() {
      const { assertPlayed } = yield* ScriptedModel.ScriptedModel
      yield* Agent.run(agent, "Hello?")
      expect((yield* Effect.flip(assertPlayed)).message).toBe("1 of the script's 3 replies were played.")
    }).pipe(
      Effect.provide([Toolset.layer(echo), layer([answers(1, "Hi."), answers(1, "Unheard."), answers(1, "Too.")])])
    ))

  it.effect("each Layer built plays from the start", () =>
    Effect.gen(function*() {
      const script = layer([answers(1, "Hi.")])
      for (const _ of [1, 2]) {
        const run = yield* Agent.run(agent, "Hello?").pipe(Effect.provide([Toolset.layer(), script]))
        expect(run.stop._tag).toBe("Answered")
      }
    }))
})
