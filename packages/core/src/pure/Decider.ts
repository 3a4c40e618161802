/**
 * Every choice of a run, in one read. Three pure functions: `decide` is the rule after a reply, `evolve` folds an event into
 * the state, `next` tells the shell what to do. The same arguments always give the same value.
 */
import { Command, Decision, type PlacedCall } from "./Command.ts"
import { crossed, isSame, type Limits, nothingSpent, type Spent } from "./Limits.ts"
import * as Repeats from "./Repeats.ts"
import type { Answer, ModelReply, Stopped } from "./Reply.ts"
import type { RunEvent } from "./RunEvent.ts"
import { empty, type OpenCall, type RunState } from "./RunState.ts"
import type { Stop } from "./Stop.ts"
import { type CallPlace, interrupted, neverRan } from "./ToolCall.ts"
import type { Message, Results, Transcript } from "./Transcript.ts"
import * as Usage from "./Usage.ts"
import * as Waiting from "./Waiting.ts"

/**
 * From the model's reply and what the run has spent: run these calls, or stop. An answer is kept even over budget, as it
 * is paid for; a limit only keeps the loop from going round again (I2, I3).
 */
export const decide = (reply: ModelReply, spent: Spent, limits: Limits): Decision => {
  switch (reply._tag) {
    case "Answer":
    case "Stopped":
      return stopWith(endOf(reply))
    case "ToolCalls":
      return atLimit(spent, limits) ?? { _tag: "RunTools", calls: reply.calls }
  }
}

const endOf = (reply: Answer | Stopped): Stop => {
  if (reply._tag === "Answer") return { _tag: "Answered", text: reply.text }
  const detail = reply.detail === undefined ? {} : { detail: reply.detail }
  return { _tag: "ModelStopped", reason: reply.reason, ...detail }
}

/** What the shell is to do next. Total: a run that has stopped goes on saying so. */
export const next = (state: RunState, limits: Limits): Command => {
  if (state.stop !== undefined) return stopWith(state.stop)
  const last = state.transcript.at(-1)
  const answer = last?._tag === "Results" ? answerIn(last) : undefined
  if (answer !== undefined) return stopWith({ _tag: "Answered", text: answer })
  switch (last?._tag) {
    case undefined:
    case "Task":
    case "Results":
      if (state.lastTurn !== undefined) return { _tag: "AskModel", isLast: true }
      return ending(atLimit(state.current, limits), limits) ?? { _tag: "AskModel", isLast: false }
    case "Answer":
    case "Stopped":
      if (state.draft !== undefined) return { _tag: "AwaitApproval", pending: [state.draft] }
      return stopWith(state.lastTurn === undefined ? endOf(last) : lastWords(state.lastTurn, last))
    case "ToolCalls": {
      if (state.lastTurn !== undefined) return stopWith(lastWords(state.lastTurn, last))
      const decision = decide(last, state.current, limits)
      return decision._tag === "Stop" ? atWork(state) ?? ending(decision, limits) : openCalls(state, limits)
    }
  }
}

/** What the call said that was the answer, if one was: it is kept even over budget, as an answer in words is. */
const answerIn = ({ results }: Results): string | undefined =>
  results.flatMap(({ content, isAnswer, isError }) =>
    isAnswer === true && !isError && typeof content === "string" ? [content] : []
  )[0]

/** A stop at a limit comes after a last turn, where the limits ask for one. */
const ending = <S extends StopCommand | undefined>(stop: S, limits: Limits) =>
  stop !== undefined && limits.finalAnswer === true ? { _tag: "GiveLastTurn", stop: stop.stop } as const : stop

/** Agents that were called before the limit was reached have their share of the budget, and go on with it. */
const atWork = (state: RunState): Command | undefined => {
  const calls = unfinished(state).filter(({ place }) => Waiting.isAtWork(state.open[place.index]))
  return calls.length === 0 ? undefined : { _tag: "RunTools", calls }
}

/** The open calls, without those that were asked for too often. */
const openCalls = (state: RunState, limits: Limits): Command => {
  const calls = unfinished(state)
  const { maxRepeats } = limits
  if (maxRepeats === undefined) return runOrWait(state, calls)
  const judge = Repeats.judge(state, maxRepeats)
  const judged = calls.map((one) => ({ ...one, verdict: judge(one.call, one.place.index) }))
  if (judged.some(({ verdict }) => verdict._tag === "End")) return ending(stopWith({ _tag: "Repeating" }), limits)
  const results = judged.flatMap(({ place, verdict }) =>
    verdict._tag === "Refuse" ? [{ place, result: verdict.result }] : []
  )
  if (results.length > 0) return { _tag: "Refuse", results }
  return runOrWait(state, judged.flatMap(({ verdict, ...one }) => verdict._tag === "Run" ? [one] : []))
}

/** What asks nobody runs at once. What needed a person runs when nothing waits any more, all of it together. */
const runOrWait = (state: RunState, calls: ReadonlyArray<PlacedCall>): Command => {
  const [first, ...rest] = Waiting.pending(state)
  if (first === undefined) return { _tag: "RunTools", calls }
  const free = calls.filter(({ place }) => !Waiting.hasAsked(state.open[place.index]))
  return free.length > 0 ? { _tag: "RunTools", calls: free } : { _tag: "AwaitApproval", pending: [first, ...rest] }
}

/** The limit's stop, with the words of the last turn where there are some. */
const lastWords = (stop: Stop, { text }: ModelReply): Stop =>
  text === undefined || stop._tag === "ModelStopped" || stop._tag === "AwaitingApproval" ? stop : { ...stop, text }

/** Folds one event into the state. Total: an event about a call that is not open changes nothing, and a first result stands. */
export const evolve = (state: RunState, event: RunEvent): RunState => evolving(copied)(state, event)

/** Adds a message to a transcript. */
type Append = (transcript: Transcript, message: Message) => Transcript

const copied: Append = (transcript, message) => [...transcript, message]

/**
 * `evolve` for whoever has no use for the state before: the transcript grows in place, so that a turn costs the same however many were
 * before it. The array that is handed in is left as it is.
 */
export const growing = (): typeof evolve => {
  let own: Array<Message> = []
  return evolving((transcript, message) => {
    if (transcript !== own) own = [...transcript]
    own.push(message)
    return own
  })
}

const evolving = (append: Append) => (state: RunState, event: RunEvent): RunState =>
  timed(state, apply(state, event, append), event)

const apply = (state: RunState, event: RunEvent, append: Append): RunState => {
  switch (event._tag) {
    case "RunStarted":
      return {
        ...empty,
        runId: event.runId,
        instructions: event.instructions,
        limits: event.limits,
        ...(event.approveAnswer === undefined ? {} : { approveAnswer: event.approveAnswer }),
        ...(event.typedAnswer === undefined ? {} : { typedAnswer: event.typedAnswer }),
        liveAt: event.at,
        transcript: [{ _tag: "Task", text: event.task }]
      }
    case "Replied":
      return {
        ...Waiting.withDraft(state, event.reply),
        transcript: isUntyped(state, event.reply)
          ? append(append(state.transcript, event.reply), { _tag: "Task", text: askForCall })
          : append(state.transcript, event.reply),
        open: event.reply._tag === "ToolCalls" ? event.reply.calls.map((call) => ({ call, started: false })) : [],
        ...paid(state, 1, event.reply.usage)
      }
    case "ApprovalAsked":
      return withOpen(state, event.place, (open) => Waiting.ask(open, event.pending))
    case "ApprovalAnswered":
      return handBack(Waiting.answered(state, event), append)
    case "ToolStarted":
      return withOpen(state, event.place, (open) => ({ ...open, started: !event.repeatable }))
    case "BudgetShared":
      return event.shares.reduce((all, { place, share }) => withOpen(all, place, (open) => ({ ...open, share })), state)
    case "ToolSpent": {
      const known = event.place.turn === state.spent.turns ? state.open[event.place.index] : undefined
      if (known === undefined) return state
      const usage = Usage.since((known.spent ?? nothingSpent).usage, event.spent.usage)
      const told = withOpen(state, event.place, (open) => ({ ...open, spent: event.spent }))
      return { ...told, ...paid(state, 0, usage) }
    }
    case "ToolFinished":
      return handBack(
        withOpen(state, event.place, (open) => open.result === undefined ? { ...open, result: event.result } : open),
        append
      )
    case "RunResumed": {
      const isAsBefore = state.limits !== undefined && isSame(state.limits, event.limits)
      const open = state.open.map(closeStarted)
      return handBack({
        ...begun(state, event.at),
        limits: event.limits,
        open: isAsBefore ? open : open.map(withoutShare)
      }, append)
    }
    case "FollowedUp": {
      const { draft: _, lastTurn: __, ...going } = begun(state, event.at)
      const why = state.stop === undefined ? "interrupted" : "limit"
      const closed = handBack({ ...going, open: state.open.map(closeStarted).map(closeOpen(why)) }, append)
      const task: Message = { _tag: "Task", text: event.task }
      return { ...closed, limits: event.limits, current: nothingSpent, transcript: append(closed.transcript, task) }
    }
    case "LimitReached":
      return { ...handBack({ ...state, open: state.open.map(closeOpen("limit")) }, append), lastTurn: event.stop }
    case "RunStopped":
      return { ...state, stop: event.stop }
    case "RunInterrupted":
      return state
    case "RunFailed":
      return event.usage === undefined ? state : { ...state, ...paid(state, 0, event.usage) }
  }
}

/** Words where a call of the tool `answer` was asked for. Those of a last turn are the limit's. */
const isUntyped = (state: RunState, reply: ModelReply): boolean =>
  state.typedAnswer === true && state.lastTurn === undefined && reply._tag === "Answer"

const askForCall = "Your answer was not taken: it must be a call of the tool `answer`. Give it again that way."

const paid = ({ current, spent }: RunState, turns: number, usage: Usage.Usage) => {
  const all = plus(spent, turns, usage)
  return { spent: all, current: current === spent ? all : plus(current, turns, usage) }
}

const plus = (spent: Spent, turns: number, usage: Usage.Usage): Spent => ({
  turns: spent.turns + turns,
  usage: Usage.add(spent.usage, usage),
  elapsed: spent.elapsed
})

/**
 * Time is spent between two events while the run is live: not over the nights it slept, nor while a person is asked. A clock that goes
 * back adds nothing.
 */
const timed = (before: RunState, state: RunState, event: RunEvent): RunState => {
  const { liveAt } = state
  if (liveAt === undefined) return state
  const ended = isEnding(event)
  if (event.at === liveAt && !ended) return state
  const passed = Waiting.isIdle(before) ? 0 : Math.max(0, event.at - liveAt)
  return { ...(ended ? asleep(state) : state), ...(!ended && { liveAt: event.at }), ...later(state, passed) }
}

const asleep = (state: RunState): RunState => {
  const { liveAt: _, ...rest } = state
  return rest
}

const later = ({ current, spent }: RunState, passed: number) => {
  const all = { ...spent, elapsed: spent.elapsed + passed }
  return { spent: all, current: current === spent ? all : { ...current, elapsed: current.elapsed + passed } }
}

/** The events after which a run is not live. */
const isEnding = ({ _tag }: RunEvent): boolean =>
  _tag === "RunStopped" || _tag === "RunFailed" || _tag === "RunInterrupted"

/** How a run ended that these limits would not let go on: there is nothing to take up. */
export const ended = (state: RunState, limits: Limits): Stop | undefined => {
  switch (state.stop?._tag) {
    case undefined:
    case "AwaitingApproval":
      return undefined
    case "Answered":
    case "ModelStopped":
      return state.stop
    case "OutOfTurns":
    case "OutOfTokens":
    case "OutOfCost":
    case "OutOfTime":
    case "Repeating": {
      if (state.lastTurn !== undefined) return state.stop
      const command = next(goingOn(state), { ...limits, finalAnswer: false })
      return command._tag === "Stop" ? command.stop : undefined
    }
  }
}

/** The state that a list of events adds up to. */
export const fold = (events: ReadonlyArray<RunEvent>, from: RunState = empty): RunState =>
  events.reduce(growing(), from)

interface StopCommand {
  readonly _tag: "Stop"
  readonly stop: Stop
}

const stopWith = (stop: Stop): StopCommand => ({ _tag: "Stop", stop })

const atLimit = (spent: Spent, limits: Limits): StopCommand | undefined => {
  switch (crossed(spent, limits)) {
    case "turns":
      return stopWith({ _tag: "OutOfTurns" })
    case "tokens":
      return stopWith({ _tag: "OutOfTokens" })
    case "cost":
      return stopWith({ _tag: "OutOfCost" })
    case "time":
      return stopWith({ _tag: "OutOfTime" })
    case undefined:
      return undefined
  }
}

const goingOn = (state: RunState): RunState => {
  const { stop: _, ...rest } = state
  return rest
}

const begun = (state: RunState, at: number): RunState => ({ ...goingOn(state), liveAt: at })

/** Nobody knows what became of a write that was begun before the run was taken up again, so it is never repeated (I6). */
const closeStarted = (open: OpenCall): OpenCall =>
  open.started && open.result === undefined ? { ...open, result: interrupted(open.call) } : open

/** Under other limits the budget is shared anew. */
const withoutShare = (open: OpenCall): OpenCall => {
  const { share: _, ...rest } = open
  return rest
}

/** A conversation that goes on to something else leaves no call without a result (I1). */
const closeOpen = (why: "limit" | "interrupted") => (open: OpenCall): OpenCall => {
  if (open.result !== undefined) return open
  const waits = open.asks?.some(({ answer }) => answer === undefined) === true
  return { ...open, result: waits ? Waiting.unapproved(open.call) : neverRan(open.call, why) }
}

const unfinished = (state: RunState): ReadonlyArray<PlacedCall> =>
  state.open.flatMap((open, index) => {
    if (open.result !== undefined) return []
    const placed = { place: { turn: state.spent.turns, index }, call: open.call }
    return Waiting.hasAsked(open) ? [withAnswers(placed, open)] : [placed]
  })

const withAnswers = (placed: PlacedCall, { approved, asks }: OpenCall): PlacedCall => ({
  ...placed,
  ...(approved === undefined ? {} : { approved }),
  ...(asks === undefined ? {} : { answers: asks.flatMap(({ answer }) => answer ?? []) })
})

const withOpen = (state: RunState, place: CallPlace, change: (open: OpenCall) => OpenCall): RunState =>
  place.turn === state.spent.turns && place.index < state.open.length
    ? { ...state, open: state.open.map((open, index) => index === place.index ? change(open) : open) }
    : state

/** Once every open call has its result they go back as one turn, in the order asked (I1). */
const handBack = (state: RunState, append: Append): RunState => {
  if (state.open.some(({ result }) => result === undefined)) return state
  const [first, ...rest] = state.open.flatMap(({ result }) => result ?? [])
  if (first === undefined) return state
  const message: Message = { _tag: "Results", results: [first, ...rest] }
  return { ...state, transcript: append(state.transcript, message), open: [] }
}
