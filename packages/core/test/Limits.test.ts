import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import * as Limits from "../src/pure/Limits.ts"
import * as Usage from "../src/pure/Usage.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, limited } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

const wants = (tokens: number) => asks(tokens, call("echo", { text: "again" }))

feature(new URL("../features/limits.feature", import.meta.url), (scenario) => {
  scenario("An answer that arrives over budget is kept", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(limited({ maxTurns: 1, maxTokens: 10 }), "Hello?")
      expect(run.stop).toEqual({ _tag: "Answered", text: "Dear." })
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([answers(9999, "Dear.")])])))

  scenario("A limit of n turns asks at most n times", () =>
    Effect.gen(function*() {
      for (const maxTurns of [1, 2, 3, 7]) {
        yield* Effect.gen(function*() {
          const run = yield* Agent.run(limited({ maxTurns }), "For ever.")
          const { requests } = yield* ScriptedModel.ScriptedModel
          expect(yield* requests).toHaveLength(maxTurns)
          expect(run.stop).toEqual({ _tag: "OutOfTurns" })
          expect(run.steps).toHaveLength(maxTurns - 1)
        }).pipe(Effect.provide(ScriptedModel.layer(Array.from({ length: 9 }, () => wants(1)))))
      }
    }).pipe(Effect.provide(Toolset.layer(echo))))

  scenario("Turns are checked before tokens", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(limited({ maxTurns: 1, maxTokens: 1 }), "Both.")
      expect(run.stop).toEqual({ _tag: "OutOfTurns" })
    }).pipe(Effect.provide([Toolset.layer(echo), ScriptedModel.layer([wants(5)])])))

  scenario("Cached tokens count", () =>
    Effect.gen(function*() {
      for (const part of ["input", "cacheWrite", "cacheRead", "output"]) {
        const reply = { ...wants(0), usage: Usage.make({ [part]: 100 }) }
        const run = yield* Agent.run(limited({ maxTurns: 9, maxTokens: 100 }), "Cached.").pipe(
          Effect.provide(ScriptedModel.layer([reply]))
        )
        expect(run.stop).toEqual({ _tag: "OutOfTokens" })
      }
    }).pipe(Effect.provide(Toolset.layer(echo))))

  scenario("A limit is a whole number from 1 up", () =>
    Effect.gen(function*() {
      for (const field of ["maxTurns", "maxTokens"] as const) {
        for (const value of [0, -1, 1.5, NaN, Infinity]) {
          const refused = Limits.fromOptions({ [field]: value })
          const message = `${field} must be a whole number from 1 up, not ${value}.`
          expect(Result.isFailure(refused) && refused.failure).toMatchObject({ _tag: "InvalidLimit", field, message })
          expect(() => limited({ [field]: value })).toThrow(message)
          expect(Schema.is(Limits.Limits)({ maxTurns: 1, [field]: value })).toBe(false)
        }
        expect(limited({ [field]: 1 }).limits[field]).toBe(1)
      }
    }))

  scenario("A limit left out is none, and turns are never without one", () =>
    Effect.gen(function*() {
      expect(limited(undefined).limits).toEqual({ maxTurns: 10 })
      expect(limited({ maxTokens: undefined }).limits).toEqual({ maxTurns: 10 })
      const run = yield* Agent.run(limited(undefined), "Dear.")
      expect(run.stop._tag).toBe("Answered")
    }).pipe(Effect.provide([Toolset.layer(echo), ScriptedModel.layer([wants(1e9), answers(1e9, "Dear.")])])))
})

describe("crossed", () => {
  it.prop("is in the words that the decider uses", [Limits.Spent, Limits.Limits], ([spent, limits]) => {
    const tokens = Usage.total(spent.usage)
    const expected = spent.turns >= limits.maxTurns
      ? "turns"
      : limits.maxTokens !== undefined && tokens >= limits.maxTokens
      ? "tokens"
      : undefined
    expect(Limits.crossed(spent, limits)).toBe(expected)
  })
})
