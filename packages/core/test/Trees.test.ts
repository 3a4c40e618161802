/** Laws of runs that call each other, over generated trees of them: what each agent does is a plan, and whatever happens it follows the plan. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import { Journal, JournalError, makeMemory } from "../src/Journal.ts"
import { Model } from "../src/Model.ts"
import * as Approval from "../src/pure/Approval.ts"
import { fold } from "../src/pure/Decider.ts"
import { crossed, type Limits } from "../src/pure/Limits.ts"
import type { ModelReply } from "../src/pure/Reply.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import type { ToolCall } from "../src/pure/ToolCall.ts"
import * as Usage from "../src/pure/Usage.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"

/** What an agent does: its calls, turn by turn, and what each reply costs. */
interface Plan {
  readonly turns: ReadonlyArray<Turn>
  readonly last: number
}

interface Turn {
  readonly tokens: number
  readonly calls: ReadonlyArray<"look" | "sign" | Plan>
}

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 }))
const few = Schema.isMaxLength(2)

const planOf = <P extends Plan>(below: ReadonlyArray<Schema.Codec<P>>): Schema.Codec<Plan> =>
  Schema.Struct({
    turns: Schema.Array(Schema.Struct({
      tokens: Tokens,
      calls: Schema.Array(Schema.Union([Schema.Literals(["look", "sign"]), ...below])).check(few)
    })).check(few),
    last: Tokens
  })

/** Plans three levels deep. */
const Plan = planOf([planOf([planOf([])])])

/** The plan of the agent whose task is this path: `0.1` is the second call of the first turn. */
const at = (plan: Plan, path: string): Plan =>
  path.split("/").slice(1).reduce((found: Plan, step) => {
    const [turn = 0, index = 0] = step.split(".").map(Number)
    const call = found.turns[turn]?.calls[index]
    if (call === undefined || typeof call === "string") throw new Error(`no plan at ${path}`)
    return call
  }, plan)

/** A model that follows the plan, whatever process it is in. */
const modelOf = (plan: Plan) =>
  Layer.succeed(
    Model,
    Model.of({
      reply: ({ transcript: [task, ...rest] }) =>
        Effect.sync((): ModelReply => {
          const path = task?._tag === "Task" ? task.text : ""
          const turn = rest.filter(({ _tag }) => _tag !== "Task" && _tag !== "Results").length
          const own = at(plan, path)
          const next = own.turns.filter(({ calls }) => calls.length > 0)[turn]
          if (next === undefined) return { _tag: "Answer", text: `${path} is done.`, usage: priced(own.last) }
          const number = own.turns.indexOf(next)
          const [first, ...others] = next.calls.map((call, index): ToolCall => ({
            id: `c${turn}.${index}`,
            ...(typeof call === "string"
              ? { name: call, input: {} }
              : { name: "agent", input: { task: `${path}/${number}.${index}` } })
          }))
          if (first === undefined) throw new Error("a turn without calls")
          return { _tag: "ToolCalls", calls: [first, ...others], usage: priced(next.tokens) }
        })
    })
  )

/** A cost that adds up exactly, in whatever order. */
const priced = (tokens: number) => Usage.make({ output: tokens, cost: tokens / 64 })

/** The tools of each level. Keeps which gated calls ran, in whichever process. */
const toolsOf = (signed: Array<string>) => {
  const look = Tool.make("look", { description: "Looks.", input: Schema.Struct({}), run: () => Effect.succeed("seen") })
  const sign = Tool.make("sign", {
    description: "Signs.",
    input: Schema.Struct({}),
    access: "writes",
    approval: "always",
    run: () => Effect.map(Tool.CurrentCall, (call) => signed[signed.push(call ? Tool.keyOf(call) : "") - 1] ?? "")
  })
  const agent = Agent.make("agent", { instructions: "Follow the plan." })
  const above = (below: Layer.Layer<Toolset.Toolset, Tool.InvalidTool>) =>
    Toolset.layer(look, sign, Agent.asTool(agent, { description: "Follows.", tools: below }))
  return above(above(above(Toolset.layer(look, sign))))
}

/** A person who says yes to most, and always the same of the same call. */
const verdictOn = ({ place }: Approval.Pending): Approval.Verdict =>
  (place.turn + place.index) % 3 === 0 ? { _tag: "Denied", reason: "no" } : { _tag: "Approved" }

/** A journal that keeps so many events, of whichever runs, and then no more: the process is as good as dead. */
const dying = (journal: Journal, events: number): Journal => {
  let left = events
  return {
    claim: journal.claim,
    list: journal.list,
    read: journal.read,
    append: (runId, some, from) =>
      Effect.suspend(() => {
        left = left - 1
        return left < 0
          ? Effect.fail(new JournalError({ runId, reason: "failed", message: "the process died." }))
          : journal.append(runId, some, from)
      })
  }
}

/** Runs a plan to its end, in as many processes as there are numbers of events after which one dies, and one that lives. */
const play = Effect.fnUntraced(function*(
  plan: Plan,
  limits: Agent.Options["limits"],
  deaths: ReadonlyArray<number> = []
) {
  const kept = makeMemory()
  const signed: Array<string> = []
  const root = Agent.make("root", { instructions: "Follow the plan.", ...(limits === undefined ? {} : { limits }) })
  const goOn = Effect.gen(function*() {
    const isBegun = (yield* kept.list).includes("r")
    let run = yield* isBegun ? Agent.resume("r") : Agent.run(root, "", { runId: "r" })
    while (run.stop._tag === "AwaitingApproval") {
      // One after the other, the last one first.
      for (const pending of run.stop.pending.toReversed()) {
        yield* Agent.answer("r", [Approval.answer(pending, "anna", verdictOn(pending))])
      }
      run = yield* Agent.resume("r")
    }
    return run
  })
  const process = (journal: Journal) =>
    goOn.pipe(Effect.provideService(Journal, journal), Effect.provide([toolsOf(signed), modelOf(plan)]))
  for (const events of deaths) yield* Effect.exit(process(dying(kept, events)))
  const run = yield* process(kept)
  const runs = new Map<string, ReadonlyArray<RunEvent>>()
  for (const id of yield* kept.list) runs.set(id, yield* kept.read(id))
  return { run, runs, signed }
})

type Played = Effect.Success<ReturnType<typeof play>>

/** The same again, in a process that answers each call as soon as it is asked. Resumed when it does not know what it asked. */
const repliesOf = (events: ReadonlyArray<RunEvent>) =>
  events.flatMap((event) => event._tag === "Replied" ? [event.reply] : [])

const tokensOf = (events: ReadonlyArray<RunEvent>): number =>
  repliesOf(events).reduce((sum, { usage }) => sum + Usage.total(usage), 0)

/** The runs below one, and itself. */
const below = (runs: Played["runs"], id: string) =>
  [...runs].filter(([other]) => other === id || other.startsWith(`${id}.`)).map(([, events]) => events)

const limitsOf = (events: ReadonlyArray<RunEvent>): Limits => fold(events).limits ?? { maxTurns: 0 }

const isAt = (event: RunEvent, place: { readonly turn: number; readonly index: number }) =>
  "place" in event && event.place.turn === place.turn && event.place.index === place.index

/** I4: the root has spent what all replies of all runs cost, each once. */
const expectSum = ({ run, runs }: Played) => {
  for (const [id, events] of runs) {
    const sum = below(runs, id).reduce((all, one) => all + tokensOf(one), 0)
    expect([id, fold(events).spent.usage]).toEqual([id, priced(sum)])
  }
  expect(run.spent.usage).toEqual(fold(run.events).spent.usage)
}

/** I3 over the tree: no reply is asked for over a budget, so that a budget is passed by no more than the replies that crossed it. */
const expectBudgets = ({ runs }: Played) => {
  for (const [id, events] of runs) {
    const limits = limitsOf(events)
    events.forEach((event, i) => {
      if (event._tag === "Replied") expect(crossed(fold(events.slice(0, i)).current, limits)).toBeUndefined()
    })
    if (limits.maxTokens === undefined) continue
    const all = below(runs, id)
    const spent = all.reduce((sum, one) => sum + tokensOf(one), 0)
    const crossing = all.reduce((sum, one) => sum + Usage.total(repliesOf(one).at(-1)?.usage ?? Usage.zero), 0)
    expect(spent).toBeLessThanOrEqual(Math.max(0, limits.maxTokens - 1) + crossing)
  }
}

/** I8: each gated call that ran was approved before, by one answer, and ran once. */
const expectOneYesEach = ({ runs, signed }: Played) => {
  expect(new Set(signed).size).toBe(signed.length)
  for (const key of signed) {
    const [, id = "", turn, index] = key.match(/^(.*)\/(\d+)\/(\d+)$/) ?? []
    const place = { turn: Number(turn), index: Number(index) }
    const events = runs.get(id) ?? []
    const begun = events.findIndex((event) => event._tag === "ToolStarted" && isAt(event, place))
    const said = events.flatMap((event, i) =>
      event._tag === "ApprovalAnswered" && event.runId === id && isAt(event, place)
        ? [[i < begun, event.verdict._tag]]
        : []
    )
    expect([key, said]).toEqual([key, [[true, "Approved"]]])
  }
}

const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))).check(few)
const Budget = Schema.Struct({
  maxTokens: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })))
})

const runs = { arbitrary: { runs: 200 } }

describe("Trees of runs", () => {
  it.effect.prop("keep their laws, whatever budget they have and wherever their process dies", [Plan, Budget, Cuts], ([
    plan,
    budget,
    cuts
  ]) =>
    Effect.gen(function*() {
      const played = yield* play(plan, budget, cuts)
      expectSum(played)
      expectBudgets(played)
      expectOneYesEach(played)
    }), runs)

  it.effect.prop(
    "come to the same end wherever they are cut off, and taken up",
    [Plan, Budget],
    ([plan, budget]) =>
      Effect.gen(function*() {
        const whole = yield* play(plan, budget)
        const events = [...whole.runs.values()].reduce((sum, one) => sum + one.length, 0)
        for (let at = 1; at < events; at++) {
          const cut = yield* play(plan, budget, [at])
          expect(cut.run.stop).toEqual(whole.run.stop)
          expect(cut.run.spent.usage).toEqual(whole.run.spent.usage)
          // A payment that was cut off is not made again, so it may be missing, and no other may be there.
          for (const key of cut.signed) expect(whole.signed).toContain(key)
          expectOneYesEach(cut)
        }
      }),
    { arbitrary: { runs: 40 } }
  )
})
