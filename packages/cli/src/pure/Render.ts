/**
 * The events of a run as lines of text. Calls stand in the order they were asked for, each with its result under it: a
 * call's line is shown at once when the ones before it are done, so that the last line is what the run waits for.
 */
import { Approval, Json, Limits, type RunEvent, type Stop, ToolCall, Usage } from "@levain/core"
import * as Text from "./Text.ts"

/** How words are set off on a terminal. */
export interface Style {
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

const same = (text: string): string => text

/** No colour: for pipes and files. */
export const plain: Style = { dim: same, good: same, bad: same }

const sgr = (code: number) => (text: string): string => `\u001b[${code}m${text}\u001b[0m`

/** Colour, for terminals. */
export const coloured: Style = { dim: sgr(2), good: sgr(32), bad: sgr(31) }

/** What is still to be shown, and what the run has spent. */
export interface Screen {
  readonly runId: string
  readonly waiting: ReadonlyArray<Waiting>
  readonly turns: number
  readonly usage: Usage.Usage
}

/** A call whose result is not shown yet. */
export interface Waiting {
  readonly place: ToolCall.CallPlace
  readonly call: ToolCall.ToolCall
  /** Begun in a way that must not be repeated. */
  readonly begun: boolean
  readonly result: ToolCall.ToolResult | undefined
  /** What it has spent, where it is a run of its own. */
  readonly spent?: Usage.Usage
}

export const empty: Screen = { runId: "", waiting: [], turns: 0, usage: Usage.zero }

/** The next screen, and the lines to print. */
export const show = (
  screen: Screen,
  event: RunEvent.RunEvent,
  style: Style
): readonly [Screen, ReadonlyArray<string>] => {
  switch (event._tag) {
    case "RunStarted":
      return [{ ...screen, runId: event.runId }, []]
    case "RunFailed":
      return [screen, []]
    case "RunInterrupted":
      return [screen, [`${style.bad("interrupted")} ${after(screen)}.`]]
    case "ApprovalAsked":
      return [screen, []]
    case "ApprovalAnswered":
      return answered(screen, event, style)
    case "BudgetShared":
      return [screen, []]
    case "ToolSpent": {
      const known = screen.waiting.find((one) => isAt(one, event.place))?.spent ?? Usage.zero
      const usage = Usage.add(screen.usage, Usage.since(known, event.spent.usage))
      return [{ ...screen, usage, waiting: withCall(screen, event.place, { spent: event.spent.usage }) }, []]
    }
    case "ToolStarted":
      return [{ ...screen, waiting: withCall(screen, event.place, { begun: !event.repeatable }) }, []]
    case "RunResumed": {
      const waiting = screen.waiting.map((one) =>
        one.begun && one.result === undefined ? { ...one, result: ToolCall.interrupted(one.call) } : one
      )
      const [left, lines] = finished(waiting, style)
      return [{ ...screen, waiting: left }, [...firstCall(waiting, style), ...lines]]
    }
    case "FollowedUp":
      return [{ ...screen, waiting: [] }, []]
    case "LimitReached":
      return [{ ...screen, waiting: [] }, notRun(screen.waiting, style)]
    case "Replied": {
      const { reply } = event
      const turns = screen.turns + 1
      const usage = Usage.add(screen.usage, reply.usage)
      if (reply._tag !== "ToolCalls") return [{ ...screen, waiting: [], turns, usage }, []]
      const waiting = reply.calls.map((call, index): Waiting => ({
        place: { turn: turns, index },
        call,
        begun: false,
        result: undefined
      }))
      const words = reply.text === undefined ? [] : [Text.printable(reply.text)]
      return [{ ...screen, waiting, turns, usage }, [...words, ...firstCall(waiting, style)]]
    }
    case "ToolFinished": {
      const waiting = withCall(screen, event.place, { result: event.result })
      const [left, lines] = finished(waiting, style)
      return [{ ...screen, waiting: left }, lines]
    }
    case "RunStopped":
      if (event.stop._tag === "AwaitingApproval") return [screen, stopLines(event.stop, screen, style)]
      return [screen, [...notRun(screen.waiting, style), ...stopLines(event.stop, screen, style)]]
  }
}

/** Who said what. A call that was denied has its result by that. */
const answered = (
  screen: Screen,
  answer: Approval.Answer,
  style: Style
): readonly [Screen, ReadonlyArray<string>] => {
  const { by, place, runId, verdict } = answer
  const who = `${Approval.nameIn(screen.runId, answer)} ${verdict._tag === "Denied" ? "denied" : "approved"} by ${
    Text.oneLine(by)
  }`
  if (verdict._tag === "Approved") {
    const changed = verdict.input === undefined ? "" : `, as ${Text.oneLine(Json.word(verdict.input))}`
    return [screen, [`${style.good(who)}${changed}`]]
  }
  const own = runId === screen.runId
  const waiting = own
    ? screen.waiting.map((one) =>
      isAt(one, place) ? { ...one, result: ToolCall.denied(one.call, verdict.reason) } : one
    )
    : screen.waiting
  const [left, lines] = finished(waiting, style)
  return [{ ...screen, waiting: left }, [`${style.bad(who)}: ${Text.oneLine(verdict.reason)}`, ...lines]]
}

const isAt = ({ place }: Waiting, { index, turn }: ToolCall.CallPlace): boolean =>
  place.turn === turn && place.index === index

const withCall = (screen: Screen, place: ToolCall.CallPlace, change: Partial<Waiting>): ReadonlyArray<Waiting> =>
  screen.waiting.map((one) => isAt(one, place) ? { ...one, ...change } : one)

const firstCall = ([first]: ReadonlyArray<Waiting>, style: Style): ReadonlyArray<string> =>
  first === undefined
    ? []
    : [
      `${style.dim(Text.printable(first.call.id))} ${Text.printable(first.call.name)} ${
        Text.printable(JSON.stringify(first.call.input))
      }`
    ]

/** Shows results from the front for as long as there are any, and the call that is waited for next. */
const finished = (
  waiting: ReadonlyArray<Waiting>,
  style: Style
): readonly [ReadonlyArray<Waiting>, ReadonlyArray<string>] => {
  const [first, ...rest] = waiting
  if (first?.result === undefined) return [waiting, []]
  const [left, lines] = finished(rest, style)
  return [left, [resultLine(first.result, style), ...firstCall(rest, style), ...lines]]
}

/** The calls of a reply that a limit kept from running. The first one's line is there already. */
const notRun = ([first, ...rest]: ReadonlyArray<Waiting>, style: Style): ReadonlyArray<string> =>
  first === undefined
    ? []
    : [
      `   ${style.bad("not run")}`,
      ...rest.flatMap((one) => [...firstCall([one], style), `   ${style.bad("not run")}`])
    ]

const resultLine = (result: ToolCall.ToolResult, style: Style): string => {
  const word = result.isError ? style.bad("error") : style.good("ok")
  return `   ${word} ${indented(Text.printable(contentOf(result)))}`
}

/** A result as one text. */
export const contentOf = ({ content }: ToolCall.ToolResult): string =>
  typeof content === "string"
    ? content
    : content.map((block) => block.type === "text" ? block.text : `[${block.type}, ${block.mediaType}]`).join("\n")

const indented = (text: string): string => text.replaceAll("\n", "\n   ")

const after = ({ turns, usage }: Screen, time = ""): string => `after ${Limits.inWords({ turns, usage })}${time}`

/** How a run stopped. Where its answer `isSaid` already, what it took stands below it; `time` says how long that was. */
export const stopLines = (
  stop: Stop.Stop,
  screen: Screen,
  style: Style,
  live?: { readonly time: string; readonly isSaid: boolean }
): ReadonlyArray<string> => {
  switch (stop._tag) {
    case "Answered": {
      if (live === undefined) return [`${style.good("answered")} ${after(screen)}:`, Text.printable(stop.text)]
      const summary = `${style.good("answered")} ${style.dim(`${after(screen, live.time)}.`)}`
      return live.isSaid ? [summary] : [Text.printable(stop.text), summary]
    }
    case "OutOfTurns":
      return atLimit("out of turns", "the model wanted more. Allow more with --max-turns.", stop, screen, style)
    case "OutOfTokens":
      return atLimit("out of tokens", "the model wanted more. Allow more with --max-tokens.", stop, screen, style)
    case "OutOfCost":
      return atLimit("over its cost", costAdvice(screen), stop, screen, style)
    case "OutOfTime":
      return atLimit("out of time", "the model wanted more. Allow more with --max-duration.", stop, screen, style)
    case "Repeating": {
      const why = "the model asked again for what it was refused as a repeat. Allow more with --max-repeats."
      return atLimit("repeating itself", why, stop, screen, style)
    }
    case "AwaitingApproval":
      return [
        `${style.bad("waiting for a person")} ${after(screen)}:`,
        ...stop.pending.flatMap((one) => pendingLines(screen.runId, one))
      ]
    case "ModelStopped":
      return [
        `${style.bad(`stopped by the model (${stop.reason})`)} ${after(screen)}${
          stop.detail === undefined ? "." : `: ${Text.printable(stop.detail)}`
        }`
      ]
  }
}

/** What a person is to decide on: the call's name, what it would do, and why it asks. */
export const pendingLines = (rootId: string, pending: Approval.Pending): ReadonlyArray<string> => {
  const { input, tool, why } = pending
  const name = Approval.nameIn(rootId, pending)
  return tool === undefined
    ? [`${name} the answer: ${Text.oneLine(why)}`, `   ${indented(Text.printable(Json.word(input)))}`]
    : [`${name} ${Text.printable(tool)} ${Text.printable(JSON.stringify(input))}`, `   ${Text.oneLine(why)}`]
}

const costAdvice = ({ usage }: Screen): string =>
  usage.cost === undefined
    ? "what a reply cost is not known, and --max-cost needs it to be."
    : "the model wanted more. Allow more with --max-cost."

/** A limit, and the words of the last turn where there was one. */
const atLimit = (
  name: string,
  why: string,
  { text }: { readonly text?: string },
  screen: Screen,
  style: Style
): ReadonlyArray<string> => [
  `${style.bad(name)} ${after(screen)}: ${why}`,
  ...(text === undefined ? [] : ["Before it stopped it said:", Text.printable(text)])
]
