/** How a run is shown while it happens: as JSON lines, as lines of text, as its answer alone, or drawn on a terminal. */
import { type Delta, RunEvent, type RunObserver } from "@levain/core"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as Live from "./pure/Live.ts"
import * as Render from "./pure/Render.ts"
import * as Text from "./pure/Text.ts"

/** Told of one run, as an observer is. */
export interface Printer {
  readonly event: (event: RunEvent.RunEvent) => Effect.Effect<void>
  readonly delta: (delta: Delta.Delta) => Effect.Effect<void>
  readonly progress: (progress: RunObserver.Progress) => Effect.Effect<void>
  /** Something else has the terminal until this is done; what is to be shown meanwhile is shown after it. */
  readonly aside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface Options {
  readonly json: boolean
  readonly quiet: boolean
}

/** The printer that flags and terminal ask for. `before` happened already, and was printed then; nothing of it is open if the run `isOver`. */
export const make = Effect.fnUntraced(function*(
  { json, quiet }: Options,
  before: ReadonlyArray<RunEvent.RunEvent>,
  isOver = false
): Effect.fn.Return<Printer, never, Scope.Scope | Stdio.Stdio | Terminal.Terminal> {
  if (json) return asJson
  const style = (yield* isColoured) ? Render.coloured : Render.plain
  const known = before.reduce((seen, event) => Live.event(seen, event, style)[0], Live.empty)
  const screen = isOver ? { ...known.screen, waiting: [] } : known.screen
  if (quiet) return asAnswer(screen, style)
  return (yield* canDraw)
    ? yield* onTerminal({ ...known, screen, words: Live.empty.words }, style)
    : asLines(screen, style)
})

const toJson = Schema.encodeUnknownEffect(Schema.fromJsonString(RunEvent.RunEvent))

/** A wait before the next try would be silence: it is told where it does not mix with the output. */
const tellRestart = (delta: Delta.Delta): Effect.Effect<void> =>
  delta._tag === "Restarted"
    ? Console.error(`levain: ${Text.oneLine(delta.why)} What came of this reply so far does not count.`)
    : Effect.void

const plainly = (event: Printer["event"]): Printer => ({
  event,
  delta: tellRestart,
  progress: () => Effect.void,
  aside: (effect) => effect
})

/** What is an event can be encoded. */
const asJson = plainly((event) => Effect.flatMap(Effect.orDie(toJson(event)), Console.log))

/** A printer that says of each event what `lines` says. */
const printing = (
  begin: Render.Screen,
  lines: (screen: Render.Screen, event: RunEvent.RunEvent) => readonly [Render.Screen, ReadonlyArray<string>]
): Printer => {
  let screen = begin
  return plainly((event) =>
    Effect.suspend(() => {
      const [next, said] = lines(screen, event)
      screen = next
      return Effect.forEach(said, (line) => Console.log(line), { discard: true })
    })
  )
}

const asLines = (begin: Render.Screen, style: Render.Style): Printer =>
  printing(begin, (screen, event) => Render.show(screen, event, style))

const asAnswer = (begin: Render.Screen, style: Render.Style): Printer =>
  printing(begin, (screen, event) => {
    const [next] = Render.show(screen, event, style)
    if (event._tag !== "RunStopped") return [next, []]
    const { stop } = event
    return [next, stop._tag === "Answered" ? [Text.printable(stop.text)] : Render.stopLines(stop, next, style)]
  })

/** Draws words as they come, and below them what is waited for, ten times a second until the scope closes. */
const onTerminal = Effect.fnUntraced(function*(begin: Live.Live, style: Render.Style) {
  const terminal = yield* Terminal.Terminal
  let live = begin
  let drawn = 0
  let isInLine = false
  let asides = 0
  let held = ""

  const erased = (): string => {
    if (drawn === 0) return ""
    const up = drawn === 1 ? "" : `\u001b[${drawn - 1}A`
    drawn = 0
    return `\r${up}\u001b[J`
  }
  const newLine = (): string => {
    if (!isInLine) return ""
    isInLine = false
    return "\n"
  }
  const draw = Effect.fnUntraced(function*(lines: Live.Shown, words = "") {
    const columns = (yield* terminal.columns) || 80
    const rows = (yield* terminal.rows) || 24
    const now = yield* Clock.currentTimeMillis
    let out = erased()
    if (lines.length > 0) out += newLine() + lines.map((line) => `${line}\n`).join("")
    if (words !== "") {
      out += words
      isInLine = !words.endsWith("\n")
    }
    if (asides > 0) {
      held += out
      return
    }
    const block = Live.block(live, { columns, rows: rows - 1, now, style })
    if (block.length > 0) {
      out += newLine() + block.join("\n")
      drawn = block.length
    }
    if (out !== "") yield* display(out)
  })
  const display = (text: string) => Effect.orDie(terminal.display(text))
  const leave = Effect.suspend(() => display(erased() + newLine()))
  const aside: Printer["aside"] = (effect) =>
    Effect.acquireUseRelease(
      Effect.andThen(leave, Effect.sync(() => asides = asides + 1)),
      () => effect,
      () =>
        Effect.suspend(() => {
          asides = asides - 1
          const text = held
          held = ""
          return Effect.andThen(display(text), draw([]))
        })
    )

  yield* Effect.addFinalizer(() => leave)
  yield* Effect.suspend(() => drawn > 0 ? draw([]) : Effect.void).pipe(
    Effect.delay("100 millis"),
    Effect.forever,
    Effect.forkScoped
  )
  const printer: Printer = {
    event: (event) =>
      Effect.suspend(() => {
        const [next, lines] = Live.event(live, event, style)
        live = next
        return draw(lines)
      }),
    delta: (delta) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const [next, words] = Live.delta(live, delta, now)
        live = next
        return delta._tag === "Restarted" ? aside(tellRestart(delta)) : draw([], words)
      }),
    progress: (progress) =>
      Effect.suspend(() => {
        live = Live.progress(live, progress)
        return draw([])
      }),
    aside
  }
  return printer
})

/** Whether what is printed can be drawn over: a terminal that can move its cursor. */
const canDraw = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  return (yield* stdio.stdoutIsTerminal) && (yield* textOf("TERM")) !== "dumb"
})

/** Only on a terminal, and not where NO_COLOR says otherwise (no-color.org: any text but an empty one). */
export const isColoured = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  return (yield* textOf("NO_COLOR")) === "" && (yield* stdio.stdoutIsTerminal)
})

const textOf = (name: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.map(Config.option(Config.String(name)), Option.getOrElse(() => "")), () => "")
