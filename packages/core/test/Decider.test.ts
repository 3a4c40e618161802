import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { Command, Decision } from "../src/pure/Command.ts"
import { decide, evolve, fold, next } from "../src/pure/Decider.ts"
import { Limits, nothingSpent, Spent } from "../src/pure/Limits.ts"
import { Answer, ModelReply, Stopped, ToolCalls } from "../src/pure/Reply.ts"
import { RunEvent, stampFact } from "../src/pure/RunEvent.ts"
import { empty, RunState, steps } from "../src/pure/RunState.ts"
import { ToolResult } from "../src/pure/ToolCall.ts"
import * as Usage from "../src/pure/Usage.ts"
import { copy } from "./fixtures.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 }))
const SmallSpent = Schema.Struct({ turns: Small, output: Small })
const SmallLimits = Schema.Struct({ maxTurns: Small, maxTokens: Schema.optionalKey(Small) })

const spentOf = ({ output, turns }: typeof SmallSpent.Type): Spent => ({
  turns,
  usage: Usage.make({ output }),
  elapsed: 0
})

const runs = { arbitrary: { runs: 300 } }

describe("decide", () => {
  it.prop("is total and deterministic", [ModelReply, Spent, Limits], ([reply, spent, limits]) => {
    const decision = decide(reply, spent, limits)
    expect(Schema.is(Decision)(decision)).toBe(true)
    expect(decide(structuredClone(reply), structuredClone(spent), structuredClone(limits))).toEqual(decision)
  }, runs)

  it.prop("keeps an answer under any limits (I2)", [Answer, Spent, Limits], ([reply, spent, limits]) => {
    expect(decide(reply, spent, limits)).toEqual({ _tag: "Stop", stop: { _tag: "Answered", text: reply.text } })
  }, runs)

  it.prop("never takes a model's stop for an answer", [Stopped, Spent, Limits], ([reply, spent, limits]) => {
    const { detail, reason } = reply
    expect(decide(reply, spent, limits)).toEqual({
      _tag: "Stop",
      stop: { _tag: "ModelStopped", reason, ...(detail === undefined ? {} : { detail }) }
    })
  }, runs)

  it.prop(
    "runs tools under every limit and under no crossed one",
    [ToolCalls, SmallSpent, SmallLimits],
    ([reply, small, limits]) => {
      const spent = spentOf(small)
      const under = small.turns < limits.maxTurns && small.output < (limits.maxTokens ?? Infinity)
      expect(decide(reply, spent, limits)._tag).toBe(under ? "RunTools" : "Stop")
    },
    runs
  )

  it.prop("passes calls on unchanged", [ToolCalls], ([reply]) => {
    expect(decide(reply, nothingSpent, { maxTurns: 1 })).toEqual({ _tag: "RunTools", calls: reply.calls })
  }, runs)

  it.prop(
    "runs no more under smaller limits",
    [ToolCalls, SmallSpent, SmallLimits, SmallLimits],
    ([reply, small, a, b]) => {
      const smaller: Limits = {
        maxTurns: Math.min(a.maxTurns, b.maxTurns),
        ...(a.maxTokens === undefined && b.maxTokens === undefined
          ? {}
          : { maxTokens: Math.min(a.maxTokens ?? Infinity, b.maxTokens ?? Infinity) })
      }
      if (decide(reply, spentOf(small), smaller)._tag === "RunTools") {
        expect(decide(reply, spentOf(small), a)._tag).toBe("RunTools")
        expect(decide(reply, spentOf(small), b)._tag).toBe("RunTools")
      }
    },
    runs
  )

  it("checks turns before tokens", () => {
    const reply = { _tag: "ToolCalls", calls: [{ id: "c1", name: "a", input: {} }], usage: Usage.zero } as const
    const spent = { turns: 2, usage: Usage.make({ output: 10 }), elapsed: 0 }
    expect(decide(reply, spent, { maxTurns: 2, maxTokens: 10 })).toEqual({ _tag: "Stop", stop: { _tag: "OutOfTurns" } })
    expect(decide(reply, spent, { maxTurns: 3, maxTokens: 10 })).toEqual({
      _tag: "Stop",
      stop: { _tag: "OutOfTokens" }
    })
    expect(decide(reply, spent, { maxTurns: 3 })._tag).toBe("RunTools")
  })

  it.prop("counts every kind of token against the limit", [Usage.Usage], ([usage]) => {
    const reply = { _tag: "ToolCalls", calls: [{ id: "c1", name: "a", input: {} }], usage } as const
    const all = usage.input + usage.cacheWrite + usage.cacheRead + usage.output
    const at = (maxTokens: number) => decide(reply, { turns: 1, usage, elapsed: 0 }, { maxTurns: 2, maxTokens })._tag
    expect(at(all + 1)).toBe("RunTools")
    if (all > 0) expect(at(all)).toBe("Stop")
  }, runs)
})

/** Rounds of calls, and for each the order in which its results come in. */
const Round = Schema.Struct({
  reply: ToolCalls,
  results: Schema.Array(Schema.Struct({ result: ToolResult, when: Schema.Int }))
})

const eventsOf = (rounds: ReadonlyArray<typeof Round.Type>): ReadonlyArray<RunEvent> =>
  rounds.flatMap(({ reply, results }, i) => [
    stampFact({ _tag: "Replied", reply }, i),
    ...reply.calls
      .flatMap((call, index) => {
        const planned = results[index]
        return planned === undefined
          ? []
          : [{ index, when: planned.when, result: { ...planned.result, callId: call.id } }]
      })
      .toSorted((a, b) => a.when - b.when)
      .map(({ index, result }) => stampFact({ _tag: "ToolFinished", place: { turn: i + 1, index }, result }, i))
  ])

const started = stampFact({
  _tag: "RunStarted",
  runId: "r",
  agent: "a",
  instructions: "",
  task: "t",
  limits: { maxTurns: 9 }
}, 0)

describe("evolve", () => {
  it.prop(
    "a prefix, kept as JSON and read again, and the rest give the whole (I7)",
    [Schema.Array(Round), Schema.Array(RunEvent), Schema.Natural],
    ([rounds, noise, cut]) => {
      const events = [started, ...eventsOf(rounds), ...noise]
      const at = cut % (events.length + 1)
      const kept = copy(Schema.encodeSync(RunState)(fold(events.slice(0, at))))
      const whole = fold(events.slice(at), Schema.decodeUnknownSync(RunState)(kept))
      expect(copy(whole)).toEqual(copy(fold(events)))
    },
    runs
  )

  it.prop(
    "folding twice the same events gives the same, and changes none of them",
    [Schema.Array(Round)],
    ([rounds]) => {
      const events = [started, ...eventsOf(rounds)]
      const before = JSON.stringify(events)
      expect(fold(events)).toEqual(fold(structuredClone(events)))
      expect(JSON.stringify(events)).toBe(before)
    },
    runs
  )

  it.prop(
    "one event after the other gives what they give together, and no state changes once it is there",
    [Schema.Array(Round), Schema.Array(RunEvent), Schema.Array(RunEvent)],
    ([rounds, noise, more]) => {
      const events = [started, ...eventsOf(rounds), ...noise]
      const states = events.map((_, i) => events.slice(0, i + 1).reduce(evolve, empty))
      const before = JSON.stringify(states)
      expect(fold(events)).toEqual(states.at(-1))
      fold(more, states.at(-1))
      for (const state of states) for (const event of more.slice(0, 3)) evolve(state, event)
      expect(JSON.stringify(states)).toBe(before)
    },
    runs
  )

  it("a call that was begun says so, and no other", () => {
    const reply = {
      _tag: "ToolCalls",
      calls: [{ id: "a", name: "a", input: 1 }, { id: "b", name: "b", input: 2 }],
      usage: Usage.zero
    } as const
    const begun = fold([
      started,
      stampFact({ _tag: "Replied", reply }, 1),
      stampFact({ _tag: "ToolStarted", place: { turn: 1, index: 1 }, repeatable: false }, 2)
    ])
    expect(begun.open.map((open) => open.started)).toEqual([false, true])
    const stopped = evolve(begun, stampFact({ _tag: "RunStopped", stop: { _tag: "OutOfTurns" } }, 3))
    expect(stopped.open).toEqual(begun.open)
  })

  it.prop("gives a state of its own Schema, whatever the events", [Schema.Array(RunEvent)], ([events]) => {
    expect(Schema.is(RunState)(fold(events))).toBe(true)
  }, runs)

  it.prop("results stand in call order, in whatever order they come in (I1)", [Schema.Array(Round)], ([rounds]) => {
    const events = [started, ...eventsOf(rounds)]
    for (const state of events.map((_, i) => fold(events.slice(0, i + 1)))) {
      state.transcript.forEach((message, i) => {
        const asked = state.transcript[i - 1]
        if (message._tag !== "Results") return
        expect(asked?._tag === "ToolCalls" && asked.calls.map((call) => call.id)).toEqual(
          message.results.map((result) => result.callId)
        )
      })
    }
  }, runs)

  it.prop("calls go back only once each has a result, and each result is of its own call", [Round], ([round]) => {
    const state = fold([started, ...eventsOf([round])])
    const complete = round.results.length >= round.reply.calls.length
    expect(state.transcript.at(-1)?._tag).toBe(complete ? "Results" : "ToolCalls")
    const finished = round.reply.calls.slice(0, round.results.length)
    expect(steps(state)).toEqual(finished.map((call, index) => ({
      place: { turn: 1, index },
      call,
      result: { ...round.results[index]!.result, callId: call.id }
    })))
  }, runs)

  it.prop("spent is the sum of what was reported (I4)", [Schema.Array(RunEvent)], ([all]) => {
    const events = all.filter(({ _tag }) => _tag !== "ToolSpent")
    const since = events.slice(events.findLastIndex((event) => event._tag === "RunStarted") + 1)
    const reported = since.flatMap((event) =>
      event._tag === "Replied" ? [event.reply.usage] : event._tag === "RunFailed" ? event.usage ?? [] : []
    )
    const { spent } = fold(events)
    expect(spent.turns).toBe(since.filter((event) => event._tag === "Replied").length)
    for (const part of ["input", "cacheWrite", "cacheRead", "output"] as const) {
      const sum = reported.reduce((total, usage) => total + usage[part], 0)
      expect(spent.usage[part]).toBe(Math.min(sum, Number.MAX_SAFE_INTEGER))
    }
  }, runs)

  it.prop(
    "what an agent that is called has spent counts once, however often it is told (I4)",
    [ToolCalls, Schema.Array(Schema.Struct({ index: Schema.Natural, tokens: Small, again: Schema.Boolean }))],
    ([reply, told]) => {
      const all = new Map<number, number>()
      const events = told.flatMap(({ again, index: any, tokens }) => {
        const index = any % reply.calls.length
        all.set(index, (all.get(index) ?? 0) + tokens)
        const spent = spentOf({ turns: 1, output: all.get(index) ?? 0 })
        const event = stampFact({ _tag: "ToolSpent", place: { turn: 1, index }, spent }, 1)
        return again ? [event, event] : [event]
      })
      const { current, spent } = fold([started, stampFact({ _tag: "Replied", reply }, 1), ...events])
      const sum = [...all.values()].reduce((a, b) => a + b, 0)
      expect(spent.usage.output).toBe(Math.min(reply.usage.output + sum, Number.MAX_SAFE_INTEGER))
      expect(current).toEqual(spent)
    },
    runs
  )

  it("a first result stands, and a result for no open call changes nothing", () => {
    const reply = {
      _tag: "ToolCalls",
      calls: [{ id: "same", name: "a", input: 1 }, { id: "same", name: "a", input: 2 }],
      usage: Usage.zero
    } as const
    const asked = fold([started, stampFact({ _tag: "Replied", reply }, 1)])
    const finish = (turn: number, index: number, content: string) =>
      stampFact(
        { _tag: "ToolFinished", place: { turn, index }, result: { callId: "same", content, isError: false } },
        1
      )
    const once = evolve(asked, finish(1, 1, "first"))
    expect(evolve(once, finish(1, 1, "second"))).toEqual(once)
    expect(evolve(asked, finish(2, 0, "later turn"))).toEqual(asked)
    expect(evolve(asked, finish(1, 2, "no such call"))).toEqual(asked)
    expect(steps(once).map(({ place, result }) => [place.index, result.content])).toEqual([[1, "first"]])
  })
})

describe("next", () => {
  it.prop("is total and deterministic", [Schema.Array(RunEvent), Limits], ([events, limits]) => {
    const state = fold(events)
    expect(Schema.is(Command)(next(state, limits))).toBe(true)
    expect(next(structuredClone(state), limits)).toEqual(next(state, limits))
  }, runs)

  it.prop("asks and runs nothing once a limit is reached (I3)", [RunState, SmallLimits], ([state, limits]) => {
    const spent = state.current
    const crossed = spent.turns >= limits.maxTurns ||
      (limits.maxTokens !== undefined && Usage.total(spent.usage) >= limits.maxTokens)
    if (crossed) {
      const command = next(state, limits)
      const isLastTurn = command._tag === "AskModel" && command.isLast
      const isAtWork = command._tag === "RunTools" &&
        command.calls.every(({ place }) => state.open[place.index]?.share !== undefined)
      expect(isLastTurn || isAtWork || command._tag === "Stop" || command._tag === "AwaitApproval").toBe(true)
    }
  }, runs)

  it.prop("runs just the calls that have no result yet, under their own place", [Round], ([round]) => {
    const state = fold([started, ...eventsOf([round])])
    const open = round.reply.calls.flatMap((call, index) =>
      index < round.results.length ? [] : [{ place: { turn: 1, index }, call }]
    )
    const answer = round.results.slice(0, round.reply.calls.length).find(({ result: { content, isAnswer, isError } }) =>
      isAnswer === true && !isError && typeof content === "string"
    )
    const whenDone = answer === undefined
      ? { _tag: "AskModel", isLast: false }
      : { _tag: "Stop", stop: { _tag: "Answered", text: answer.result.content } }
    expect(next(state, { maxTurns: 2 })).toEqual(open.length === 0 ? whenDone : { _tag: "RunTools", calls: open })
  }, runs)

  it.prop("a stopped run goes on saying so", [RunState, Limits], ([state, limits]) => {
    const stop = { _tag: "OutOfTurns" } as const
    expect(next({ ...state, stop }, limits)).toEqual({ _tag: "Stop", stop })
  }, runs)

  it("asks the model first", () => {
    expect(next(fold([started]), { maxTurns: 1 })).toEqual({ _tag: "AskModel", isLast: false })
    expect(next(empty, { maxTurns: 1 })).toEqual({ _tag: "AskModel", isLast: false })
  })
})

describe("RunEvent", () => {
  const json = Schema.fromJsonString(RunEvent)
  it.prop("encoding and decoding give the same event", [RunEvent], ([event]) => {
    expect(Schema.decodeSync(json)(Schema.encodeSync(json)(event))).toEqual(copy(event))
  }, { arbitrary: { runs: 500 } })
})
