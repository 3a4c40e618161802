/**
 * A run as a terminal shows it: words as they come, a line for each call that fills in when it is done, and below all that a block that is
 * drawn anew while something is waited for. What stands above the block stays.
 */
import { type Delta, type RunEvent, type RunObserver, ToolCall } from "@levain/core"
import * as Render from "./Render.ts"
import * as Text from "./Text.ts"

/** What is shown, and since when. Times are in milliseconds. */
export interface Live {
  /** The calls that are in the block, and what the run has spent. */
  readonly screen: Render.Screen
  /** Whether the run goes on. Where it does not, there is no block. */
  readonly isGoing: boolean
  /** When the run was begun or taken up. */
  readonly since: number
  /** What the block waits for apart from calls. */
  readonly waits: { readonly word: string; readonly since: number } | undefined
  /** When the calls in the block were asked for. */
  readonly asked: number
  /** What tools said last, by the call's place. */
  readonly said: ReadonlyMap<string, string>
  /** The words of the last reply so far, and whether the reply is whole. */
  readonly words: { readonly text: string; readonly isWhole: boolean }
}

export const empty: Live = {
  screen: Render.empty,
  isGoing: false,
  since: 0,
  waits: undefined,
  asked: 0,
  said: new Map(),
  words: { text: "", isWhole: true }
}

/** What is to stay on the terminal: lines, or words that the next ones follow. */
export type Shown = ReadonlyArray<string>

/** The run with this event in it, and the lines that stay. */
export const event = (live: Live, event: RunEvent.RunEvent, style: Render.Style): readonly [Live, Shown] => {
  const [screen, plain] = Render.show(live.screen, event, style)
  const left = leaving(live.screen, screen, event)
  const done = left.map(({ call, result }) => doneLine(call, result, event.at - live.asked, style))
  const next = { ...live, screen }
  switch (event._tag) {
    case "RunStarted":
    case "RunResumed":
    case "FollowedUp":
      return [
        { ...next, isGoing: true, since: event.at, asked: event.at, waits: waitsForModel(screen, event.at) },
        done
      ]
    case "Replied": {
      const { reply } = event
      const words = live.words.isWhole ? "" : live.words.text
      const spoken = reply._tag === "ToolCalls" && reply.text !== undefined && reply.text !== words ? [reply.text] : []
      return [
        { ...next, asked: event.at, waits: undefined, said: new Map(), words: { text: words, isWhole: true } },
        spoken.map(Text.printable)
      ]
    }
    case "ToolFinished":
      return [
        { ...next, waits: waitsForModel(screen, event.at) },
        done
      ]
    case "ApprovalAnswered":
      return [next, [...plain.slice(0, 1), ...done]]
    case "RunStopped": {
      const { stop } = event
      const time = ` in ${inSeconds(event.at - live.since)}`
      const open = stop._tag === "AwaitingApproval" ? [] : screen.waiting
      const notRun = open.map(({ call, result }) => doneLine(call, result, undefined, style))
      const said = Render.stopLines(stop, screen, style, { time, isSaid: sameWords(live, stop) })
      return [{ ...next, isGoing: false, waits: undefined }, [...done, ...notRun, ...said]]
    }
    case "RunInterrupted":
    case "RunFailed":
      return [{ ...next, isGoing: false, waits: undefined }, plain]
    case "LimitReached":
      return [next, done]
    case "ApprovalAsked":
    case "BudgetShared":
    case "ToolSpent":
    case "ToolStarted":
      return [next, []]
  }
}

/** The run with this piece of a reply in it, and the words that stay. */
export const delta = (live: Live, delta: Delta.Delta, now: number): readonly [Live, string] => {
  switch (delta._tag) {
    case "Text": {
      const before = live.words.isWhole ? "" : live.words.text
      return [
        { ...live, waits: undefined, words: { text: before + delta.text, isWhole: false } },
        Text.printable(delta.text)
      ]
    }
    case "Thinking":
      return [live.waits?.word === "thinking" ? live : { ...live, waits: waitsFor("thinking", now) }, ""]
    case "Restarted":
      return [{ ...live, waits: waitsFor("waiting for the model", now), words: { text: "", isWhole: true } }, ""]
  }
}

/** The run with what a tool says of its call. */
export const progress = (live: Live, { place, said }: RunObserver.Progress): Live => ({
  ...live,
  said: new Map([...live.said, [nameOf(place), typeof said === "string" ? said : JSON.stringify(said)]])
})

/** The lines of the block. No line is longer than `columns`, and there are no more than `rows`. */
export const block = (
  { asked, isGoing, said, screen, waits }: Live,
  { columns, now, rows, style }: {
    readonly now: number
    readonly columns: number
    readonly rows: number
    readonly style: Render.Style
  }
): ReadonlyArray<string> => {
  if (!isGoing) return []
  const frame = frames[Math.floor(now / 100) % frames.length] ?? "-"
  const lines = screen.waiting.map(({ call, place, result }) => {
    if (result !== undefined) return fit(doneLine(call, result, undefined, Render.plain), columns)
    const told = said.get(nameOf(place))
    return fit(
      `${frame} ${callLine(call)}${told === undefined ? "" : ` … ${Text.oneLine(told)}`}`,
      columns,
      now - asked
    )
  })
  const all = waits === undefined ? lines : [...lines, fit(`${frame} ${waits.word}`, columns, now - waits.since)]
  const shown = all.length <= rows
    ? all
    : [...all.slice(0, rows - 1), fit(`… and ${all.length - rows + 1} more`, columns)]
  return shown.map((line) => style.dim(line))
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

const waitsFor = (word: string, since: number) => ({ word, since })

/** With no call open, it is the model's turn. */
const waitsForModel = ({ waiting }: Render.Screen, since: number) =>
  waiting.length === 0 ? waitsFor("waiting for the model", since) : undefined

const nameOf = ({ index, turn }: ToolCall.CallPlace): string => `${turn}/${index}`

/** The calls that leave the block with this event, each with the result it has by then. */
const leaving = (before: Render.Screen, after: Render.Screen, event: RunEvent.RunEvent) =>
  before.waiting
    .filter(({ place }) => !after.waiting.some((one) => nameOf(one.place) === nameOf(place)))
    .map((one) => ({ call: one.call, result: one.result ?? resultIn(event, one, before.runId) }))

const resultIn = (
  event: RunEvent.RunEvent,
  { begun, call, place }: Render.Waiting,
  runId: string
): ToolCall.ToolResult | undefined => {
  if (event._tag === "RunResumed") return begun ? ToolCall.interrupted(call) : undefined
  if (event._tag !== "ToolFinished" && event._tag !== "ApprovalAnswered") return undefined
  if (nameOf(event.place) !== nameOf(place)) return undefined
  if (event._tag === "ToolFinished") return event.result
  return event.runId === runId && event.verdict._tag === "Denied"
    ? ToolCall.denied(call, event.verdict.reason)
    : undefined
}

const callLine = ({ input, name }: ToolCall.ToolCall): string =>
  `${Text.oneLine(name)} ${Text.oneLine(JSON.stringify(input))}`

const doneLine = (
  call: ToolCall.ToolCall,
  result: ToolCall.ToolResult | undefined,
  took: number | undefined,
  style: Render.Style
): string => {
  if (result === undefined) return `${style.bad("✗")} ${callLine(call)} ${style.bad("not run")}`
  const mark = result.isError ? style.bad("✗") : style.good("✓")
  const time = took === undefined ? "" : ` ${style.dim(inSeconds(took))}`
  return `${mark} ${callLine(call)} → ${Text.oneLine(Render.contentOf(result))}${time}`
}

const sameWords = ({ words }: Live, stop: Extract<RunEvent.RunEvent, { _tag: "RunStopped" }>["stop"]): boolean =>
  stop._tag === "Answered" && stop.text === words.text

const inSeconds = (millis: number): string => `${(Math.max(0, millis) / 1000).toFixed(1)}s`

/** A text cut to the columns that are there, with how long it takes so far behind it. Wide characters take two. */
const fit = (text: string, columns: number, took?: number): string => {
  const tail = took === undefined ? "" : ` ${inSeconds(took)}`
  const room = columns - 1 - tail.length
  let width = 0
  let cut = ""
  for (const { segment } of graphemes.segment(text)) {
    width = width + widthOf(segment)
    if (width > room - 1) return `${cut}…${tail}`
    cut = cut + segment
  }
  return `${cut}${tail}`
}

const graphemes = new Intl.Segmenter()

const widthOf = (grapheme: string): number => (grapheme.codePointAt(0) ?? 0) < 0x1100 || isBraille(grapheme) ? 1 : 2

const isBraille = (grapheme: string): boolean => /^[\u2000-\u28ff]$/u.test(grapheme)
