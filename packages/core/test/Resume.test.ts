import { it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import { Journal, layerMemory, makeMemory } from "../src/Journal.ts"
import { fold } from "../src/pure/Decider.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import { Unavailable } from "../src/pure/ToolFailure.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { expectSendable, limited, modelOf, tags } from "./fixtures.ts"

const { answers, asks, call, fails, ScriptedModel: Scripted } = ScriptedModel

const agent = limited({ maxTurns: 10 })

/** Tools that keep how often each of their calls ran, under its key. */
const counting = () => {
  const ran = new Map<string, number>()
  const count = Effect.gen(function*() {
    const identity = yield* Tool.CurrentCall
    const key = identity === undefined ? "none" : Tool.keyOf(identity)
    ran.set(key, (ran.get(key) ?? 0) + 1)
    return key
  })
  const make = (name: string, options: { readonly access?: Tool.Access; readonly idempotent?: boolean } = {}) =>
    Tool.make(name, {
      description: name,
      input: Schema.Struct({ n: Schema.optionalKey(Schema.Int) }),
      run: ({ n }) => n === 13 ? Effect.andThen(count, new Unavailable({ message: "unlucky" })) : count,
      ...options
    })
  const layer = Toolset.layer(
    make("reads"),
    make("writes", { access: "writes" }),
    make("puts", { access: "writes", idempotent: true })
  )
  return { ran, layer }
}

/** A journal that holds the first events of a run. */
const holding = (events: ReadonlyArray<RunEvent>) => makeMemory(new Map([["run", events]]))

/** A run to its end, with its journal. */
const play = Effect.fnUntraced(function*(script: ReadonlyArray<ScriptedModel.ScriptedReply>, limits = agent.limits) {
  const { layer, ran } = counting()
  const run = yield* Agent.run({ ...agent, limits }, "Go.", { runId: "run" }).pipe(
    Effect.provide([layer, ScriptedModel.layer(script)])
  )
  return { ran, run, at: (tag: RunEvent["_tag"], nth = 0) => cutAfter(run.events, tag, nth) }
})

/** The events up to and with the nth of a kind. */
const cutAfter = (events: ReadonlyArray<RunEvent>, tag: RunEvent["_tag"], nth: number) => {
  const found = events.flatMap((event, i) => event._tag === tag ? [i] : [])
  return events.slice(0, (found[nth] ?? -1) + 1)
}

/** Takes up what a journal holds, with the rest of a script. */
const resume = Effect.fnUntraced(function*(
  events: ReadonlyArray<RunEvent>,
  script: ReadonlyArray<ScriptedModel.ScriptedReply>,
  take: (id: string) => ReturnType<typeof Agent.resume> = Agent.resume
) {
  const { layer, ran } = counting()
  return yield* Effect.gen(function*() {
    const run = yield* Effect.provideService(take("run"), Journal, holding(events))
    const { requests } = yield* Scripted
    return { ran, run, requests: yield* requests }
  }).pipe(Effect.provide([layer, ScriptedModel.layer(script)]))
})

/** Takes up the run of a journal that stays. */
const resumeFrom = (journal: Journal) =>
  Agent.resume("run").pipe(
    Effect.provideService(Journal, journal),
    Effect.provide([counting().layer, ScriptedModel.layer([answers(2, "Done.")])])
  )

feature(new URL("../features/resume.feature", import.meta.url), (scenario) => {
  scenario("A run that has ended gives its outcome again, and asks nobody", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {})), answers(2, "Done.")])
      const again = yield* resume(whole.run.events, [])
      expect(again.run).toEqual(whole.run)
      expect([again.ran.size, again.requests.length]).toEqual([0, 0])
    }))

  scenario("What has a result never runs again, and a kept reply is not asked for again", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {}), call("reads", {})), answers(2, "Done.")])
      const { ran, requests, run } = yield* resume(whole.at("ToolFinished"), [answers(2, "Done.")])
      expect([...ran.keys()]).toEqual(["run/1/1"])
      expect(requests).toHaveLength(1)
      expect([run.stop, run.spent, run.steps]).toEqual([whole.run.stop, whole.run.spent, whole.run.steps])
      expect(tags(run.events.slice(3))).toEqual(["RunResumed", "ToolFinished", "Replied", "RunStopped"])
    }))

  scenario("A read that was cut off runs again under the same identity", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {})), asks(1, call("reads", {})), answers(2, "Done.")])
      const { run } = yield* resume(whole.at("Replied", 1), [answers(2, "Done.")])
      expect(run.steps.map(({ result }) => result.content)).toEqual(["run/1/0", "run/2/0"])
      expect(run.steps).toEqual(whole.run.steps)
    }))

  scenario("A write that was cut off is never repeated", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("writes", {}), call("reads", {})), answers(2, "Done.")])
      const { ran, run } = yield* resume(whole.at("ToolStarted"), [answers(2, "Done.")])
      expect([...ran.keys()]).toEqual(["run/1/1"])
      expect(run.steps[0]?.result).toMatchObject({
        isError: true,
        content:
          "unavailable: writes was cut off while it was at work, and may have taken effect. Find out before you repeat it."
      })
      expectSendable(fold(run.events).transcript)
      const twice = yield* resume(cutAfter(run.events, "RunResumed", 0), [answers(2, "Done.")])
      expect(twice.run.steps[0]).toEqual(run.steps[0])
    }))

  scenario("An idempotent write that was cut off runs again", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("puts", {})), answers(2, "Done.")])
      const { ran, run } = yield* resume(whole.at("ToolStarted"), [answers(2, "Done.")])
      expect([...ran.keys()]).toEqual(["run/1/0"])
      expect(run.steps).toEqual(whole.run.steps)
    }))

  scenario("A run stopped by a limit goes on under a higher one", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {}))], { maxTurns: 1 })
      expect(whole.run.stop).toEqual({ _tag: "OutOfTurns" })
      const same = yield* resume(whole.run.events, [])
      expect(same.run).toEqual(whole.run)
      const higher = yield* resume(whole.run.events, [answers(2, "Done.")], (id) =>
        Agent.resume(id, { limits: { maxTurns: 2 } }))
      expect(higher.run.stop).toEqual({ _tag: "Answered", text: "Done." })
      expect([...higher.ran.keys()]).toEqual(["run/1/0"])
      expect(higher.run.spent.turns).toBe(2)
    }))

  scenario("A run that failed or was interrupted goes on", () =>
    Effect.gen(function*() {
      const failed = yield* Effect.flip(play([asks(1, call("reads", {})), fails("connection")]))
      if (failed._tag !== "RunError") throw failed
      expect(tags(failed.events).at(-1)).toBe("RunFailed")
      const mended = yield* resume(failed.events, [answers(2, "Done.")])
      expect(mended.run.stop._tag).toBe("Answered")
      expect(mended.ran.size).toBe(0)

      const begun = yield* Deferred.make<void>()
      const journal = makeMemory()
      const waiting = modelOf(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const fiber = yield* Agent.run(agent, "Go.", { runId: "run" }).pipe(
        Effect.provide([Toolset.layer(), waiting]),
        Effect.provideService(Journal, journal),
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      const { run } = yield* resume(yield* journal.read("run"), [answers(2, "Done.")])
      expect(run.stop._tag).toBe("Answered")
    }))

  scenario("A further message follows in the same conversation", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {})), answers(2, "Done.")], { maxTurns: 2 })
      const { requests, run } = yield* resume(
        whole.run.events,
        [asks(1, call("reads", {})), answers(4, "Again.")],
        (id) => Agent.continue(id, "And then?")
      )
      expect(run.stop).toEqual({ _tag: "Answered", text: "Again." })
      expect(run.spent.turns).toBe(4)
      expect(run.steps.map(({ place }) => place.turn)).toEqual([1, 3])
      expect(requests[0]?.transcript.map(({ _tag }) => _tag)).toEqual([
        "Task",
        "ToolCalls",
        "Results",
        "Answer",
        "Task"
      ])
      const over = yield* resume(
        whole.run.events,
        [asks(1, call("reads", {}))],
        (id) => Agent.continue(id, "And then?", { limits: { maxTurns: 1 } })
      )
      expect(over.run.stop).toEqual({ _tag: "OutOfTurns" })
    }))

  scenario("A further message closes the calls that were left open", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {}), call("writes", {}))], { maxTurns: 1 })
      const { ran, requests, run } = yield* resume(whole.run.events, [answers(2, "Fine.")], (id) =>
        Agent.continue(id, "Never mind."))
      expect(ran.size).toBe(0)
      expect(run.steps.map(({ result }) => [result.content, result.notRun])).toEqual([
        ["unavailable: reads did not run: the run stopped before it.", "limit"],
        ["unavailable: writes did not run: the run stopped before it.", "limit"]
      ])
      expect(
        requests[0]?.transcript.map(({ _tag }) =>
          _tag
        )
      ).toEqual(["Task", "ToolCalls", "Results", "Task"])
      expectSendable(fold(run.events).transcript)

      const cutOff = yield* play([asks(1, call("writes", {}), call("reads", {})), answers(2, "Done.")])
      const afterwards = yield* resume(cutOff.at("ToolStarted"), [answers(2, "Fine.")], (id) =>
        Agent.continue(id, "Never mind."))
      expect(afterwards.ran.size).toBe(0)
      expect(afterwards.run.steps.map(({ result }) =>
        result.content
      )).toEqual([
        "unavailable: writes was cut off while it was at work, and may have taken effect. Find out before you repeat it.",
        "unavailable: reads did not run: the run stopped before it."
      ])
    }))

  scenario("A run that is not there is told", () =>
    Effect.gen(function*() {
      for (const take of [Agent.resume("gone"), Agent.continue("gone", "Hello?")]) {
        const error = yield* Effect.flip(take)
        expect(error.reason).toMatchObject({ _tag: "JournalError", reason: "notFound" })
        expect(error.message).toBe("the journal has no run gone.")
      }
    }).pipe(Effect.provide([Toolset.layer(), ScriptedModel.layer([])])))

  scenario("What is no run, or another's, is not taken up", () =>
    Effect.gen(function*() {
      const { run } = yield* play([answers(2, "Done.")])
      for (const events of [run.events.slice(1), [{ ...run.events[0]!, runId: "first" }, ...run.events.slice(1)]]) {
        const error = yield* Effect.flip(resume(events, []))
        expect(error).toMatchObject({ reason: { reason: "damaged" } })
        expect(error.message).toContain("line 1 of the run run is not its beginning")
      }
    }))

  scenario("Two cannot write one run", () =>
    Effect.gen(function*() {
      const whole = yield* play([asks(1, call("reads", {})), answers(2, "Done.")])
      const memory = holding(whole.at("ToolFinished"))
      const bothRead = yield* Deferred.make<void>()
      let readers = 0
      const journal: Journal = {
        append: memory.append,
        list: memory.list,
        claim: () => Effect.void,
        read: (id) =>
          Effect.gen(function*() {
            const events = yield* memory.read(id)
            readers = readers + 1
            if (readers === 2) yield* Deferred.succeed(bothRead, undefined)
            yield* Deferred.await(bothRead)
            return events
          })
      }
      const both = yield* Effect.all([Effect.exit(Agent.resume("run")), Effect.exit(Agent.resume("run"))], {
        concurrency: 2
      }).pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([counting().layer, ScriptedModel.layer([answers(2, "Done."), answers(2, "Done.")])])
      )
      expect(both.filter(Exit.isSuccess)).toHaveLength(1)
      const [lost] = both.filter(Exit.isFailure)
      expect(yield* Effect.flip(lost!)).toMatchObject({ reason: { _tag: "JournalError", reason: "conflict" } })
      const live = holding(whole.at("ToolFinished"))
      const claimed = yield* Effect.scoped(Effect.andThen(live.claim("run"), Effect.exit(resumeFrom(live))))
      expect(yield* Effect.flip(claimed)).toMatchObject({ reason: { reason: "conflict" } })
      expect((yield* resumeFrom(live)).stop._tag).toBe("Answered")
      expect(tags(yield* memory.read("run"))).toEqual([
        ...tags(whole.at("ToolFinished")),
        "RunResumed",
        "Replied",
        "RunStopped"
      ])
    }))
})

/** What a generated model asks for in one reply. */
const Round = Schema.NonEmptyArray(
  Schema.Struct({ name: Schema.Literals(["reads", "writes", "puts", "none"]), n: Schema.Literals([1, 13]) })
)

it.effect.prop(
  "a run cut off after any event and taken up again ends as the uncut run does, and nothing runs or is bought twice (I6)",
  [Schema.Array(Round)],
  ([rounds]) =>
    Effect.gen(function*() {
      const script: ReadonlyArray<ScriptedModel.ScriptedReply> = [
        ...rounds.map((calls, turn) =>
          asks(3, ...calls.map(({ n, name }, i) => call(name, { n }, `${turn}_${i}`)) as [ScriptedModel.ScriptedCall])
        ),
        answers(5, "Done.")
      ]
      const { ran: ranWhole, run: whole } = yield* play(script, { maxTurns: 100 })
      for (const cut of whole.events.keys()) {
        const kept = whole.events.slice(0, cut + 1)
        const replied = kept.filter(({ _tag }) => _tag === "Replied").length
        const { ran, requests, run } = yield* resume(kept, script.slice(replied))
        const done = new Set(fold(kept).open.flatMap(({ result }, index) => result === undefined ? [] : [index]))
        const unknown = fold(kept).open.flatMap(({ result, started }, index) =>
          started && result === undefined ? [index] : []
        )
        expect([run.stop, run.spent]).toEqual([whole.stop, whole.spent])
        expect(requests).toHaveLength(script.length - replied)
        for (const [i, step] of run.steps.entries()) {
          const { index, turn } = step.place
          const key = `run/${turn}/${index}`
          const lost = turn === replied && unknown.includes(index)
          if (lost) expect(step.result.content).toContain("may have taken effect")
          else expect(step).toEqual(whole.steps[i])
          const finished = turn < replied ||
            (turn === replied && (done.has(index) || lost || kept.at(-1)?._tag === "RunStopped"))
          const open = turn === replied && fold(kept).open.length > 0
          const runs = ranWhole.has(key) && !lost && (turn > replied || (open && !finished)) ? 1 : 0
          expect([key, ran.get(key) ?? 0]).toEqual([key, runs])
        }
        expect(run.steps).toHaveLength(whole.steps.length)
        expectSendable(fold(run.events).transcript)
      }
    }),
  { arbitrary: { runs: 40, size: 12 }, timeout: 60_000 }
)

it.effect("the memory journal lasts as long as its Layer, and lists the newest run first", () =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const model = modelOf(() =>
      Effect.succeed({ _tag: "Answer", text: "Hi.", usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 } })
    )
    for (const runId of ["a", "b"]) {
      yield* Agent.run(agent, "Hello?", { runId }).pipe(Effect.provide(Layer.merge(Toolset.layer(), model)))
    }
    expect(yield* journal.list).toEqual(["b", "a"])
    expect(tags(yield* journal.read("a"))).toEqual(["RunStarted", "Replied", "RunStopped"])
  }).pipe(Effect.provide(layerMemory)))
