import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import * as Approvals from "../src/Approvals.ts"
import { Journal, makeMemory } from "../src/Journal.ts"
import { Model, type ModelRequest } from "../src/Model.ts"
import * as ModelPolicy from "../src/ModelPolicy.ts"
import * as Approval from "../src/pure/Approval.ts"
import { fold } from "../src/pure/Decider.ts"
import { InvalidPermits } from "../src/pure/Limits.ts"
import type { ModelReply } from "../src/pure/Reply.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import type { Stop } from "../src/pure/Stop.ts"
import type { ToolResult } from "../src/pure/ToolCall.ts"
import { Fatal } from "../src/pure/ToolFailure.ts"
import * as Usage from "../src/pure/Usage.ts"
import { RunObserver } from "../src/RunObserver.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, expectSendable, tags } from "./fixtures.ts"

const { answers, asks, call, fails, stops } = ScriptedModel

/** An agent's script: what it replies, turn by turn, to each task. */
type Script = { readonly [task: string]: ReadonlyArray<ScriptedModel.ScriptedReply> }

/** One model for a whole tree: it knows an agent by its task, and its turn by what it said before. Keeps the requests. */
const treeModel = (script: Script) => {
  const requests: Array<ModelRequest> = []
  const layer = Layer.succeed(
    Model,
    Model.of({
      reply: (request) =>
        Effect.suspend((): Effect.Effect<ModelReply, ScriptedModel.ScriptedReply & { readonly _tag: "ModelError" }> => {
          requests.push(request)
          const [task] = request.transcript
          const turn = request.transcript.filter(({ _tag }) => _tag !== "Task" && _tag !== "Results").length
          const reply = task?._tag === "Task" ? script[task.text]?.[turn] : undefined
          if (reply === undefined) return Effect.die(new Error(`no reply for ${JSON.stringify(task)} at ${turn}`))
          if (reply._tag === "ModelError") return Effect.fail(reply)
          if (reply._tag !== "ToolCalls") return Effect.succeed(reply)
          const [first, ...rest] = reply.calls.map((one, i) => ({ id: `c${turn}${i}`, ...one }))
          return Effect.succeed({ ...reply, calls: [first!, ...rest] })
        })
    })
  )
  return { layer, requests }
}

const boss = Agent.make("boss", { instructions: "Lead.", limits: { maxTurns: 5 } })
const helper = Agent.make("helper", { instructions: "Help.", limits: { maxTurns: 5 } })
const intern = Agent.make("intern", { instructions: "Learn.", limits: { maxTurns: 5 } })

const asTool = <E, R>(agent: Agent.Agent, tools: Layer.Layer<Toolset.Toolset, E, R>) =>
  Agent.asTool(agent, { description: agent.name, tools })

/** A payment that needs a person's yes, and what was paid. */
const payments = () => {
  const paid: Array<string> = []
  const pay = Tool.make("pay", {
    description: "Pays.",
    input: Schema.Struct({ to: Schema.String }),
    access: "writes",
    approval: "always",
    run: ({ to }) => Effect.sync(() => `paid ${to}, payment ${paid.push(to)}`)
  })
  return { paid, pay }
}

/** A helper that asks an intern, who can pay. */
const company = () => {
  const { paid, pay } = payments()
  const tools = Toolset.layer(asTool(helper, Toolset.layer(echo, pay, asTool(intern, Toolset.layer(pay)))))
  return { paid, tools }
}

const task = (text: string) => ({ task: text })

/** The boss's run on a script, on these tools. */
const lead = <E>(tools: Layer.Layer<Toolset.Toolset, E>, script: Script, limits: Agent.Options["limits"] = {}) => {
  const { layer, requests } = treeModel(script)
  const agent = Agent.make("boss", { instructions: "Lead.", limits: { maxTurns: 5, ...limits } })
  return Effect.gen(function*() {
    const run = yield* Agent.run(agent, "lead", { runId: "r" })
    expectSendable(fold(run.events).transcript, run.stop._tag !== "Answered")
    return { ...run, requests, results: run.steps.map(({ result }) => result) }
  }).pipe(Effect.provide([tools, layer]))
}

const waiting = (stop: Stop) => stop._tag === "AwaitingApproval" ? stop.pending : []

const approve = (one: Approval.Bound, verdict: Approval.Verdict = { _tag: "Approved" }) =>
  Approval.answer(one, "anna", verdict)

const contents = (results: ReadonlyArray<ToolResult>) => results.map(({ content }) => content)

/** The limits that a kept run began with. */
const limitsIn = ([first]: ReadonlyArray<RunEvent>) => first?._tag === "RunStarted" ? first.limits : undefined

const spentIn = (events: ReadonlyArray<RunEvent>) => Usage.total(fold(events).spent.usage)

feature(new URL("../features/agents.feature", import.meta.url), (scenario) => {
  scenario("Only its task goes in, and only its answer comes out", () =>
    Effect.gen(function*() {
      const { requests, results, stop } = yield* lead(Toolset.layer(echo, asTool(helper, Toolset.layer(echo))), {
        lead: [asks(1, call("helper", task("look"))), answers(1, "Found.")],
        look: [asks(1, call("echo", { text: "secret" })), answers(1, "It is here.")]
      })
      expect(stop).toEqual({ _tag: "Answered", text: "Found." })
      expect(results).toEqual([{ callId: "c00", content: "It is here.", isError: false }])
      const [, first, , last] = requests
      expect(first).toMatchObject({ instructions: "Help.", transcript: [{ _tag: "Task", text: "look" }] })
      expect(first?.tools.map(({ name }) => name)).toEqual(["echo"])
      expect(JSON.stringify(last?.transcript)).not.toContain("secret")
    }))

  scenario("Agents of one reply run together", () =>
    Effect.gen(function*() {
      const met = { a: yield* Deferred.make<void>(), b: yield* Deferred.make<void>() }
      const meet = Tool.make("meet", {
        description: "Waits for the other.",
        input: Schema.Struct({ me: Schema.Literals(["a", "b"]) }),
        run: ({ me }) =>
          Effect.andThen(Deferred.succeed(met[me], undefined), Deferred.await(met[me === "a" ? "b" : "a"]))
      })
      const { results } = yield* lead(Toolset.layer(asTool(helper, Toolset.layer(meet))), {
        lead: [asks(1, call("helper", task("a")), call("helper", task("b"))), answers(1, "Done.")],
        a: [asks(1, call("meet", { me: "a" })), answers(1, "A was there.")],
        b: [asks(1, call("meet", { me: "b" })), answers(1, "B was there.")]
      })
      expect(contents(results)).toEqual(["A was there.", "B was there."])
    }))

  scenario("Its own model and tools come from its own Layers, built once", () =>
    Effect.gen(function*() {
      class Shelf extends Context.Service<Shelf, { readonly label: string }>()("Shelf") {}
      let built = 0
      const own = treeModel({ one: [asks(1, call("label", {})), answers(1, "One.")], two: [answers(1, "Two.")] })
      const label = Tool.make("label", {
        description: "Its label.",
        input: Schema.Struct({}),
        run: () => Effect.map(Shelf, (shelf) => shelf.label)
      })
      const tool = Agent.asTool(helper, {
        name: "ask_helper",
        description: "Helps.",
        tools: Layer.tap(Toolset.layer(label), () => Effect.sync(() => built = built + 1)),
        model: own.layer
      })
      const tools = Toolset.layer(tool).pipe(Layer.provide(Layer.succeed(Shelf, { label: "B" })))
      const { requests, results } = yield* lead(tools, {
        lead: [
          asks(1, call("ask_helper", task("one"))),
          asks(1, call("ask_helper", task("two"))),
          answers(1, "Done.")
        ]
      })
      expect(contents(results)).toEqual(["One.", "Two."])
      expect([requests.length, own.requests.length, built]).toEqual([3, 3, 1])

      const broken = Agent.asTool(helper, {
        description: "Helps.",
        tools: Layer.effect(Toolset.Toolset, Effect.fail("no shelf"))
      })
      const unnamed = asTool(helper, Toolset.layer(Tool.make("no name", { ...echoOptions })))
      const failures = yield* Effect.forEach([broken, unnamed], (one) => Effect.flip(Layer.build(Toolset.layer(one))))
      expect(failures.map(({ message, reason }) => [reason, message])).toEqual([
        ["layer", "the agent \"helper\" cannot be offered: no shelf"],
        ["name", expect.stringContaining("no name")]
      ])
    }))

  scenario("What a child spends is in its parent's total once", () =>
    Effect.gen(function*() {
      const priced = (tokens: number, cost: number) => ({
        ...answers(tokens, "Done."),
        usage: { ...Usage.make({ output: tokens }), cost }
      })
      const journal = makeMemory()
      const { tools } = company()
      const { events, spent } = yield* lead(tools, {
        lead: [
          {
            ...asks(1, call("helper", task("a")), call("helper", task("b"))),
            usage: Usage.make({ output: 1, cost: 1 })
          },
          priced(10, 2)
        ],
        a: [{ ...asks(100, call("intern", task("c"))), usage: Usage.make({ output: 100, cost: 4 }) }, priced(1000, 8)],
        b: [priced(10_000, 16)],
        c: [priced(100_000, 32)]
      }).pipe(Effect.provideService(Journal, journal))
      expect(spent).toMatchObject({ turns: 2, usage: { output: 111_111, cost: 63 } })
      expect(fold(events).current.usage).toEqual(spent.usage)
      expect(spentIn(yield* journal.read("r.1-0"))).toBe(101_100)
      expect(spentIn(yield* journal.read("r.1-0.1-0"))).toBe(100_000)
    }))

  scenario(
    "A child's limits are its own, or its share of what is left where that is less",
    () =>
      Effect.gen(function*() {
        const journal = makeMemory()
        const modest = Agent.make("modest", { instructions: "", limits: { maxTurns: 2, maxTokens: 5, maxDuration: 1 } })
        yield* lead(
          Toolset.layer(asTool(helper, Toolset.layer()), asTool(modest, Toolset.layer())),
          {
            lead: [
              {
                ...asks(11, call("helper", task("a")), call("modest", task("a"))),
                usage: Usage.make({ output: 11, cost: 1 })
              },
              answers(1, "Done.")
            ],
            a: [answers(1, "A.")]
          },
          { maxTokens: 100, maxCost: 4, maxDuration: "1 minute", maxRepeats: 1, finalAnswer: true }
        ).pipe(Effect.provideService(Journal, journal))
        expect(limitsIn(yield* journal.read("r.1-0"))).toEqual({
          maxTurns: 5,
          maxTokens: 44,
          maxCost: 1.5,
          maxDuration: 60_000
        })
        expect(limitsIn(yield* journal.read("r.1-1"))).toEqual({
          maxTurns: 2,
          maxTokens: 5,
          maxCost: 1.5,
          maxDuration: 1
        })
        // One that is called alone has all that is left.
        const alone = makeMemory()
        yield* lead(
          Toolset.layer(asTool(helper, Toolset.layer())),
          { lead: [asks(11, call("helper", task("a"))), answers(1, "Done.")], a: [answers(1, "A.")] },
          { maxTokens: 100 }
        ).pipe(Effect.provideService(Journal, alone))
        expect(limitsIn(yield* alone.read("r.1-0"))).toEqual({ maxTurns: 5, maxTokens: 89 })
      })
  )

  scenario("A child for which nothing is left does not begin", () =>
    Effect.gen(function*() {
      const { requests, results } = yield* lead(
        Toolset.layer(asTool(helper, Toolset.layer())),
        { lead: [asks(9, call("helper", task("a")), call("helper", task("b"))), answers(1, "Done.")] },
        { maxTokens: 10 }
      )
      expect(results.map(({ isError, notRun }) => [isError, notRun])).toEqual([[true, "limit"], [true, "limit"]])
      expect(requests.length).toBe(2)
    }))

  scenario("A child that stops without an answer is a failed result", () =>
    Effect.gen(function*() {
      const busy = { ...asks(9, call("echo", { text: "x" })), text: "So far so good." }
      const stopped = Effect.fnUntraced(function*(
        limits: Agent.Options["limits"],
        ...replies: ReadonlyArray<ScriptedModel.ScriptedReply>
      ) {
        const child = Agent.make("helper", { instructions: "", ...(limits === undefined ? {} : { limits }) })
        const { results } = yield* lead(Toolset.layer(asTool(child, Toolset.layer(echo))), {
          lead: [asks(1, call("helper", task("a"))), answers(1, "A pity.")],
          a: replies
        })
        expect(results).toMatchObject([{ isError: true }])
        expect(results[0]?.notRun).toBeUndefined()
        return results[0]?.content
      })
      const said = (stop: string) =>
        `unavailable: helper stopped without an answer: ${stop}. Before it stopped it said: So far so good.`
      expect(yield* stopped({ maxTurns: 1 }, busy)).toBe(said("out of turns"))
      expect(yield* stopped({ maxTokens: 9 }, busy)).toBe(said("out of tokens"))
      expect(yield* stopped({ maxCost: 1 }, busy)).toBe(said("over its cost"))
      expect(yield* stopped({ maxRepeats: 1 }, busy, busy, busy)).toBe(said("repeating itself"))
      expect(yield* stopped({ maxTurns: 1, finalAnswer: true }, busy, answers(1, "Half of it."))).toBe(
        "unavailable: helper stopped without an answer: out of turns. Before it stopped it said: Half of it."
      )
      expect(yield* stopped({}, stops(1, "refused", "policy"))).toBe(
        "unavailable: helper stopped without an answer: stopped by the model (refused): policy."
      )
    }))

  scenario("A child that fails costs its siblings nothing", () =>
    Effect.gen(function*() {
      const { results, spent } = yield* lead(Toolset.layer(asTool(helper, Toolset.layer())), {
        lead: [
          asks(1, call("helper", task("away")), call("helper", task("dies")), call("helper", task("fine"))),
          answers(1, "Done.")
        ],
        away: [fails("overloaded", { usage: Usage.make({ output: 5 }) })],
        fine: [answers(1, "Fine.")]
      })
      expect(contents(results)).toEqual([
        "unavailable: helper failed: the script says overloaded.",
        expect.stringMatching(/^unavailable: helper broke: Error: no reply for/),
        "Fine."
      ])
      expect(spent.usage.output).toBe(8)
    }))

  scenario("A Fatal in a child ends the whole tree", () =>
    Effect.gen(function*() {
      let mended = false
      const open = Tool.make("open", {
        description: "Opens.",
        input: Schema.Struct({}),
        run: () => mended ? Effect.succeed("open") : Effect.fail(new Fatal({ message: "the key is revoked." }))
      })
      const tools = Toolset.layer(echo, asTool(helper, Toolset.layer(asTool(intern, Toolset.layer(open)))))
      const script = {
        lead: [asks(1, call("echo", { text: "hi" }), call("helper", task("a"))), answers(1, "Done.")],
        a: [asks(1, call("intern", task("b"))), answers(1, "A.")],
        b: [asks(1, call("open", {})), answers(1, "B.")]
      }
      const journal = makeMemory()
      const error = yield* lead(tools, script).pipe(Effect.provideService(Journal, journal), Effect.flip)
      expect(error).toMatchObject({ _tag: "RunError", reason: { _tag: "Fatal", message: "the key is revoked." } })
      for (const id of ["r", "r.1-1", "r.1-1.1-0"]) {
        expect((yield* journal.read(id)).at(-1)).toMatchObject({ _tag: "RunFailed", error: "Fatal" })
      }
      mended = true
      const { layer, requests } = treeModel(script)
      const run = yield* Agent.resume("r").pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([tools, layer])
      )
      expect(run.stop).toEqual({ _tag: "Answered", text: "Done." })
      expect(contents(run.steps.map(({ result }) => result))).toEqual(["hi", "A."])
      expect(requests.length).toBe(3)
    }))

  scenario("A gated call in a child suspends the root, and is answered from there", () =>
    Effect.gen(function*() {
      const script = {
        lead: [asks(1, call("helper", task("a")), call("helper", task("b"))), answers(1, "Done.")],
        a: [
          asks(1, call("intern", task("c")), call("pay", { to: "x" }), call("echo", { text: "hi" })),
          answers(1, "A.")
        ],
        b: [answers(1, "B.")],
        c: [asks(1, call("pay", { to: "y" }), call("pay", { to: "z" })), answers(1, "C.")]
      }
      const journal = makeMemory()
      const { paid, tools } = company()
      const first = yield* lead(tools, script).pipe(Effect.provideService(Journal, journal))
      const pending = waiting(first.stop)
      expect(pending.map((one) => [Approval.nameIn("r", one), one.tool, one.input])).toEqual([
        ["1/0.1/0.1/0", "pay", { to: "y" }],
        ["1/0.1/0.1/1", "pay", { to: "z" }],
        ["1/0.1/1", "pay", { to: "x" }]
      ])
      expect([first.requests.length, paid]).toEqual([4, []])

      const elsewhere = Effect.fnUntraced(function*() {
        const other = company()
        const { layer, requests } = treeModel(script)
        const run = yield* Agent.resume("r").pipe(
          Effect.provideService(Journal, journal),
          Effect.provide([other.tools, layer])
        )
        return { run, asked: requests.length, paid: other.paid }
      })
      const say = (...given: ReadonlyArray<Approval.Answer>) =>
        Effect.provideService(Agent.answer("r", given), Journal, journal)
      const [y, z, x] = pending
      expect((yield* say(approve(x!), approve(y))).length).toBe(1)
      const still = yield* elsewhere()
      expect([waiting(still.run.stop), still.asked, still.paid]).toEqual([[z], 0, []])
      expect(yield* Effect.flip(say(approve({ ...z!, runId: "r" })))).toMatchObject({ reason: "unknownCall" })
      expect(yield* say(approve(z!, { _tag: "Denied", reason: "not z" }))).toEqual([])

      const last = yield* elsewhere()
      expect(last.run.stop).toEqual({ _tag: "Answered", text: "Done." })
      expect([last.paid.toSorted(), last.asked]).toEqual([["x", "y"], 3])
      const results = (id: string) =>
        Effect.map(
          journal.read(id),
          (events) =>
            fold(events).transcript.flatMap((message) => message._tag === "Results" ? contents(message.results) : [])
        )
      expect(yield* results("r.1-0.1-0")).toEqual([expect.stringMatching(/^paid y/), "denied: not z"])
      expect(yield* results("r.1-0")).toEqual(["C.", expect.stringMatching(/^paid x/), "hi"])
      expect((yield* elsewhere()).asked).toBe(0)
    }))

  scenario("A child's answer can wait for a person", () =>
    Effect.gen(function*() {
      const careful = Agent.make("helper", { instructions: "", approveAnswer: true })
      const tools = Toolset.layer(asTool(careful, Toolset.layer()))
      const script = { lead: [asks(1, call("helper", task("a"))), answers(1, "Done.")], a: [answers(1, "A draft.")] }
      const journal = makeMemory()
      const { stop } = yield* lead(tools, script).pipe(Effect.provideService(Journal, journal))
      const [draft] = waiting(stop)
      expect(draft).toMatchObject({ runId: "r.1-0", input: "A draft." })
      const run = yield* Agent.answer("r", [approve(draft, { _tag: "Approved", input: "A better one." })]).pipe(
        Effect.andThen(Agent.resume("r")),
        Effect.provideService(Journal, journal),
        Effect.provide([tools, treeModel(script).layer])
      )
      expect(contents(run.steps.map(({ result }) => result))).toEqual(["A better one."])
    }))

  scenario("The call of an agent can itself need a person", () =>
    Effect.gen(function*() {
      const { paid, pay } = payments()
      const tools = Toolset.layer(
        Agent.asTool(helper, { description: "Helps.", tools: Toolset.layer(pay), approval: "always" })
      )
      const script = {
        lead: [asks(1, call("helper", task("a"))), answers(1, "Done.")],
        b: [asks(1, call("pay", { to: "x" })), answers(1, "Paid.")]
      }
      const journal = makeMemory()
      const asked: Array<string> = []
      const answer = (one: Approval.Pending | undefined, verdict: Approval.Verdict) =>
        Agent.answer("r", [approve(one!, verdict)]).pipe(
          Effect.andThen(Agent.resume("r")),
          Effect.tap(({ stop }) => Effect.sync(() => asked.push(...waiting(stop).map(({ tool = "" }) => tool)))),
          Effect.provideService(Journal, journal),
          Effect.provide([tools, treeModel(script).layer])
        )
      const first = yield* lead(tools, script).pipe(Effect.provideService(Journal, journal))
      const [begin] = waiting(first.stop)
      expect(begin).toMatchObject({ runId: "r", tool: "helper", input: task("a") })
      const second = yield* answer(begin, { _tag: "Approved", input: task("b") })
      const [payment] = waiting(second.stop)
      expect(payment).toMatchObject({ runId: "r.1-0", tool: "pay" })
      const third = yield* answer(payment, { _tag: "Approved" })
      expect(contents(third.steps.map(({ result }) => result))).toEqual(["Paid."])
      expect([paid, asked]).toEqual([["x"], ["pay"]])
    }))

  scenario(
    "Without a journal a child that waits is asked about on the spot, and goes on where it was",
    () =>
      Effect.gen(function*() {
        const { paid, tools } = company()
        const { requests, stop } = yield* lead(tools, {
          lead: [asks(1, call("helper", task("a"))), answers(1, "Done.")],
          a: [asks(1, call("intern", task("b"))), answers(1, "A.")],
          b: [asks(1, call("pay", { to: "x" })), answers(1, "B.")]
        }).pipe(Effect.provide(Approvals.allowAll))
        expect([stop._tag, paid, requests.length]).toEqual(["Answered", ["x"], 6])
      })
  )

  scenario("A child's events are in the journal under its parent", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const seen = new Map<string, Array<string>>()
      yield* lead(company().tools, {
        lead: [asks(1, call("helper", task("a"))), answers(1, "Done.")],
        a: [asks(1, call("echo", { text: "hi" })), asks(1, call("intern", task("b"))), answers(1, "A.")],
        b: [answers(1, "B.")]
      }).pipe(
        Effect.provideService(Journal, journal),
        Effect.provideService(RunObserver, [{
          event: ({ _tag }, { runId }) => Effect.sync(() => void seen.set(runId, [...(seen.get(runId) ?? []), _tag]))
        }])
      )
      const ids = yield* journal.list
      expect(ids.toSorted()).toEqual(["r", "r.1-0", "r.1-0.2-0"])
      for (const id of ids) expect(tags(yield* journal.read(id))).toEqual(seen.get(id))
      expect((yield* journal.read("r"))[0]).not.toHaveProperty("parent")
      expect((yield* journal.read("r.1-0"))[0]).toMatchObject({
        agent: "helper",
        parent: { runId: "r", turn: 1, index: 0 }
      })
      expect((yield* journal.read("r.1-0.2-0"))[0]).toMatchObject({ parent: { runId: "r.1-0", turn: 2, index: 0 } })
      expect(seen.get("r")).toEqual([
        "RunStarted",
        "Replied",
        "ToolSpent",
        "ToolSpent",
        "ToolSpent",
        "ToolSpent",
        "ToolFinished",
        "Replied",
        "RunStopped"
      ])
    }))

  scenario("A child is answered at its root alone", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const { stop } = yield* lead(company().tools, {
        lead: [asks(1, call("helper", task("a")))],
        a: [asks(1, call("pay", { to: "x" }))]
      }).pipe(Effect.provideService(Journal, journal))
      const [pending] = waiting(stop)
      const error = yield* Agent.answer("r.1-0", [approve(pending)]).pipe(
        Effect.provideService(Journal, journal),
        Effect.flip
      )
      expect(error).toMatchObject({
        reason: "otherRun",
        message: "the run r.1-0 was called by the run r: what it waits for is answered there."
      })
    }))

  scenario("A child's place that holds another run ends the run", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const other = yield* Agent.run(intern, "mine", { runId: "r.1-0" }).pipe(
        Effect.provideService(Journal, journal),
        Effect.provide([Toolset.layer(), treeModel({ mine: [answers(1, "Mine.")] }).layer])
      )
      const error = yield* lead(company().tools, { lead: [asks(1, call("helper", task("a")))] }).pipe(
        Effect.provideService(Journal, journal),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "RunError", reason: { _tag: "JournalError", reason: "damaged" } })
      expect(yield* journal.read("r.1-0")).toEqual(other.events)
    }))

  scenario("Interrupting the parent interrupts its children", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const begun = yield* Deferred.make<void>()
      let stopped = 0
      const hang = Tool.make("hang", {
        description: "Hangs.",
        input: Schema.Struct({}),
        run: () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => stopped = stopped + 1))
          )
      })
      const tools = Toolset.layer(asTool(helper, Toolset.layer(asTool(intern, Toolset.layer(hang)))))
      const fiber = yield* lead(tools, {
        lead: [asks(1, call("helper", task("a")))],
        a: [asks(1, call("intern", task("b")))],
        b: [asks(1, call("hang", {}))]
      }).pipe(Effect.provideService(Journal, journal), Effect.forkChild)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(stopped).toBe(1)
      for (const id of ["r", "r.1-0", "r.1-0.1-0"]) {
        expect((yield* journal.read(id)).at(-1)?._tag).toBe("RunInterrupted")
      }
      // Nothing holds the runs any more.
      yield* Effect.forEach(["r", "r.1-0", "r.1-0.1-0"], journal.claim)
    }))

  scenario("Agents that call agents come to an end", () =>
    Effect.gen(function*() {
      const levels = Array.from({ length: 6 }).reduce<Layer.Layer<Toolset.Toolset, Tool.InvalidTool>>(
        (below) => Toolset.layer(Agent.asTool(helper, { name: "self", description: "Itself.", tools: below })),
        Toolset.layer()
      )
      const journal = makeMemory()
      const again = [asks(1, call("self", task("again"))), answers(1, "Enough.")]
      const script = { lead: again, again }
      const { results, stop } = yield* lead(levels, script).pipe(Effect.provideService(Journal, journal))
      expect([stop._tag, contents(results)]).toEqual(["Answered", ["Enough."]])
      expect((yield* journal.list).toSorted()).toEqual(["r", "r.1-0", "r.1-0.1-0", "r.1-0.1-0.1-0"])
      expect(fold(yield* journal.read("r.1-0.1-0.1-0")).transcript[2]).toMatchObject({
        results: [{
          content: "unavailable: self did not run: agents may call agents 3 deep, and this would be one more.",
          isError: true,
          notRun: "limit"
        }]
      })
      const shallow = yield* lead(levels, script).pipe(Effect.provideService(Agent.MaxDepth, 0))
      expect(shallow.results).toMatchObject([{ notRun: "limit" }])
    }))

  scenario("A tree never deadlocks on its permits", () =>
    Effect.gen(function*() {
      const now = { tools: 0, requests: 0 }
      const most = { tools: 0, requests: 0 }
      const busy = <A, E, R>(what: keyof typeof now, effect: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => most[what] = Math.max(most[what], now[what] = now[what] + 1)),
          () => Effect.andThen(Effect.yieldNow, effect),
          () => Effect.sync(() => now[what] = now[what] - 1)
        )
      const slow = Tool.make("slow", {
        description: "Takes a while.",
        input: Schema.Struct({}),
        run: () => busy("tools", Effect.succeed("done"))
      })
      const permit = Toolset.parallel(1)
      const interns = permit(Toolset.layer(slow, asTool(intern, permit(Toolset.layer(slow)))))
      const tools = permit(Toolset.layer(slow, asTool(helper, interns)))
      const two = (name: string, of: string) =>
        asks(1, call(name, task(of)), call("slow", {}), call(name, task(of)), call("slow", {}))
      const { layer, requests } = treeModel({
        lead: [two("helper", "a"), answers(1, "Done.")],
        a: [two("intern", "b"), answers(1, "A.")],
        b: [asks(1, call("slow", {}), call("slow", {})), answers(1, "B.")]
      })
      const model = layer.pipe(
        ModelPolicy.around(({ reply }) => ({ reply: (request, sink) => busy("requests", reply(request, sink)) })),
        ModelPolicy.concurrency(1)
      )
      const run = yield* Agent.run(boss, "lead").pipe(Effect.provide([tools, model]))
      expect(run.stop).toEqual({ _tag: "Answered", text: "Done." })
      expect(requests.length).toBe(2 + 2 * 2 + 4 * 2)
      expect(most).toEqual({ tools: 1, requests: 1 })
    }))

  scenario("Permits are whole numbers from 1 up", () =>
    Effect.sync(() => {
      for (const permits of [0, -1, 1.5, NaN]) {
        expect(() => ModelPolicy.concurrency(permits)).toThrow(InvalidPermits)
        expect(() => Toolset.parallel(permits)).toThrow(/^parallel must be a whole number from 1 up/)
      }
    }))

  scenario("Under other limits a child's share is reckoned anew", () =>
    Effect.gen(function*() {
      const journal = makeMemory()
      const script = {
        lead: [asks(10, call("helper", task("a"))), answers(1, "Done.")],
        a: [asks(10, call("open", {})), answers(1, "A.")]
      }
      const open = Tool.make("open", {
        description: "Opens.",
        input: Schema.Struct({}),
        run: () => Effect.fail(new Fatal({ message: "the key is revoked." }))
      })
      const tools = Toolset.layer(asTool(helper, Toolset.layer(open)))
      yield* Effect.flip(lead(tools, script, { maxTokens: 50 })).pipe(Effect.provideService(Journal, journal))
      expect(limitsIn(yield* journal.read("r.1-0"))?.maxTokens).toBe(40)
      const again = (limits?: Agent.Options["limits"]) =>
        Effect.flip(Agent.resume("r", limits && { limits })).pipe(
          Effect.provideService(Journal, journal),
          Effect.provide([tools, treeModel(script).layer])
        )
      const limit = Effect.map(journal.read("r.1-0"), (events) => fold(events).limits?.maxTokens)
      yield* again()
      expect(yield* limit).toBe(40)
      yield* again({ maxTurns: 5, maxTokens: 100 })
      // 10 of it spent, and all of the 80 that are left.
      expect(yield* limit).toBe(90)
      yield* again({ maxTurns: 5, maxTokens: 25 })
      expect(yield* limit).toBe(15)
    }))
})

const echoOptions = { description: "", input: Schema.Struct({}), run: () => Effect.void }
