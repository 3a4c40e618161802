import { it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import * as Approvals from "../src/Approvals.ts"
import { Journal, makeMemory } from "../src/Journal.ts"
import * as Approval from "../src/pure/Approval.ts"
import { fold } from "../src/pure/Decider.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import type { Stop } from "../src/pure/Stop.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { expectSendable, limited, tags } from "./fixtures.ts"

const { answers, asks, call, ScriptedModel: Scripted } = ScriptedModel

const agent = limited({ maxTurns: 10 })

/** A look that needs nobody, and payments that need someone when they are large. Keeps what ran. */
const shop = () => {
  const ran: Array<string> = []
  const pay = (name: string, options: Pick<Tool.Options<Payment, string, never>, "approval" | "access">) =>
    Tool.make(name, {
      description: name,
      input: Payment,
      run: ({ amount, to }) => Effect.sync(() => ran[ran.push(`${name} ${to} ${amount}`) - 1] ?? ""),
      ...options
    })
  const layer = Toolset.layer(
    pay("look", {}),
    pay("pay", { access: "writes", approval: ({ amount }) => amount > 10 && `${amount} is more than 10` }),
    pay("sign", { access: "writes", approval: "always" }),
    pay("peek", { approval: "always" })
  )
  return { ran, layer }
}

const Payment = Schema.Struct({ to: Schema.String, amount: Schema.Int, memo: Schema.optionalKey(Schema.String) })
type Payment = typeof Payment.Type

const payment = (to: string, amount: number) => ({ to, amount })

/** A process: its own model and tools over a journal that outlives it. */
const process = <A, E>(
  journal: Journal,
  script: ReadonlyArray<ScriptedModel.ScriptedReply>,
  play: Effect.Effect<A, E, Layers>
) => {
  const { layer, ran } = shop()
  return Effect.gen(function*() {
    const value = yield* Effect.provideService(play, Journal, journal)
    const { requests } = yield* Scripted
    return { value, ran, requests: yield* requests }
  }).pipe(Effect.provide([layer, ScriptedModel.layer(script)]))
}

type Layers = Effect.Services<ReturnType<typeof Agent.run>>

const start = (journal: Journal, ...script: ReadonlyArray<ScriptedModel.ScriptedReply>) =>
  process(journal, script, Agent.run(agent, "Go.", { runId: "run" }))

const takeUp = (journal: Journal, ...script: ReadonlyArray<ScriptedModel.ScriptedReply>) =>
  process(journal, script, Agent.resume("run"))

/** What of a run waits. */
const waiting = (stop: Stop) => stop._tag === "AwaitingApproval" ? stop.pending : []

const approved = (one: Approval.Bound, input?: Payment) =>
  Approval.answer(one, "anna", { _tag: "Approved", ...(input === undefined ? {} : { input }) })

const denied = (one: Approval.Bound, reason: string) => Approval.answer(one, "ben", { _tag: "Denied", reason })

const say = (journal: Journal, ...given: ReadonlyArray<Approval.Answer>) =>
  Effect.provideService(Agent.answer("run", given), Journal, journal)

const read = (journal: Journal) => Effect.map(journal.read("run"), (events) => ({ events, state: fold(events) }))

const results = (events: ReadonlyArray<RunEvent>) =>
  fold(events).transcript.flatMap((message) => message._tag === "Results" ? message.results : [])

/** A run that waits for these calls, in a journal of its own. */
const waits = Effect.fnUntraced(function*(...calls: Parameters<typeof asks> extends [number, ...infer C] ? C : never) {
  const journal = makeMemory()
  const { ran, value } = yield* start(journal, asks(1, ...calls))
  const [first, second, third] = waiting(value.stop)
  expect(first).toBeDefined()
  return { journal, ran, first, second: second!, third: third! }
})

feature(new URL("../features/approvals.feature", import.meta.url), (scenario) => {
  scenario(
    "Calls that need nobody run at once, and the others wait with their input and why",
    () =>
      Effect.gen(function*() {
        const journal = makeMemory()
        const { ran, requests, value } = yield* start(
          journal,
          asks(
            1,
            call("pay", { amount: 99, to: "a", memo: null }),
            call("look", payment("b", 99)),
            call("pay", payment("c", 9)),
            call("sign", payment("d", 1))
          )
        )
        expect(value.stop).toEqual({
          _tag: "AwaitingApproval",
          pending: [
            {
              runId: "run",
              place: { turn: 1, index: 0 },
              tool: "pay",
              input: payment("a", 99),
              why: "99 is more than 10"
            },
            {
              runId: "run",
              place: { turn: 1, index: 3 },
              tool: "sign",
              input: payment("d", 1),
              why: "sign runs only with a person's yes."
            }
          ]
        })
        expect(ran.toSorted()).toEqual(["look b 99", "pay c 9"])
        expect(requests.length).toBe(1)
        expectSendable(fold(value.events).transcript, true)
      })
  )

  scenario("A predicate that fails, dies or never ends asks a person", () =>
    Effect.gen(function*() {
      const predicates: Record<string, Tool.Options<Payment, string, never>["approval"] & object> = {
        fails: () => Effect.fail("no answer"),
        dies: () => Effect.die(new Error("broken")),
        throws: () => {
          throw new Error("broken")
        },
        hangs: () => Effect.never,
        interrupts: () => Effect.interrupt,
        asks: () => Effect.succeed(true)
      }
      const ran: Array<string> = []
      const tools = Object.entries(predicates).map(([name, approval]) =>
        Tool.make(name, {
          description: name,
          input: Payment,
          approval,
          timeLimit: 1000,
          run: () => Effect.sync(() => ran.push(name))
        })
      )
      const names = Object.keys(predicates)
      const [first = "", ...rest] = names
      const running = yield* Effect.forkChild(
        Agent.run(agent, "Go.").pipe(Effect.provide([
          Toolset.layer(...tools),
          ScriptedModel.layer([
            asks(1, call(first, payment("a", 1)), ...rest.map((name) => call(name, payment("a", 1))))
          ])
        ]))
      )
      yield* TestClock.adjust(1000)
      const { stop } = yield* Fiber.join(running)
      expect(waiting(stop).map(({ tool }) => tool)).toEqual(names)
      expect(waiting(stop).map(({ input }) => input)).toEqual(names.map(() => payment("a", 1)))
      expect(ran).toEqual([])
    }))

  scenario("Input that does not decode asks nobody", () =>
    Effect.gen(function*() {
      const { ran, value } = yield* start(makeMemory(), asks(1, call("sign", { to: 1 })), answers(1, "Sorry."))
      expect(value.stop).toEqual({ _tag: "Answered", text: "Sorry." })
      expect(results(value.events)).toMatchObject([{ isError: true, notRun: "badInput" }])
      expect(ran).toEqual([])
    }))

  scenario(
    "A run that waits survives a change of process, and the model is not asked until the last answer",
    () =>
      Effect.gen(function*() {
        const { first, journal, second } = yield* waits(call("pay", payment("a", 11)), call("sign", payment("b", 1)))
        const before = (yield* read(journal)).state
        expect(yield* say(journal, approved(first))).toEqual([second])
        const still = yield* takeUp(journal)
        expect(still.value.stop).toEqual({ _tag: "AwaitingApproval", pending: [second] })
        expect([still.requests, still.ran]).toEqual([[], []])
        expect(yield* say(journal, approved(second))).toEqual([])
        expect((yield* read(journal)).state.spent).toEqual(before.spent)
        const { ran, requests, value } = yield* takeUp(journal, answers(1, "Done."))
        expect(value.stop).toEqual({ _tag: "Answered", text: "Done." })
        expect(ran.toSorted()).toEqual(["pay a 11", "sign b 1"])
        expect(requests.length).toBe(1)
        expectSendable(fold(value.events).transcript)
      })
  )

  scenario("Answers come in any order, and results go back in the order of the calls", () =>
    Effect.gen(function*() {
      const { first, journal, second, third } = yield* waits(
        call("sign", payment("a", 1)),
        call("sign", payment("b", 2)),
        call("sign", payment("c", 3))
      )
      yield* say(journal, approved(third))
      yield* say(journal, denied(second, "not b"), approved(first))
      const { value } = yield* takeUp(journal, answers(1, "Done."))
      expect(results(value.events).map(({ content }) => content)).toEqual(["sign a 1", "denied: not b", "sign c 3"])
      const said = value.events.flatMap((event) =>
        event._tag === "ApprovalAnswered" ? [[event.by, event.place.index, event.verdict._tag]] : []
      )
      expect(said).toEqual([["anna", 2, "Approved"], ["ben", 1, "Denied"], ["anna", 0, "Approved"]])
    }))

  scenario("A call that is denied does not run, and the model reads why", () =>
    Effect.gen(function*() {
      const { first, journal } = yield* waits(call("sign", payment("a", 1)))
      expect(yield* say(journal, denied(first, "too \ud800 late"))).toEqual([])
      const { ran, requests, value } = yield* takeUp(journal, answers(1, "A pity."))
      expect(ran).toEqual([])
      expect(requests[0]?.transcript.at(-1)).toEqual({
        _tag: "Results",
        results: [{ callId: "c1", content: "denied: too \ufffd late", isError: true, notRun: "denied" }]
      })
      expectSendable(fold(value.events).transcript)
    }))

  scenario("An approved call may run with another input, which is decoded again", () =>
    Effect.gen(function*() {
      const { first, journal, second } = yield* waits(call("sign", payment("a", 1)), call("sign", payment("b", 2)))
      yield* say(journal, approved(first, payment("a", 7)))
      yield* say(journal, Approval.answer(second, "anna", { _tag: "Approved", input: { to: "b", amount: "much" } }))
      const { ran, value } = yield* takeUp(journal, answers(1, "Done."))
      expect(ran).toEqual(["sign a 7"])
      expect(results(value.events)).toMatchObject([{ content: "sign a 7" }, { isError: true, notRun: "badInput" }])
    }))

  scenario("An answer that fits nothing is refused, and none of those with it is taken", () =>
    Effect.gen(function*() {
      const { first, journal, second } = yield* waits(call("sign", payment("a", 1)), call("sign", payment("b", 2)))
      const refused = (...given: ReadonlyArray<Approval.Answer>) =>
        Effect.gen(function*() {
          const before = (yield* read(journal)).events
          const error = yield* Effect.flip(say(journal, ...given))
          expect((yield* read(journal)).events).toEqual(before)
          expect(error).toBeInstanceOf(Approval.ApprovalError)
          expect(error.message).toMatch(/\S/)
          return error._tag === "ApprovalError" ? error.reason : error._tag
        })
      expect(yield* refused(approved({ ...first, place: { turn: 1, index: 2 } }))).toBe("unknownCall")
      expect(yield* refused(approved({ ...first, place: { turn: 2, index: 0 } }))).toBe("unknownCall")
      expect(yield* refused(approved({ ...first, input: payment("a", 2) }))).toBe("otherInput")
      expect(yield* refused(approved(first), approved({ ...second, runId: "another" }))).toBe("otherRun")
      expect(yield* refused(approved(first), denied(first, "no"))).toBe("answered")
      yield* say(journal, approved(first))
      expect(yield* refused(denied(first, "no"))).toBe("answered")
      expect(yield* refused(approved(first, payment("a", 2)))).toBe("answered")
      expect(yield* refused(approved({ ...first, input: payment("c", 1) }))).toBe("answered")
      yield* say(journal, approved(second))
      const { ran } = yield* takeUp(journal, answers(1, "Done."))
      expect(ran.toSorted()).toEqual(["sign a 1", "sign b 2"])
      expect(yield* refused(denied(first, "no"))).toBe("answered")
    }))

  scenario("The same answer again changes nothing", () =>
    Effect.gen(function*() {
      const { first, journal } = yield* waits(call("sign", payment("a", 1)))
      yield* say(journal, approved(first), approved({ ...first, input: { amount: 1, to: "a" } }))
      const once = (yield* read(journal)).events
      expect(once.filter(({ _tag }) => _tag === "ApprovalAnswered").length).toBe(1)
      expect(yield* say(journal, approved(first))).toEqual([])
      yield* takeUp(journal, answers(1, "Done."))
      const done = (yield* read(journal)).events
      yield* say(journal, approved(first))
      expect((yield* read(journal)).events).toEqual(done)
    }))

  scenario("A Layer can answer at once", () =>
    Effect.gen(function*() {
      const under = (layer: typeof Approvals.suspend) =>
        start(makeMemory(), asks(1, call("sign", payment("a", 1)), call("look", payment("b", 1))), answers(1, "Done."))
          .pipe(Effect.provide(layer))
      const all = yield* under(Approvals.allowAll)
      expect(all.value.stop._tag).toBe("Answered")
      expect(all.ran.toSorted()).toEqual(["look b 1", "sign a 1"])
      const none = yield* under(Approvals.denyAll("not today"))
      expect(none.ran).toEqual(["look b 1"])
      expect(results(none.value.events)[0]).toMatchObject({ content: "denied: not today", notRun: "denied" })
      const seen: Array<Approval.Pending> = []
      const some = yield* under(Approvals.layer((pending) =>
        Effect.sync(() => {
          seen.push(pending)
          return { by: "anna", verdict: { _tag: "Approved", input: payment("z", 3) } }
        })
      ))
      expect(some.ran.toSorted()).toEqual(["look b 1", "sign z 3"])
      expect(seen).toMatchObject([{ tool: "sign", input: payment("a", 1) }])
      expect(tags(some.value.events).filter((tag) => tag.startsWith("Approval"))).toEqual([
        "ApprovalAsked",
        "ApprovalAnswered"
      ])
    }))

  scenario("What fails, dies or is interrupted while a person is asked is never a yes", () =>
    Effect.gen(function*() {
      const under = Effect.fnUntraced(function*(ask: Approvals.Approvals["ask"]) {
        const journal = makeMemory()
        const { ran, value } = yield* start(journal, asks(1, call("sign", payment("a", 1)))).pipe(
          Effect.provide(Approvals.layer(ask))
        )
        expect([ran, value.stop._tag]).toEqual([[], "AwaitingApproval"])
      })
      yield* under(() => Effect.fail("hung up"))
      yield* under(() => Effect.die(new Error("broken")))
      yield* under(() => {
        throw new Error("broken")
      })
      yield* under(() => Effect.interrupt)

      const asked = yield* Deferred.make<void>()
      const journal = makeMemory()
      const fiber = yield* start(journal, asks(1, call("sign", payment("a", 1)))).pipe(
        Effect.provide(Approvals.layer(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))),
        Effect.forkChild
      )
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      expect(tags((yield* read(journal)).events).slice(-2)).toEqual(["ApprovalAsked", "RunInterrupted"])
      const again = yield* takeUp(journal)
      expect([again.ran, again.value.stop._tag]).toEqual([[], "AwaitingApproval"])
    }))

  scenario("The time that a person takes is not counted", () =>
    Effect.gen(function*() {
      const hour = (said: Approvals.Said | undefined) =>
        Effect.gen(function*() {
          const asked = yield* Deferred.make<void>()
          const journal = makeMemory()
          const fiber = yield* start(journal, asks(1, call("sign", payment("a", 1))), answers(1, "Done.")).pipe(
            Effect.provide(
              Approvals.layer(() =>
                Deferred.succeed(asked, undefined).pipe(Effect.andThen(Effect.sleep("1 hour")), Effect.as(said))
              )
            ),
            Effect.forkChild
          )
          yield* Deferred.await(asked)
          return { fiber, journal }
        })
      for (const said of [undefined, { by: "anna", verdict: { _tag: "Approved" } }] as const) {
        const { fiber } = yield* hour(said)
        yield* TestClock.adjust("1 hour")
        expect((yield* Fiber.join(fiber)).value.spent.elapsed).toBe(0)
      }
      const { fiber, journal } = yield* hour(undefined)
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.interrupt(fiber)
      expect((yield* read(journal)).state.spent.elapsed).toBe(0)
    }))

  scenario("What was approved never begins twice", () =>
    Effect.gen(function*() {
      for (const tool of ["sign", "peek"]) {
        const { first, journal } = yield* waits(call(tool, payment("a", 1)))
        yield* say(journal, approved(first))
        const whole = yield* takeUp(journal, answers(1, "Done."))
        const { events } = whole.value
        expect(whole.ran).toEqual([`${tool} a 1`])
        const begun = events.slice(0, tags(events).indexOf("ToolStarted") + 1)
        const { ran, value } = yield* takeUp(makeMemory(new Map([["run", begun]])), answers(1, "I do not know."))
        expect(ran).toEqual([])
        expect(results(value.events)[0]?.content).toMatch(/may have taken effect/)
      }
    }))

  scenario("A further message closes what nobody approved", () =>
    Effect.gen(function*() {
      const { first, journal } = yield* waits(
        call("sign", payment("a", 1)),
        call("sign", payment("b", 2)),
        call("look", payment("c", 3))
      )
      yield* say(journal, denied(first, "no"))
      const { ran, value } = yield* process(journal, [answers(1, "Well.")], Agent.continue("run", "Forget it."))
      expect(ran).toEqual([])
      expect(results(value.events)).toMatchObject([
        { content: "denied: no", notRun: "denied" },
        { content: expect.stringMatching(/^denied: sign did not run: nobody approved it/), notRun: "denied" },
        { content: "look c 3" }
      ])
      expectSendable(fold(value.events).transcript)
      expect(yield* Effect.flip(say(journal, approved(first)))).toMatchObject({ reason: "answered" })
    }))

  scenario("A person reads the answer before it is one", () =>
    Effect.gen(function*() {
      const writer = Agent.make("writer", { instructions: "Write.", approveAnswer: true })
      const drafted = Effect.gen(function*() {
        const journal = makeMemory()
        const { value } = yield* process(journal, [answers(1, "Dear you")], Agent.run(writer, "Go.", { runId: "run" }))
        const [draft] = waiting(value.stop)
        return { journal, draft }
      })
      const asIs = yield* drafted
      expect(asIs.draft).toMatchObject({ runId: "run", place: { turn: 1, index: 0 }, input: "Dear you" })
      expect(asIs.draft.tool).toBeUndefined()
      yield* say(asIs.journal, approved(asIs.draft))
      expect((yield* takeUp(asIs.journal)).value.stop).toEqual({ _tag: "Answered", text: "Dear you" })

      const edited = yield* drafted
      const edit = (input: string | number) =>
        say(edited.journal, Approval.answer(edited.draft, "anna", { _tag: "Approved", input }))
      expect(yield* Effect.flip(edit(" "))).toMatchObject({ reason: "badEdit" })
      expect(yield* Effect.flip(edit(4))).toMatchObject({ reason: "badEdit" })
      yield* edit("Dear Ms You")
      const after = (yield* takeUp(edited.journal)).value
      expect(after.stop).toEqual({ _tag: "Answered", text: "Dear Ms You" })
      expect(fold(after.events).transcript.at(-1)).toMatchObject({ _tag: "Answer", text: "Dear Ms You" })

      const not = yield* drafted
      yield* say(not.journal, denied(not.draft, "too short"))
      const second = yield* takeUp(not.journal, answers(1, "Dear all"))
      expect(second.requests[0]?.transcript.at(-1)).toEqual({ _tag: "Task", text: "denied: too short" })
      expect(waiting(second.value.stop)).toMatchObject([{ place: { turn: 2, index: 0 }, input: "Dear all" }])
      expectSendable(fold(second.value.events).transcript)
    }))

  scenario("The words of a last turn at a limit ask nobody", () =>
    Effect.gen(function*() {
      const writer = Agent.make("writer", {
        instructions: "Write.",
        approveAnswer: true,
        limits: { maxTurns: 1, finalAnswer: true }
      })
      const { value } = yield* process(
        makeMemory(),
        [asks(1, call("look", payment("a", 1))), answers(1, "No time.")],
        Agent.run(writer, "Go.")
      )
      expect(value.stop).toEqual({ _tag: "OutOfTurns", text: "No time." })
    }))

  scenario("A draft in a conversation that goes on is dropped", () =>
    Effect.gen(function*() {
      const writer = Agent.make("writer", { instructions: "Write.", approveAnswer: true })
      const journal = makeMemory()
      const first = yield* process(journal, [answers(1, "One")], Agent.run(writer, "Go.", { runId: "run" }))
      const second = yield* process(journal, [answers(1, "Two")], Agent.continue("run", "Another."))
      expect(waiting(second.value.stop)).toMatchObject([{ place: { turn: 2, index: 0 }, input: "Two" }])
      const [draft] = waiting(first.value.stop)
      expect(yield* Effect.flip(say(journal, approved(draft)))).toMatchObject({ reason: "unknownCall" })
      expectSendable(fold(second.value.events).transcript)
    }))

  scenario("Cut anywhere and taken up, a run with a person in it comes to the same end", () =>
    Effect.gen(function*() {
      const script = [
        asks(
          1,
          call("sign", payment("a", 1), "a"),
          call("look", payment("b", 2), "b"),
          call("pay", payment("c", 30), "c"),
          call("sign", { to: 1 }, "d")
        ),
        asks(1, call("peek", payment("d", 4), "a"), call("pay", payment("e", 5), "b")),
        answers(1, "Done.")
      ]
      const person = Approvals.layer(({ place }) =>
        Effect.succeed({
          by: "anna",
          verdict: place.index === 2
            ? { _tag: "Denied", reason: "too much" }
            : place.turn === 2
            ? { _tag: "Approved", input: payment("z", 9) }
            : { _tag: "Approved" }
        })
      )
      const whole = yield* start(makeMemory(), ...script).pipe(Effect.provide(person))
      const { events, stop } = whole.value
      const conversation = fold(events).transcript
      let cutWhileAtWork = 0
      for (let at = 1; at < events.length; at++) {
        const kept = events.slice(0, at)
        const journal = makeMemory(new Map([["run", kept]]))
        const rest = script.slice(kept.filter(({ _tag }) => _tag === "Replied").length)
        const cut = yield* takeUp(journal, ...rest).pipe(Effect.provide(person))
        expect(cut.value.stop).toEqual(stop)
        const ran = [...ranIn(kept), ...cut.ran]
        expect(new Set(ran).size).toBe(ran.length)
        const open = fold(kept).open.filter(({ result, started }) => started && result === undefined)
        cutWhileAtWork += open.length
        if (open.length === 0) expect(fold(cut.value.events).transcript).toEqual(conversation)
        expectSendable(fold(cut.value.events).transcript)
        expectOneYesEach(cut.value.events)
      }
      expect(cutWhileAtWork).toBeGreaterThan(0)
    }))
})

/** The gated calls of these events that ran to their end. */
const ranIn = (events: ReadonlyArray<RunEvent>): ReadonlyArray<string> =>
  events.flatMap((event) =>
    event._tag === "ToolFinished" && !event.result.isError && typeof event.result.content === "string" &&
      !event.result.content.startsWith("look")
      ? [event.result.content]
      : []
  )

/** Every call that waited and ran has just one answer before it began, and it was a yes. */
const expectOneYesEach = (events: ReadonlyArray<RunEvent>): void => {
  const isIn = (event: RunEvent, tag: RunEvent["_tag"], place: Approval.Bound["place"]) =>
    event._tag === tag && "place" in event && event.place.turn === place.turn && event.place.index === place.index
  events.forEach((event, i) => {
    if (event._tag !== "ToolStarted") return
    const before = events.slice(0, i)
    if (!before.some((one) => isIn(one, "ApprovalAsked", event.place))) return
    const said = before.flatMap((one) =>
      one._tag === "ApprovalAnswered" && isIn(one, "ApprovalAnswered", event.place) ? [one.verdict._tag] : []
    )
    expect(said).toEqual(["Approved"])
  })
}

it("an answer is of the input whatever the order of its keys, and of no other", () => {
  const bound = { runId: "r", place: { turn: 1, index: 0 }, input: { a: 1, b: 2 } }
  expect(Approval.isSame(bound, { ...bound, input: { b: 2, a: 1 } })).toBe(true)
  expect(Approval.isSame(bound, { ...bound, input: { a: 1, b: 3 } })).toBe(false)
})
