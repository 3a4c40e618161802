/**
 * Every choice of a run, in one read. Three pure functions: `decide` is the rule after a reply, `evolve` folds an event into
 * the state, `next` tells the shell what to do. The same arguments always give the same value.
 */
import { Command, Decision } from "./Command.ts"
import { crossed, type Limits, since, type Spent } from "./Limits.ts"
import type { ModelReply } from "./Reply.ts"
import type { RunEvent } from "./RunEvent.ts"
import { empty, type OpenCall, type RunState } from "./RunState.ts"
import { Stop } from "./Stop.ts"
import { type CallPlace, interrupted, neverRan } from "./ToolCall.ts"
import type { Message } from "./Transcript.ts"
import * as Usage from "./Usage.ts"

/**
 * From the model's reply and what the run has spent: run these calls, or stop. An answer is kept even over budget, as it
 * is paid for; a limit only keeps the loop from going round again (I2, I3).
 */
export const decide = (reply: ModelReply, spent: Spent, limits: Limits): Decision => {
  switch (reply._tag) {
    case "Answer":
      return stopWith(Stop.cases.Answered.make({ text: reply.text }))
    case "Stopped": {
      const detail = reply.detail === undefined ? {} : { detail: reply.detail }
      return stopWith(Stop.cases.ModelStopped.make({ reason: reply.reason, ...detail }))
    }
    case "ToolCalls":
      return atLimit(spent, limits) ?? { _tag: "RunTools", calls: reply.calls }
  }
}

/** What the shell is to do next. Total: a run that has stopped goes on saying so. */
export const next = (state: RunState, limits: Limits): Command => {
  if (state.stop !== undefined) return stopWith(state.stop)
  const last = state.transcript.at(-1)
  switch (last?._tag) {
    case undefined:
    case "Task":
    case "Results":
      return atLimit(since(state.spent, state.before), limits) ?? { _tag: "AskModel" }
    case "Answer":
    case "ToolCalls":
    case "Stopped": {
      const decision = decide(last, since(state.spent, state.before), limits)
      return decision._tag === "Stop" ? decision : { _tag: "RunTools", calls: unfinished(state) }
    }
  }
}

/** Folds one event into the state. Total: an event about a call that is not open changes nothing, and a first result stands. */
export const evolve = (state: RunState, event: RunEvent): RunState => {
  switch (event._tag) {
    case "RunStarted":
      return {
        ...empty,
        runId: event.runId,
        instructions: event.instructions,
        limits: event.limits,
        transcript: [{ _tag: "Task", text: event.task }]
      }
    case "Replied":
      return {
        ...state,
        transcript: [...state.transcript, event.reply],
        open: event.reply._tag === "ToolCalls" ? event.reply.calls.map((call) => ({ call, started: false })) : [],
        spent: { turns: state.spent.turns + 1, usage: Usage.add(state.spent.usage, event.reply.usage) }
      }
    case "ToolStarted":
      return withOpen(state, event.place, (open) => ({ ...open, started: !event.repeatable }))
    case "ToolFinished":
      return handBack(
        withOpen(state, event.place, (open) => open.result === undefined ? { ...open, result: event.result } : open)
      )
    case "RunResumed":
      return handBack({ ...goingOn(state), limits: event.limits, open: state.open.map(closeStarted) })
    case "FollowedUp": {
      const closed = handBack({ ...goingOn(state), open: state.open.map(closeStarted).map(closeOpen) })
      const task: Message = { _tag: "Task", text: event.task }
      return { ...closed, limits: event.limits, before: state.spent, transcript: [...closed.transcript, task] }
    }
    case "RunStopped":
      return { ...state, stop: event.stop }
    case "RunInterrupted":
      return state
    case "RunFailed":
      return event.usage === undefined
        ? state
        : { ...state, spent: { ...state.spent, usage: Usage.add(state.spent.usage, event.usage) } }
  }
}

/** How a run ended that these limits would not let go on: there is nothing to take up. */
export const ended = (state: RunState, limits: Limits): Stop | undefined => {
  switch (state.stop?._tag) {
    case undefined:
      return undefined
    case "Answered":
    case "ModelStopped":
      return state.stop
    case "OutOfTurns":
    case "OutOfTokens": {
      const command = next(goingOn(state), limits)
      return command._tag === "Stop" ? command.stop : undefined
    }
  }
}

/** The state that a list of events adds up to. */
export const fold = (events: ReadonlyArray<RunEvent>, from: RunState = empty): RunState => events.reduce(evolve, from)

const stopWith = (stop: Stop): { readonly _tag: "Stop"; readonly stop: Stop } => ({ _tag: "Stop", stop })

const atLimit = (spent: Spent, limits: Limits): { readonly _tag: "Stop"; readonly stop: Stop } | undefined => {
  switch (crossed(spent, limits)) {
    case "turns":
      return stopWith({ _tag: "OutOfTurns" })
    case "tokens":
      return stopWith({ _tag: "OutOfTokens" })
    case undefined:
      return undefined
  }
}

const goingOn = (state: RunState): RunState => {
  const { stop: _, ...rest } = state
  return rest
}

/** Nobody knows what became of a write that was begun before the run was taken up again, so it is never repeated (I6). */
const closeStarted = (open: OpenCall): OpenCall =>
  open.started && open.result === undefined ? { ...open, result: interrupted(open.call) } : open

/** A conversation that goes on to something else leaves no call without a result (I1). */
const closeOpen = (open: OpenCall): OpenCall =>
  open.result === undefined ? { ...open, result: neverRan(open.call) } : open

const unfinished = (state: RunState) =>
  state.open.flatMap(({ call, result }, index) =>
    result === undefined ? [{ place: { turn: state.spent.turns, index }, call }] : []
  )

const withOpen = (state: RunState, place: CallPlace, change: (open: OpenCall) => OpenCall): RunState =>
  place.turn === state.spent.turns && place.index < state.open.length
    ? { ...state, open: state.open.map((open, index) => index === place.index ? change(open) : open) }
    : state

/** Once every open call has its result they go back as one turn, in the order asked (I1). */
const handBack = (state: RunState): RunState => {
  const [first, ...rest] = state.open.flatMap(({ result }) => result === undefined ? [] : [result])
  if (first === undefined || rest.length + 1 < state.open.length) return state
  const message: Message = { _tag: "Results", results: [first, ...rest] }
  return { ...state, transcript: [...state.transcript, message], open: [] }
}
