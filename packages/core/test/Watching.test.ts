import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import { Journal, makeMemory } from "../src/Journal.ts"
import { Model, ModelError } from "../src/Model.ts"
import * as ModelPolicy from "../src/ModelPolicy.ts"
import type { Json } from "../src/pure/Json.ts"
import { type Progress, RunObserver } from "../src/RunObserver.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, echo, limited, tags } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

const none = Schema.Struct({})

/** An answer in pieces. `told` counts those that were taken. */
const inPieces = (pieces: ReadonlyArray<string>, told: { count: number } = { count: 0 }) =>
  Layer.succeed(Model, {
    reply: (_, sink) =>
      Effect.gen(function*() {
        for (const text of pieces) {
          yield* sink({ _tag: "Text", text })
          told.count = told.count + 1
        }
        return answers(1, pieces.join(""))
      })
  })

const shown = (part: Agent.StreamPart) => part._tag === "Text" ? part.text : part._tag

const collect = <E, R>(stream: Stream.Stream<Agent.StreamPart, E, R>) =>
  Effect.map(Stream.runCollect(stream), (parts) => [...parts])

/** Gives everything that can run without time passing the turns it needs. */
const settle = Effect.repeat(Effect.yieldNow, Schedule.recurs(5000))

/** A run in which a tool waits for ever, and what became of it. */
const waiting = Effect.gen(function*() {
  const begun = yield* Deferred.make<void>()
  const finalized: Array<string> = []
  const waits = Tool.make("waits", {
    description: "Waits.",
    input: none,
    run: () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.ensuring(Effect.sync(() => finalized.push("finalized")))
      )
  })
  const journal = makeMemory()
  const stream = Agent.stream(agent, "Wait.", { runId: "run" }).pipe(
    Stream.provide(
      Layer.mergeAll(
        Toolset.layer(waits),
        ScriptedModel.layer([asks(1, call("waits", {}))]),
        Layer.succeed(Journal, journal)
      )
    )
  )
  return { begun, finalized, stream, kept: Effect.map(journal.read("run"), tags) }
})

const delegating = (child: Agent.Agent) =>
  Toolset.layer(
    Agent.asTool(child, { description: "Helps.", tools: Toolset.layer(), model: inPieces(["Help", "ed."]) })
  )

feature(new URL("../features/watching.feature", import.meta.url), (scenario) => {
  scenario("A stream shows all of a run in order", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const parts = yield* collect(
        Stream.provideService(Agent.stream(agent, "Hello?", { runId: "run" }), Journal, journal)
      )
      expect(parts.map(shown)).toEqual([
        "RunStarted",
        "Replied",
        "ToolFinished",
        "Hel",
        "lo.",
        "Replied",
        "RunStopped"
      ])
      expect(new Set(parts.map(({ runId }) => runId))).toEqual(new Set(["run"]))
      const kept = yield* journal.read("run")
      expect(parts.filter(({ _tag }) => _tag !== "Text")).toEqual(kept.map((event) => ({ ...event, runId: "run" })))
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      Layer.effect(
        Model,
        Effect.gen(function*() {
          const script = yield* Model
          let turn = 0
          return {
            reply: (request, sink) => {
              turn = turn + 1
              return turn === 1
                ? script.reply(request, sink)
                : Effect.as(
                  Effect.forEach(["Hel", "lo."], (text) => sink({ _tag: "Text", text })),
                  answers(1, "Hello.")
                )
            }
          }
        })
      ).pipe(Layer.provide(ScriptedModel.layer([asks(1, call("echo", { text: "hi" }))])))
    ])))

  scenario("A stream of a run that fails says so twice", () =>
    Effect.gen(function*() {
      const parts: Array<Agent.StreamPart> = []
      const error = yield* Agent.stream(agent, "Hello?").pipe(
        Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
        Effect.flip
      )
      expect(parts.map(shown)).toEqual(["RunStarted", "RunFailed"])
      expect(error).toMatchObject({ _tag: "RunError", reason: { _tag: "ModelError", reason: "connection" } })
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([ScriptedModel.fails("connection")])])))

  scenario("A slow reader slows the run and loses nothing", () =>
    Effect.gen(function*() {
      const pieces = Array.from({ length: 1000 }, (_, i) => `${i} `)
      const told = { count: 0 }
      const stopped = yield* Deferred.make<void>()
      const readOn = yield* Deferred.make<void>()
      const read: Array<string> = []
      const reading = yield* Agent.stream(agent, "Count.").pipe(
        Stream.runForEach((part) =>
          Effect.gen(function*() {
            read.push(shown(part))
            if (read.length > 1) return
            yield* Deferred.succeed(stopped, undefined)
            yield* Deferred.await(readOn)
          })
        ),
        Effect.provide([Toolset.layer(), inPieces(pieces, told)]),
        Effect.forkChild
      )
      yield* Deferred.await(stopped)
      yield* settle
      expect(told.count).toBeGreaterThan(0)
      expect(told.count).toBeLessThanOrEqual(2 * 64)
      yield* Deferred.succeed(readOn, undefined)
      yield* Fiber.join(reading)
      expect(read).toEqual(["RunStarted", ...pieces, "Replied", "RunStopped"])
    }))

  scenario("A reader who leaves interrupts the run", () =>
    Effect.gen(function*() {
      const interrupted = yield* waiting
      const reading = yield* Effect.forkChild(Stream.runDrain(interrupted.stream))
      yield* Deferred.await(interrupted.begun)
      yield* Fiber.interrupt(reading)
      expect(interrupted.finalized).toEqual(["finalized"])
      expect(yield* interrupted.kept).toEqual(["RunStarted", "Replied", "RunInterrupted"])

      const taking = yield* waiting
      const taken = yield* collect(Stream.take(taking.stream, 2))
      expect(taken.map(shown)).toEqual(["RunStarted", "Replied"])
      expect((yield* taking.kept).at(-1)).toBe("RunInterrupted")

      const journal = makeMemory()
      const full = Agent.stream(agent, "Count.", { runId: "run" }).pipe(
        Stream.mapEffect((part) => Effect.as(settle, part)),
        Stream.take(1),
        Stream.provideService(Journal, journal)
      )
      const first = yield* Effect.provide(collect(full), [
        Toolset.layer(),
        inPieces(Array.from({ length: 1000 }, () => "."))
      ])
      expect(first.map(shown)).toEqual(["RunStarted"])
      expect(tags(yield* journal.read("run"))).toEqual(["RunStarted", "RunInterrupted"])
    }))

  scenario("A retried reply tells the reader to drop its words", () =>
    Effect.gen(function*() {
      const parts = yield* collect(Agent.stream(agent, "Hello?"))
      expect(parts.map(shown)).toEqual([
        "RunStarted",
        "Goo",
        "Restarted",
        "Good ",
        "day.",
        "Replied",
        "RunStopped"
      ])
    }).pipe(Effect.provide([
      Toolset.layer(),
      Layer.succeed(Model, {
        reply: (_, sink) =>
          Effect.andThen(
            sink({ _tag: "Text", text: "Goo" }),
            Effect.fail(new ModelError({ reason: "connection", message: "cut off" }))
          )
      }).pipe(ModelPolicy.fallback(inPieces(["Good ", "day."])))
    ])))

  scenario("A kept run is streamed where it is taken up", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const first = limited({ maxTurns: 1 })
      yield* Effect.provideService(Agent.run(first, "Say hi.", { runId: "run" }), Journal, journal)
      const resumed = Agent.streamOf(Agent.resume("run", { limits: { maxTurns: 5 } })).pipe(
        Stream.provideService(Journal, journal)
      )
      expect((yield* collect(resumed)).map(shown).at(0)).toBe("RunResumed")
      expect(yield* collect(resumed)).toEqual([])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      ScriptedModel.layer([asks(1, call("echo", { text: "hi" })), answers(1, "Hi."), answers(1, "Hi again.")])
    ])))

  scenario("A stream shows the runs that the run calls", () =>
    Effect.gen(function*() {
      const parts = yield* collect(Agent.stream(agent, "Ask for help.", { runId: "run" }))
      expect(parts.map((part) => [part.runId, shown(part)])).toEqual([
        ["run", "RunStarted"],
        ["run", "Replied"],
        ["run.1-0", "RunStarted"],
        ["run.1-0", "Help"],
        ["run.1-0", "ed."],
        ["run", "ToolSpent"],
        ["run.1-0", "Replied"],
        ["run.1-0", "RunStopped"],
        ["run", "ToolFinished"],
        ["run", "Done."],
        ["run", "Replied"],
        ["run", "RunStopped"]
      ])
    }).pipe(Effect.provide([
      delegating(Agent.make("helper", { instructions: "Help." })),
      ScriptedModel.layer([asks(1, call("helper", { task: "Help." })), answers(1, "Done.")])
    ])))

  scenario("An observer that fails is told no more", () =>
    Effect.gen(function*() {
      const told = { fails: 0, dies: 0, throws: 0, sees: 0 }
      const observers: ReadonlyArray<RunObserver> = [
        { event: () => Effect.andThen(Effect.sync(() => told.fails++), Effect.fail("no")) },
        { event: () => Effect.sync(() => told.dies++), delta: () => Effect.die("dead") },
        {
          event: () => {
            told.throws++
            throw new Error("thrown")
          }
        },
        { event: () => Effect.sync(() => told.sees++) }
      ]
      const logged: Array<unknown> = []
      const run = yield* Effect.provideService(Agent.run(agent, "Ask for help."), RunObserver, observers).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(message))]))
      )
      expect(run.stop._tag).toBe("Answered")
      expect(logged).toHaveLength(3)
      // The second dies of the child's first words: it had seen the beginning of both runs and the reply between.
      expect(told).toEqual({ fails: 1, dies: 3, throws: 1, sees: run.events.length + 3 })
    }).pipe(Effect.provide([
      delegating(Agent.make("helper", { instructions: "Help." })),
      ScriptedModel.layer([asks(1, call("helper", { task: "Help." })), answers(1, "Done.")])
    ])))

  scenario("A tool's progress reaches observers only", () =>
    Effect.gen(function*() {
      const after = yield* Deferred.make<void>()
      const saidAfter = yield* Deferred.make<void>()
      const bakes = Tool.make("bakes", {
        description: "Bakes.",
        input: none,
        run: () =>
          Effect.gen(function*() {
            yield* Tool.progress("kneaded")
            yield* Tool.progress({ percent: 50 })
            yield* Deferred.await(after).pipe(
              Effect.andThen(Tool.progress("cold")),
              Effect.andThen(Deferred.succeed(saidAfter, undefined)),
              Effect.forkDetach
            )
            return "baked"
          })
      })
      const heard: Array<readonly [string, Json | undefined, number?]> = []
      const observer: RunObserver = {
        event: ({ _tag }) =>
          Effect.gen(function*() {
            heard.push([_tag, undefined])
            if (_tag !== "ToolFinished") return
            yield* Deferred.succeed(after, undefined)
            yield* Deferred.await(saidAfter)
          }),
        progress: ({ place, said, tool }: Progress) => Effect.sync(() => heard.push([tool, said, place.turn]))
      }
      const run = yield* Agent.run(agent, "Bake.").pipe(
        Effect.provideService(RunObserver, [observer]),
        Effect.provide([Toolset.layer(bakes), ScriptedModel.layer([asks(1, call("bakes", {})), answers(1, "Done.")])])
      )
      expect(heard).toEqual([
        ["RunStarted", undefined],
        ["Replied", undefined],
        ["bakes", "kneaded", 1],
        ["bakes", { percent: 50 }, 1],
        ["ToolFinished", undefined],
        ["Replied", undefined],
        ["RunStopped", undefined]
      ])
      expect(run.steps.map(({ result }) => result.content)).toEqual(["baked"])
      expect(JSON.stringify(run.events)).not.toContain("kneaded")
    }))

  scenario("Progress that nobody hears does nothing", () =>
    Effect.gen(function*() {
      const bakes = Tool.make("bakes", {
        description: "Bakes.",
        input: none,
        run: () => Effect.as(Tool.progress("kneaded"), "baked")
      })
      const run = yield* Effect.provide(Agent.run(agent, "Bake."), [
        Toolset.layer(bakes),
        ScriptedModel.layer([asks(1, call("bakes", {})), answers(1, "Done.")])
      ])
      expect(run.steps.map(({ result }) => result.content)).toEqual(["baked"])
      expect(yield* Effect.exit(Tool.progress("nobody"))).toEqual(Exit.void)
    }))
})
