import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import { Journal, layerMemory, makeMemory } from "../src/Journal.ts"
import * as ModelPolicy from "../src/ModelPolicy.ts"
import { fold } from "../src/pure/Decider.ts"
import * as Limits from "../src/pure/Limits.ts"
import * as Usage from "../src/pure/Usage.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, expectSendable, limited } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

const wants = (tokens: number) => asks(tokens, call("echo", { text: "again" }))

/** A scripted model whose every reply takes a second and is of unknown cost. */
const timed = (script: ReadonlyArray<ScriptedModel.ScriptedReply>) =>
  ModelPolicy.around((model) => ({
    reply: (request, sink) => Effect.tap(model.reply(request, sink), TestClock.adjust("1 second"))
  }))(ScriptedModel.layer(script))

const ran: Array<string> = []

/** Keeps what it was asked for. */
const pair = Tool.make("pair", {
  description: "Two fields.",
  input: Schema.Struct({ a: Schema.String, b: Schema.Int }),
  run: ({ a }) => Effect.sync(() => (ran.push(a), `got ${a}`))
})

const repeated = (content: string) =>
  `denied: pair was asked with this very input before, so it did not run again. What came back: ${content}`

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
      for (const field of ["maxTurns", "maxTokens", "maxRepeats"] as const) {
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

  scenario("A cost that is reached, or not known, ends the run", () =>
    Effect.gen(function*() {
      for (const [cost, turns] of [[0.02, 3], [0.05, 1], [undefined, 1]] as const) {
        const reply = { ...wants(1), usage: Usage.make({ output: 1, ...(cost === undefined ? {} : { cost }) }) }
        const run = yield* Agent.run(limited({ maxCost: 0.05 }), "Dear.").pipe(
          Effect.provide(ScriptedModel.layer([reply, reply, reply]))
        )
        expect([run.stop, run.spent.turns]).toEqual([{ _tag: "OutOfCost" }, turns])
      }
      expect(() => limited({ maxCost: 0 })).toThrow("maxCost must be a number of US dollars above 0, not 0.")
    }).pipe(Effect.provide(Toolset.layer(echo))))

  scenario("Time counts while the run is live, and not while it sleeps", () =>
    Effect.gen(function*() {
      const slow = Tool.make("echo", {
        description: "Takes its time.",
        input: Schema.Struct({ text: Schema.String }),
        run: () => Effect.as(TestClock.adjust("4 seconds"), "said")
      })
      yield* Effect.gen(function*() {
        const first = yield* Agent.run(limited({ maxDuration: "8 seconds", maxTurns: 2 }), "Slowly.", { runId: "r" })
        expect([first.stop._tag, first.spent.elapsed]).toEqual(["OutOfTurns", 4000])
        yield* TestClock.adjust("1 day")
        const second = yield* Agent.resume("r", { limits: { maxDuration: "8 seconds" } })
        expect([second.stop._tag, second.spent.elapsed, second.spent.turns]).toEqual(["OutOfTime", 8000, 2])
        const again = yield* Agent.resume("r", { limits: { maxDuration: "9 seconds" } })
        expect([again.stop._tag, again.spent.elapsed]).toEqual(["OutOfTime", 12_000])
      }).pipe(
        Effect.provide([Toolset.layer(slow), ScriptedModel.layer([wants(1), wants(1), wants(1)]), layerMemory])
      )
      expect(limited({ maxDuration: "1 minute" }).limits.maxDuration).toBe(60_000)
      for (const bad of [0, "-1 seconds", NaN, Infinity] as const) {
        expect(() => limited({ maxDuration: bad })).toThrow(
          `maxDuration must be a time longer than nothing, not ${bad}.`
        )
      }
    }))

  scenario("A call that was asked for too often is refused, and then ends the run", () =>
    Effect.gen(function*() {
      const same = (text: string) => asks(1, call("pair", { a: text, b: 1 }), call("pair", { b: 1, a: text }))
      const run = yield* Agent.run(limited({ maxRepeats: 1 }), "Again.")
      expect(run.stop).toEqual({ _tag: "Repeating" })
      expect(ran.splice(0)).toEqual(["x", "y"])
      expect(run.steps.map(({ result }) => [result.content, result.notRun])).toEqual([
        ["got x", undefined],
        [repeated("got x"), "repeated"],
        ["got y", undefined],
        [repeated("got y"), "repeated"]
      ])
      expectSendable(fold(run.events).transcript, true)
      const more = yield* Agent.run(limited({ maxRepeats: 3, maxTurns: 3 }), "Again.").pipe(
        Effect.provide(ScriptedModel.layer([same("x"), same("x"), answers(1, "Dear.")]))
      )
      expect(more.steps.map(({ result }) => result.notRun)).toEqual([undefined, undefined, undefined, "repeated"])
      expect(more.stop._tag).toBe("Answered")
    }).pipe(Effect.provide([
      Toolset.layer(pair),
      ScriptedModel.layer([
        asks(1, call("pair", { a: "x", b: 1 }), call("pair", { b: 1, a: "x" })),
        asks(1, call("pair", { a: "y", b: 1 }), call("pair", { b: 1, a: "y" })),
        asks(1, call("pair", { a: "y", b: 1 }))
      ])
    ])))

  scenario("A further message may ask for the same again", () =>
    Effect.gen(function*() {
      const first = yield* Agent.run(limited({ maxRepeats: 1 }), "Once.", { runId: "r" })
      const second = yield* Agent.continue("r", "Once more.")
      expect([first, second].map(({ steps }) => steps.map(({ result }) => result.notRun))).toEqual([
        [undefined],
        [undefined, undefined]
      ])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      ScriptedModel.layer([wants(1), answers(1, "Dear."), wants(1), answers(1, "Dear.")]),
      layerMemory
    ])))

  scenario("A limit may leave the model a last turn, for words alone", () =>
    Effect.gen(function*() {
      for (
        const [limits, stop] of [
          [{ maxTurns: 1 }, "OutOfTurns"],
          [{ maxTokens: 1 }, "OutOfTokens"],
          [{ maxCost: 1 }, "OutOfCost"],
          [{ maxDuration: 1 }, "OutOfTime"]
        ] as const
      ) {
        yield* Effect.gen(function*() {
          const run = yield* Agent.run(limited({ ...limits, finalAnswer: true }), "Quick.", { runId: "r" })
          const { requests } = yield* ScriptedModel.ScriptedModel
          expect(run.stop).toEqual({ _tag: stop, text: "So far: nothing." })
          expect((yield* requests).map(({ isLast, tools }) => [isLast, tools.length])).toEqual([[false, 1], [true, 1]])
          expect(run.steps.map(({ result }) => result.notRun)).toEqual(["limit"])
          expectSendable(fold(run.events).transcript)
          for (const cut of run.events.keys()) {
            const journal = makeMemory(new Map([["r", run.events.slice(0, cut + 1)]]))
            const replied = run.events.slice(0, cut + 1).filter(({ _tag }) => _tag === "Replied").length
            const again = yield* Agent.resume("r").pipe(
              Effect.provideService(Journal, journal),
              Effect.provide(timed([wants(1), answers(1, "So far: nothing.")].slice(replied)))
            )
            expect([again.stop, again.steps]).toEqual([run.stop, run.steps])
          }
        }).pipe(Effect.provide(timed([wants(1), answers(1, "So far: nothing.")])))
      }
      const rude = yield* Agent.run(limited({ maxTurns: 1, finalAnswer: true }), "Rude.").pipe(
        Effect.provide(ScriptedModel.layer([wants(1), wants(1)]))
      )
      expect([rude.stop, rude.spent.turns]).toEqual([{ _tag: "OutOfTurns" }, 2])
    }).pipe(Effect.provide(Toolset.layer(echo))))
})

describe("crossed", () => {
  it.prop("is in the words that the decider uses", [Limits.Spent, Limits.Limits], ([spent, limits]) => {
    const tokens = Usage.total(spent.usage)
    const expected = spent.turns >= limits.maxTurns
      ? "turns"
      : limits.maxTokens !== undefined && tokens >= limits.maxTokens
      ? "tokens"
      : limits.maxCost !== undefined && (spent.usage.cost ?? Infinity) >= limits.maxCost
      ? "cost"
      : limits.maxDuration !== undefined && spent.elapsed >= limits.maxDuration
      ? "time"
      : undefined
    expect(Limits.crossed(spent, limits)).toBe(expected)
  })
})
