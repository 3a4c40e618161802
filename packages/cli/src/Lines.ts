/** What a person says, message by message: from a terminal, or from whatever standard input is. */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

/** The next message, without the space around it: a line, or all between two lines of `"""`. Nothing once there is no more. */
export const make = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const line = (yield* stdio.stdinIsTerminal) ? yield* fromTerminal : yield* fromInput
  const next = Effect.gen(function*() {
    const first = yield* line("> ")
    if (first?.trim() !== "\"\"\"") return first?.trim()
    const all: Array<string> = []
    while (true) {
      const more = yield* line("… ")
      if (more === undefined || more.trim() === "\"\"\"") return all.join("\n").trim()
      all.push(more)
    }
  })
  return { next }
})

const fromTerminal = Effect.gen(function*() {
  const { display, readLine } = yield* Terminal.Terminal
  return (prompt: string): Effect.Effect<string | undefined> =>
    Effect.andThen(Effect.orDie(display(prompt)), readLine).pipe(
      Effect.catchIf(Terminal.isQuitError, () => Effect.undefined)
    )
})

const fromInput = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const pull = yield* Stream.toPull(Stream.splitLines(Stream.decodeText(stdio.stdin)))
  const ready: Array<string> = []
  const fill = pull.pipe(
    Effect.map((lines) => ready.push(...lines) > 0),
    Pull.catchDone(() => Effect.succeed(false)),
    Effect.orDie
  )
  return (_prompt: string): Effect.Effect<string | undefined> =>
    Effect.gen(function*() {
      let isMore = true
      while (ready.length === 0 && isMore) isMore = yield* fill
      return ready.shift()
    })
})
