/** A kept run as a timeline: what ran beside what, for how long, and what each reply used. Times are milliseconds from the run's first event. */
import { type RunEvent, type ToolCall, Usage } from "@levain/core"
import * as Render from "./Render.ts"
import * as Text from "./Text.ts"

/** Something that took time: a reply, or a call. */
export interface Span {
  readonly name: string
  readonly from: number
  /** Where it ended; nothing for what never did. */
  readonly to: number | undefined
  /** What it used, where that is known. */
  readonly usage?: Usage.Usage
  /** Why it is no success, in a word. */
  readonly wrong?: string
  /** How far in it is shown: below the turn, or the call, that it is of. */
  readonly depth: number
}

/**
 * What took time in a run: each reply, below it the calls that it asks for, and below these the whole runs of called agents. A call begins
 * with the reply that asks for it. `kept` has the events of the run and of those that it called, by their ids.
 */
export const spans = (
  runId: string,
  kept: ReadonlyMap<string, ReadonlyArray<RunEvent.RunEvent>>
): ReadonlyArray<Span> => spansOf(runId, kept, kept.get(runId)?.[0]?.at ?? 0, 0)

const spansOf = (
  runId: string,
  kept: ReadonlyMap<string, ReadonlyArray<RunEvent.RunEvent>>,
  zero: number,
  depth: number
): ReadonlyArray<Span> => {
  const found: Array<{ span: Span; readonly place?: ToolCall.CallPlace }> = []
  let since = kept.get(runId)?.[0]?.at ?? zero
  let turn = 0
  const open = new Map<string, number>()
  for (const event of kept.get(runId) ?? []) {
    if (event._tag === "Replied") {
      const { reply } = event
      turn = turn + 1
      const name = `turn ${turn}${reply.model === undefined ? "" : ` ${Text.oneLine(reply.model)}`}`
      const wrong = reply._tag === "Stopped" ? { wrong: reply.reason } : {}
      found.push({ span: { name, from: since - zero, to: event.at - zero, usage: reply.usage, depth, ...wrong } })
      if (reply._tag === "ToolCalls") {
        reply.calls.forEach((call, index) => {
          open.set(`${turn}/${index}`, found.length)
          const name = `${Text.oneLine(call.name)} ${Text.oneLine(JSON.stringify(call.input))}`
          found.push({ span: { name, from: event.at - zero, to: undefined, depth: depth + 1 }, place: { turn, index } })
        })
      }
    }
    if (event._tag === "ToolFinished") {
      const at = open.get(`${event.place.turn}/${event.place.index}`)
      const call = at === undefined ? undefined : found[at]
      if (call !== undefined) {
        const { isError, notRun } = event.result
        call.span = { ...call.span, to: event.at - zero, ...(isError ? { wrong: notRun ?? "error" } : {}) }
      }
    }
    since = event.at
  }
  return found.flatMap(({ place, span }) =>
    place === undefined
      ? [span]
      : [span, ...spansOf(`${runId}.${place.turn}-${place.index}`, kept, zero, depth + 2)]
  )
}

const width = 30

/** A line for each: when, how long, a bar on the scale of the whole, tokens, money, and what it was. */
export const lines = (all: ReadonlyArray<Span>, style: Render.Style): ReadonlyArray<string> => {
  const end = Math.max(1, ...all.map(({ from, to }) => to ?? from))
  return all.map(({ depth, from, name, to, usage, wrong }) => {
    const start = Math.min(width - 1, Math.floor(from / end * width))
    const length = Math.max(1, Math.round(((to ?? end) - from) / end * width))
    const bar = `${" ".repeat(start)}${(to === undefined ? "·" : "█").repeat(Math.min(length, width - start))}`.padEnd(
      width
    )
    const tokens = usage === undefined ? "" : `${Usage.total(usage)}`
    const cost = usage?.cost === undefined || usage.cost === 0 ? "" : `$${usage.cost.toFixed(4)}`
    const took = to === undefined ? "unfinished" : seconds(to - from)
    const what = `${"  ".repeat(depth)}${name}${wrong === undefined ? "" : ` ${style.bad(wrong)}`}`
    return `${seconds(from).padStart(8)} ${took.padStart(10)} ${bar} ${tokens.padStart(7)} ${cost.padStart(9)}  ${what}`
  })
}

/** All that was used. */
export const totals = (all: ReadonlyArray<Span>): string => {
  const used = all.flatMap(({ usage }) => usage === undefined ? [] : [usage]).reduce(Usage.add, Usage.zero)
  const { cacheRead, cacheWrite, cost, input, output } = used
  const money = cost === undefined ? "at a cost that is not known" : `for $${cost.toFixed(4)}`
  return `${
    Usage.total(used)
  } tokens ${money}: ${input} in, ${output} out, ${cacheRead} read from the cache, ${cacheWrite} written to it`
}

/** The line above them. */
export const heading = `${"at".padStart(8)} ${"took".padStart(10)} ${"".padEnd(width)} ${"tokens".padStart(7)} ${
  "cost".padStart(9)
}  what`

const seconds = (millis: number): string => `${(millis / 1000).toFixed(2)}s`
