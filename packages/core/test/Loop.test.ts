import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import { Journal, JournalError, makeMemory } from "../src/Journal.ts"
import { ModelError } from "../src/Model.ts"
import { fold } from "../src/pure/Decider.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import { Fatal, Unavailable } from "../src/pure/ToolFailure.ts"
import { emptyTask } from "../src/pure/Transcript.ts"
import * as Usage from "../src/pure/Usage.ts"
import { RunObserver } from "../src/RunObserver.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, echo, expectSendable, modelOf, tags } from "./fixtures.ts"

const { answers, asks, call, stops } = ScriptedModel

const none = Schema.Struct({})

const tool = <R = never>(name: string, run: () => Effect.Effect<unknown, Unavailable | Fatal, R>, timeLimit?: string) =>
  Tool.make(name, { description: name, input: none, run, ...(timeLimit === "1 second" ? { timeLimit } : {}) })

const contents = (run: Agent.Run) => run.steps.map(({ result }) => result.content)

/** A journal of which only writing is looked at. */
const journalOf = (append: Journal["append"]): Journal => {
  const { claim, list, read } = makeMemory()
  return { append, claim, list, read }
}

/** A journal in memory, and what it holds. */
const kept = () => {
  const events: Array<RunEvent> = []
  return {
    events,
    journal: journalOf((_, more) => Effect.sync(() => void events.push(...more)))
  }
}

const claimed = ({ append, list, read }: Journal, claim: Effect.Effect<void>): Journal => ({
  append,
  read,
  list,
  claim: () => claim
})

feature(new URL("../features/loop.feature", import.meta.url), (scenario) => {
  scenario("An answer ends the run", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "Hello?")
      expect(run.stop).toEqual({ _tag: "Answered", text: "Hello." })
      expect(run.spent).toMatchObject({ turns: 1, usage: Usage.make({ output: 7 }) })
      expect(tags(run.events)).toEqual(["RunStarted", "Replied", "RunStopped"])
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([answers(7, "Hello.")])])))

  scenario("A reply with no call and no words is no answer", () =>
    Effect.gen(function*() {
      const script = [
        answers(7, " \n\t"),
        { _tag: "ToolCalls", calls: [], usage: Usage.zero } as const,
        { _tag: "ToolCalls", calls: [], text: " ", usage: Usage.zero } as const
      ]
      for (const reply of script) {
        const run = yield* Agent.run(agent, "Hello?").pipe(Effect.provide(ScriptedModel.layer([reply])))
        expect(run.stop).toEqual({ _tag: "ModelStopped", reason: "unfinished" })
        expectSendable(fold(run.events).transcript)
      }
    }).pipe(Effect.provide(Toolset.layer())))

  scenario("A stop from the model is never an answer", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "Hello?")
      expect(run.stop).toEqual({ _tag: "ModelStopped", reason: "truncated", detail: "max_tokens" })
      expect(run.steps).toEqual([])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      ScriptedModel.layer([{ ...stops(7, "truncated", "max_tokens"), text: "Half a sen" }])
    ])))

  scenario(
    "Calls of one reply run together, and their results go back in the order asked",
    () =>
      Effect.gen(function*() {
        const second = yield* Deferred.make<void>()
        const waits = tool("waits", () => Effect.as(Deferred.await(second), "first"))
        const quick = tool("quick", () => Effect.succeed("second"))
        const frees = {
          event: (event: RunEvent) => event._tag === "ToolFinished" ? Deferred.succeed(second, undefined) : Effect.void
        }
        const run = yield* Agent.run(agent, "Both.").pipe(
          Effect.provideService(RunObserver, [frees]),
          Effect.provide([
            Toolset.layer(waits, quick),
            ScriptedModel.layer([asks(1, call("waits", {}), call("quick", {})), answers(1, "Done.")])
          ])
        )
        const finished = run.events.flatMap((event) => event._tag === "ToolFinished" ? [event.result.content] : [])
        expect(finished).toEqual(["second", "first"])
        expect(contents(run)).toEqual(["first", "second"])
        expectSendable(fold(run.events).transcript)
      })
  )

  scenario("Two calls with one id are two calls", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "Thrice.")
      expect(contents(run)).toEqual(["one", "two", "three"])
      expect(run.steps.map(({ place }) => place)).toEqual([
        { turn: 1, index: 0 },
        { turn: 1, index: 1 },
        { turn: 2, index: 0 }
      ])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      ScriptedModel.layer([
        asks(1, call("echo", { text: "one" }, "same"), call("echo", { text: "two" }, "same")),
        asks(1, call("echo", { text: "three" }, "same")),
        answers(1, "Done.")
      ])
    ])))

  scenario("A name is looked up among the tools only", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "Break in.")
      for (const { call, result } of run.steps) {
        expect(result.content).toBe(`notFound: no tool is named ${call.name}. The tools are: echo.`)
        expect(result.notRun).toBe("unknownTool")
      }
      expect(run.steps).toHaveLength(3)
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      ScriptedModel.layer([
        asks(1, call("constructor", {}), call("__proto__", {}), call("toString", {})),
        answers(1, "No.")
      ])
    ])))

  // I9
  scenario("One dying call costs its siblings nothing", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "All of them.")
      expect(contents(run)).toEqual([
        "unavailable: closed",
        "unavailable: Error: died",
        "unavailable: TypeError: thrown",
        "unavailable: the tool interrupted itself",
        "unavailable: a value that has no words",
        "fine"
      ])
      expect(run.steps.map(({ result }) => result.isError)).toEqual([true, true, true, true, true, false])
      expect(run.stop._tag).toBe("Answered")
    }).pipe(Effect.provide([
      Toolset.layer(
        tool("fails", () => new Unavailable({ message: "closed" })),
        tool("dies", () => Effect.die(new Error("died"))),
        tool("throws", () => {
          throw new TypeError("thrown")
        }),
        tool("interrupts", () => Effect.interrupt),
        tool("wordless", () => Effect.die(Object.create(null))),
        echo
      ),
      ScriptedModel.layer([
        asks(
          1,
          ...(["fails", "dies", "throws", "interrupts", "wordless"] as const).map((name) => call(name, {})) as [
            ScriptedModel.ScriptedCall
          ],
          call("echo", { text: "fine" })
        ),
        answers(1, "Done.")
      ])
    ])))

  scenario("A hanging call ends at its time limit", () =>
    Effect.gen(function*() {
      const running = yield* Effect.forkChild(Agent.run(agent, "Wait."))
      yield* TestClock.adjust("999 millis")
      expect(running.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      const run = yield* Fiber.join(running)
      expect(contents(run)).toEqual(["unavailable: hangs took longer than 1s.", "fine"])
    }).pipe(Effect.provide([
      Toolset.layer(tool("hangs", () => Effect.never, "1 second"), echo),
      ScriptedModel.layer([asks(1, call("hangs", {}), call("echo", { text: "fine" })), answers(1, "Done.")])
    ])))

  scenario("A call that ignores its interruption cannot hold the run", () =>
    Effect.gen(function*() {
      const running = yield* Effect.forkChild(Agent.run(agent, "Wait."))
      yield* TestClock.adjust("1 second")
      const run = yield* Fiber.join(running)
      expect(contents(run)).toEqual(["unavailable: hangs took longer than 1s."])
      expect(run.stop._tag).toBe("Answered")
    }).pipe(Effect.provide([
      Toolset.layer(tool("hangs", () => Effect.uninterruptible(Effect.never), "1 second")),
      ScriptedModel.layer([asks(1, call("hangs", {})), answers(1, "Done.")])
    ])))

  scenario("Interrupting the run interrupts its tools", () =>
    Effect.gen(function*() {
      for (const timeLimit of [undefined, "1 second"]) {
        const begun = yield* Deferred.make<void>()
        const finalized: Array<string> = []
        const waits = tool("waits", () =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.ensuring(Effect.sync(() => finalized.push("finalized")))
          ), timeLimit)
        const { events, journal } = kept()
        const told: Array<unknown> = []
        const observer: RunObserver = {
          event: ({ _tag }, { runId, spent }) => Effect.sync(() => told.push([_tag, runId, spent.turns]))
        }
        const running = yield* Effect.forkChild(
          Agent.run(agent, "Wait.", { runId: "run" }).pipe(
            Effect.provideService(Journal, journal),
            Effect.provideService(RunObserver, [observer]),
            Effect.provide([Toolset.layer(waits), ScriptedModel.layer([asks(1, call("waits", {}))])])
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(running)
        const exit = yield* Fiber.await(running)
        expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
        expect(finalized).toEqual(["finalized"])
        expect(tags(events)).toEqual(["RunStarted", "Replied", "RunInterrupted"])
        expect(told.at(-1)).toEqual(["RunInterrupted", "run", 1])
      }
    }))

  scenario("An interruption outside a run's life leaves no event", () =>
    Effect.gen(function*() {
      for (const before of [true, false]) {
        const { events, journal } = kept()
        const there = yield* Deferred.make<void>()
        const hang = Effect.andThen(Deferred.succeed(there, undefined), Effect.never)
        const last: RunObserver = { event: ({ _tag }) => _tag === "RunStopped" ? hang : Effect.void }
        const running = yield* Effect.forkChild(
          Agent.run(agent, "Go.").pipe(
            Effect.provideService(Journal, claimed(journal, before ? hang : Effect.void)),
            Effect.provideService(RunObserver, [last]),
            Effect.provide([Toolset.layer(), ScriptedModel.layer([answers(1, "Done.")])])
          )
        )
        yield* Deferred.await(there)
        yield* Fiber.interrupt(running)
        expect(tags(events)).toEqual(before ? [] : ["RunStarted", "Replied", "RunStopped"])
      }
    }))

  scenario("A fatal failure ends the run", () =>
    Effect.gen(function*() {
      const fine = yield* Deferred.make<void>()
      const key = tool("key", () =>
        Effect.andThen(Deferred.await(fine), new Fatal({ message: "the key was revoked: make a new one." })))
      const good = tool("good", () =>
        Effect.succeed("kept"))
      const observer = {
        event: (event: RunEvent) => event._tag === "ToolFinished" ? Deferred.succeed(fine, undefined) : Effect.void
      }
      const error = yield* Agent.run(agent, "Pay.").pipe(
        Effect.provideService(RunObserver, [observer]),
        Effect.provide([
          Toolset.layer(key, good),
          ScriptedModel.layer([asks(5, call("key", {}), call("good", {}))])
        ]),
        Effect.flip
      )
      expect(error).toBeInstanceOf(Agent.RunError)
      expect(error.message).toBe("the key was revoked: make a new one.")
      expect((error as Agent.RunError).reason._tag).toBe("Fatal")
      expect(tags((error as Agent.RunError).events)).toEqual(["RunStarted", "Replied", "ToolFinished", "RunFailed"])
    }))

  scenario("A model that cannot be reached ends the run", () =>
    Effect.gen(function*() {
      const lost = new ModelError({ reason: "connection", message: "no route", usage: Usage.make({ input: 30 }) })
      const error = yield* Agent.run(agent, "Ask twice.").pipe(
        Effect.provide(modelOf((turn) =>
          turn === 1
            ? Effect.succeed({
              _tag: "ToolCalls",
              calls: [{ id: "c1", name: "echo", input: { text: "hi" } }],
              usage: Usage.make({ output: 5 })
            })
            : Effect.fail(lost)
        )),
        Effect.flip
      )
      expect(error.reason).toEqual(lost)
      expect(error.spent).toMatchObject({ turns: 1, usage: Usage.make({ input: 30, output: 5 }) })
      expect(error.steps.map(({ result }) => result.content)).toEqual(["hi"])
      expect(tags(error.events)).toEqual(["RunStarted", "Replied", "ToolFinished", "RunFailed"])
      const { events, journal } = kept()
      const exit = yield* Agent.run(agent, "Ask.").pipe(
        Effect.provideService(Journal, journal),
        Effect.provide(modelOf(() => Effect.die(new Error("a bug in an adapter")))),
        Effect.exit
      )
      expect(Exit.hasDies(exit)).toBe(true)
      expect(events.at(-1)).toMatchObject({ _tag: "RunFailed", error: "Defect", message: "Error: a bug in an adapter" })
      const quits = kept()
      const gone = yield* Agent.run(agent, "Ask.").pipe(
        Effect.provideService(Journal, quits.journal),
        Effect.provide(modelOf(() => Effect.interrupt)),
        Effect.exit
      )
      expect(Exit.hasDies(gone)).toBe(true)
      expect(quits.events.at(-1)).toMatchObject({
        _tag: "RunFailed",
        message: "the model or the journal interrupted itself"
      })
    }).pipe(Effect.provide(Toolset.layer(echo))))

  scenario("Broken text from a model or a tool is mended", () =>
    Effect.gen(function*() {
      const run = yield* Agent.run(agent, "half \ud83d of a task").pipe(Effect.provide([
        Toolset.layer(echo, tool("breaks", () => Effect.succeed({ "\udc00key": "\ud800value" }))),
        ScriptedModel.layer([
          asks(
            1,
            call("echo", { text: "a\ud800b", "\udc00": 1 }, "id\ud800"),
            call("echo", { text: "a\ud800b" }),
            call("breaks", {})
          ),
          answers(1, "half an answer \udfff")
        ])
      ]))
      expectSendable(fold(run.events).transcript)
      expect(contents(run).slice(1)).toEqual(["a\ufffdb", "{\"\ufffdkey\":\"\ufffdvalue\"}"])
      expect(run.stop).toEqual({ _tag: "Answered", text: "half an answer \ufffd" })
    }))

  scenario("A task without words is still a task", () =>
    Effect.gen(function*() {
      const { seen } = yield* ScriptedModel.ScriptedModel
      const run = yield* Agent.run(agent, "  ")
      expect(yield* seen).toEqual([{ _tag: "Task", text: emptyTask }])
      expectSendable(fold(run.events).transcript)
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([answers(1, "You said nothing.")])])))

  scenario("Every event is recorded before the run goes on", () =>
    Effect.gen(function*() {
      const { events, journal } = kept()
      const atRun: Array<ReadonlyArray<string>> = []
      const looks = tool("looks", () =>
        Effect.andThen(TestClock.adjust("5 millis"), Effect.sync(() => atRun.push(tags(events)))))
      const run = yield* Agent.run(agent, "Look.", { runId: "run-1" }).pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([Toolset.layer(looks), ScriptedModel.layer([asks(1, call("looks", {})), answers(1, "Done.")])])
      )
      expect(run.runId).toBe("run-1")
      expect(events.map(({ at }) =>
        at
      )).toEqual([0, 0, 5, 5, 5])
      expect(atRun).toEqual([["RunStarted", "Replied"]])
      expect(events).toEqual(run.events)
      expect(tags(events)).toEqual(["RunStarted", "Replied", "ToolFinished", "Replied", "RunStopped"])
    }))

  // I5, and I4: a reply that could not be kept was billed
  scenario("Nothing goes on unrecorded", () =>
    Effect.gen(function*() {
      let ran = 0
      const counts = tool("counts", () => Effect.sync(() => ran = ran + 1))
      const journal = journalOf((runId, [event]) =>
        event?._tag === "Replied"
          ? Effect.fail(new JournalError({ runId, reason: "failed", message: "the disk is full" }))
          : Effect.void
      )
      const error = yield* Agent.run(agent, "Count.").pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([Toolset.layer(counts), ScriptedModel.layer([asks(1, call("counts", {}))])]),
        Effect.flip
      )
      expect((error as Agent.RunError).reason._tag).toBe("JournalError")
      expect((error as Agent.RunError).spent).toMatchObject({ turns: 1, usage: { output: 1 } })
      expect(tags((error as Agent.RunError).events)).toEqual(["RunStarted"])
      expect(ran).toBe(0)
    }))

  scenario("Events are recorded one at a time, and what is kept is told", () =>
    Effect.gen(function*() {
      const { events, journal } = kept()
      const last = yield* Deferred.make<void>()
      let writing = 0
      const slow = journalOf((runId, more, at) =>
        Effect.gen(function*() {
          writing = writing + 1
          expect([writing, at]).toEqual([1, events.length])
          yield* Effect.yieldNow
          if (more[0]?._tag === "ToolFinished") yield* Deferred.succeed(last, undefined)
          yield* Effect.yieldNow
          yield* journal.append(runId, more, at)
          writing = writing - 1
        })
      )
      const ends = tool("ends", () => Effect.andThen(Deferred.await(last), new Fatal({ message: "over." })))
      const error = yield* Agent.run(agent, "Go.").pipe(
        Effect.provideService(Journal, slow),
        Effect.provide([
          Toolset.layer(echo, ends),
          ScriptedModel.layer([asks(1, call("echo", { text: "a" }), call("echo", { text: "b" }), call("ends", {}))])
        ]),
        Effect.flip
      )
      expect((error as Agent.RunError).events).toEqual(events)
      expect(tags(events).at(-1)).toBe("RunFailed")
    }))

  scenario("A Fatal costs its siblings nothing that they had done", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const failed = yield* Deferred.make<void>()
      const journal = makeMemory()
      const slow: Journal = {
        claim: journal.claim,
        list: journal.list,
        read: journal.read,
        append: (runId, events, from) =>
          events[0]?._tag === "ToolFinished"
            ? Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(failed)).pipe(
              Effect.andThen(journal.append(runId, events, from))
            )
            : journal.append(runId, events, from)
      }
      let ran = 0
      const quick = tool("quick", () => Effect.sync(() => ran = ran + 1))
      const fatal = (mended: boolean) =>
        tool("fatal", () =>
          mended ? Effect.succeed("mended") : Effect.andThen(Deferred.await(begun), new Fatal({ message: "over." })))
      const script = [
        asks(1, call("quick", {}), call("quick", {}), call("quick", {}), call("fatal", {})),
        answers(1, "Done.")
      ]
      const running = yield* Agent.run(agent, "Go.", { runId: "r" }).pipe(
        Effect.provideService(Journal, slow),
        Effect.provide([Toolset.layer(quick, fatal(false)), ScriptedModel.layer(script)]),
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      // The fatal call has failed, and the results still wait to be written.
      for (let i = 0; i < 100; i++) {
        yield* Effect.yieldNow
      }
      yield* Deferred.succeed(failed, undefined)
      const error = yield* Effect.flip(Fiber.join(running))
      if (error._tag !== "RunError") {
        return expect(error).toBeUndefined()
      }
      expect(error.reason._tag).toBe("Fatal")
      expect(error.steps.map(({ place }) =>
        place.index
      )).toEqual([0, 1, 2])
      expect(tags(error.events)).toEqual([
        "RunStarted",
        "Replied",
        "ToolFinished",
        "ToolFinished",
        "ToolFinished",
        "RunFailed"
      ])
      const resumed = yield* Agent.resume("r").pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([Toolset.layer(quick, fatal(true)), ScriptedModel.layer(script.slice(1))])
      )
      expect([resumed.stop._tag, ran]).toEqual(["Answered", 3])
      expect(contents(resumed)).toEqual(["1", "2", "3", "mended"])
    }))

  scenario("A call that writes is recorded before it runs", () =>
    Effect.gen(function*() {
      const { events, journal } = kept()
      const atRun: Array<ReadonlyArray<string>> = []
      const writes = Tool.make("writes", {
        description: "Writes.",
        input: none,
        access: "writes",
        run: () => Effect.sync(() => void atRun.push(tags(events)))
      })
      yield* Agent.run(agent, "Write.").pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([Toolset.layer(writes), ScriptedModel.layer([asks(1, call("writes", {})), answers(1, "Done.")])])
      )
      expect(atRun).toEqual([["RunStarted", "Replied", "ToolStarted"]])
    }))

  scenario("An observer cannot break a run", () =>
    Effect.gen(function*() {
      const seen: Array<RunEvent> = []
      const observers = [
        { event: () => Effect.fail("no") },
        { event: () => Effect.die("dead") },
        {
          event: () => {
            throw new Error("thrown")
          }
        },
        { event: (event: RunEvent) => Effect.sync(() => void seen.push(event)) }
      ]
      const logged: Array<unknown> = []
      const run = yield* Effect.provideService(Agent.run(agent, "Hello?"), RunObserver, observers).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(message))]))
      )
      expect(run.stop._tag).toBe("Answered")
      expect(logged).toHaveLength(3)
      expect(seen).toEqual(run.events)
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([answers(1, "Hello.")])])))
})
