import { describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import { Model, type ModelErrorReason, type ModelRequest } from "../src/Model.ts"
import * as ModelPolicy from "../src/ModelPolicy.ts"
import type { Delta } from "../src/pure/Delta.ts"
import * as Usage from "../src/pure/Usage.ts"
import { RunObserver } from "../src/RunObserver.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent } from "./fixtures.ts"

const { answers, fails, layer, ScriptedModel: Scripted } = ScriptedModel

const request: ModelRequest = {
  runId: "r",
  instructions: "Test.",
  tools: [],
  transcript: [{ _tag: "Task", text: "Hello?" }]
}

/** Asks once, and keeps what a watcher saw. */
const ask = Effect.gen(function*() {
  const model = yield* Model
  const seen: Array<Delta> = []
  const exit = yield* Effect.exit(model.reply(request, (delta) => Effect.sync(() => void seen.push(delta))))
  return { exit, seen }
})

/** No luck at all: every wait is its longest. */
const longest = Effect.provideService(Random.Random, {
  nextIntUnsafe: () => 0,
  nextDoubleUnsafe: () => 0
})

/** Lets a request wait until it is through; how long that took on the clock, in milliseconds. */
const waits = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let step = 0; step < 2000; step++) {
    yield* Effect.yieldNow
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return { value: yield* Fiber.join(fiber), waited: step * 100 }
    yield* TestClock.adjust("100 millis")
  }
  return yield* Effect.die("it waits for ever")
})

describe("retry", () => {
  it.effect("tries the same request again, tells watchers to drop what they saw, and counts what it cost", () =>
    Effect.gen(function*() {
      const { value: { exit, seen } } = yield* waits(ask)
      expect(exit).toMatchObject(Exit.succeed({ text: "Hi.", usage: { input: 7, output: 3 } }))
      expect(seen).toEqual([
        { _tag: "Restarted", why: "the script says overloaded." },
        { _tag: "Restarted", why: "the script says server." },
        { _tag: "Text", text: "Hi." }
      ])
      const { requests } = yield* Scripted
      expect(yield* requests).toEqual([request, request, request])
    }).pipe(Effect.provide(
      layer([
        fails("overloaded", { usage: Usage.make({ input: 7 }) }),
        fails("server"),
        answers(3, "Hi.")
      ]).pipe(ModelPolicy.retry())
    )))

  it.effect("waits twice as long each time, up to a cap", () =>
    Effect.gen(function*() {
      const { waited } = yield* longest(waits(ask))
      // 500 + 1,000 + 2,000 + 3,000
      expect(waited).toBe(6500)
    }).pipe(Effect.provide(
      layer([...Array.from({ length: 4 }, () => fails("server")), answers(1, "Hi.")]).pipe(
        ModelPolicy.retry({ maxDelay: "3 seconds" })
      )
    )))

  it.effect("takes up to a quarter off a wait, by chance", () =>
    Effect.gen(function*() {
      const unlucky = Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0.9999 })
      expect((yield* unlucky(waits(ask))).waited).toBe(800)
    }).pipe(Effect.provide(
      layer([fails("server"), answers(1, "Hi.")]).pipe(ModelPolicy.retry({ firstDelay: "1 second" }))
    )))

  it.effect("waits as long as the provider asks, and no longer than a cap", () =>
    Effect.gen(function*() {
      expect((yield* waits(ask)).waited).toBe(30_000 + 60_000)
    }).pipe(Effect.provide(
      layer([
        fails("rateLimited", { retryAfter: 30_000 }),
        fails("rateLimited", { retryAfter: 3_600_000 }),
        answers(1, "Hi.")
      ]).pipe(ModelPolicy.retry())
    )))

  it.effect("gives up after so many tries, with the last error and what all of them cost", () =>
    Effect.gen(function*() {
      const { value: { exit } } = yield* waits(ask)
      expect(Exit.isFailure(exit)).toBe(true)
      expect(yield* Effect.flip(exit)).toMatchObject({ reason: "timeout", usage: { input: 3 } })
      const { assertPlayed } = yield* Scripted
      yield* assertPlayed
    }).pipe(Effect.provide(
      layer([
        fails("server", { usage: Usage.make({ input: 1 }) }),
        fails("connection"),
        fails("timeout", { usage: Usage.make({ input: 2 }) })
      ]).pipe(ModelPolicy.retry({ times: 2 }))
    )))

  const passing: ReadonlyArray<ModelErrorReason> = [
    "rateLimited",
    "overloaded",
    "server",
    "connection",
    "timeout",
    "malformed"
  ]
  const lasting: ReadonlyArray<ModelErrorReason> = [
    "badRequest",
    "authentication",
    "permission",
    "spendLimit",
    "notFound",
    "tooLarge",
    "exhausted"
  ]
  it.effect.each([...passing, ...lasting])("%s is tried again only if it may pass", (reason) =>
    Effect.gen(function*() {
      const { value: { exit } } = yield* waits(ask)
      expect(Exit.isSuccess(exit)).toBe(passing.includes(reason))
    }).pipe(Effect.provide(layer([fails(reason), answers(1, "Hi.")]).pipe(ModelPolicy.retry()))))

  it.effect("believes a provider that says otherwise", () =>
    Effect.gen(function*() {
      const { value: { exit } } = yield* waits(ask)
      expect(Exit.isSuccess(exit)).toBe(false)
      const { requests } = yield* Scripted
      expect(yield* requests).toHaveLength(2)
    }).pipe(Effect.provide(
      layer([fails("badRequest", { retryable: true }), fails("server", { retryable: false })]).pipe(ModelPolicy.retry())
    )))

  it.effect("by default tries four times more, and waits no longer than eight seconds", () =>
    Effect.gen(function*() {
      const { value: { exit }, waited } = yield* longest(waits(ask))
      expect(Exit.isSuccess(exit)).toBe(false)
      expect(waited).toBe(500 + 1000 + 2000 + 4000)
      const { requests } = yield* Scripted
      expect(yield* requests).toHaveLength(5)
    }).pipe(Effect.provide(layer(Array.from({ length: 9 }, () => fails("server"))).pipe(ModelPolicy.retry()))))

  it.effect("by default no wait of its own is longer than eight seconds", () =>
    Effect.gen(function*() {
      expect((yield* longest(waits(ask))).waited).toBe(6000 + 8000 + 8000)
    }).pipe(Effect.provide(
      layer([fails("server"), fails("server"), fails("server"), answers(1, "Hi.")]).pipe(
        ModelPolicy.retry({ firstDelay: "6 seconds" })
      )
    )))

  it.effect("an interruption ends the wait", () =>
    Effect.gen(function*() {
      const waiting = yield* Deferred.make<void>()
      const model = yield* Model
      const fiber = yield* Effect.forkChild(
        model.reply(request, () => Effect.asVoid(Deferred.succeed(waiting, undefined)))
      )
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(fiber)
      const { requests } = yield* Scripted
      expect(yield* requests).toHaveLength(1)
    }).pipe(Effect.provide(layer([fails("server"), answers(1, "Hi.")]).pipe(ModelPolicy.retry()))))
})

describe("fallback", () => {
  const first = layer([fails("authentication", { usage: Usage.make({ input: 5 }) }), answers(1, "From the first.")])
  const second = layer([answers(2, "From the second.")])

  it.effect("the second answers what the first cannot, on the same transcript, and the first is asked again next time", () =>
    Effect.gen(function*() {
      const one = yield* ask
      expect(one.exit).toMatchObject(Exit.succeed({ text: "From the second.", usage: { input: 5, output: 2 } }))
      expect(one.seen).toEqual([
        { _tag: "Restarted", why: "the script says authentication." },
        { _tag: "Text", text: "From the second." }
      ])
      expect((yield* ask).exit).toMatchObject(Exit.succeed({ text: "From the first." }))
    }).pipe(Effect.provide(ModelPolicy.fallback(first, second))))

  it.effect("when both fail the error is the second's, tells both, and counts both", () =>
    Effect.gen(function*() {
      const { exit } = yield* ask
      expect(yield* Effect.flip(exit)).toMatchObject({
        reason: "notFound",
        message: "the script says notFound. Before it: the script says authentication.",
        usage: { input: 5, output: 4 }
      })
    }).pipe(Effect.provide(
      first.pipe(ModelPolicy.fallback(layer([fails("notFound", { usage: Usage.make({ output: 4 }) })])))
    )))

  it.effect("what either may do better another time is tried again around both", () =>
    Effect.gen(function*() {
      const { value: { exit } } = yield* waits(ask)
      expect(exit).toMatchObject(Exit.succeed({ text: "From the first." }))
    }).pipe(Effect.provide(
      layer([fails("overloaded"), answers(1, "From the first.")]).pipe(
        ModelPolicy.fallback(layer([fails("authentication")])),
        ModelPolicy.retry()
      )
    )))

  it.effect("share a Layer that is used twice", () =>
    Effect.gen(function*() {
      let built = 0
      const base = Layer.effect(
        Model,
        Effect.sync(() => {
          built = built + 1
          return Model.of({ reply: () => Effect.succeed(answers(1, "Hi.")) })
        })
      )
      yield* ask.pipe(Effect.provide(Layer.merge(base.pipe(ModelPolicy.retry(), ModelPolicy.fallback(base)), base)))
      expect(built).toBe(1)
    }))

  it.effect("policies nest", () =>
    Effect.gen(function*() {
      const { value: { exit, seen } } = yield* waits(ask)
      expect(exit).toMatchObject(Exit.succeed({ text: "From the second." }))
      expect(seen.map(({ _tag }) => _tag)).toEqual(["Restarted", "Restarted", "Text"])
    }).pipe(Effect.provide(
      layer([fails("server"), fails("server")]).pipe(ModelPolicy.retry({ times: 1 }), ModelPolicy.fallback(second))
    )))

  it.effect("what the first Layer gives besides the model stays there", () =>
    Effect.gen(function*() {
      yield* ask
      const { requests } = yield* Scripted
      expect(yield* requests).toHaveLength(1)
    }).pipe(Effect.provide(first.pipe(ModelPolicy.fallback(Layer.fresh(second)), ModelPolicy.retry()))))
})

describe("a run under policies", () => {
  it.effect("has one Replied for a retried turn, costs every attempt, and shows its watchers both", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const watcher = {
        event: () => Effect.void,
        delta: (delta: Delta) => Effect.sync(() => void seen.push(delta._tag))
      }
      const broken = { event: () => Effect.void, delta: () => Effect.die("the screen is gone") }
      const { value: run } = yield* waits(
        Agent.run(agent, "Hello?").pipe(Effect.provideService(RunObserver, [broken, watcher]))
      )
      expect(run.stop).toEqual({ _tag: "Answered", text: "Hi." })
      expect(run.spent).toMatchObject({ turns: 1, usage: { input: 9, cacheWrite: 0, cacheRead: 0, output: 1 } })
      expect(run.events.map(({ _tag }) => _tag)).toEqual(["RunStarted", "Replied", "RunStopped"])
      expect(seen).toEqual(["Restarted", "Text"])
    }).pipe(Effect.provide([
      Toolset.layer(),
      layer([fails("overloaded", { usage: Usage.make({ input: 9 }) }), answers(1, "Hi.")]).pipe(ModelPolicy.retry())
    ])))

  it.effect("that fails for good says what was spent on the reply that never came", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Agent.run(agent, "Hello?"))
      expect(error.reason).toMatchObject({ reason: "spendLimit" })
      expect(error.spent.usage).toMatchObject({ input: 4 })
    }).pipe(Effect.provide([
      Toolset.layer(),
      layer([fails("spendLimit", { usage: Usage.make({ input: 4 }) })]).pipe(ModelPolicy.retry())
    ])))
})
