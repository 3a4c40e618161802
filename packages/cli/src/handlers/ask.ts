/** `levain ask`: a question to the bakery's agent, from the arguments or from standard input. */
import { Agent } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as AgentChoice from "../AgentChoice.ts"
import { UsageError } from "../Ending.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as Mcp from "../Mcp.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Otlp from "../Otlp.ts"
import { play } from "../Play.ts"
import * as Settings from "../Settings.ts"

interface Given extends Settings.ShowFlags, Settings.LimitFlags, ModelChoice.Flags, Otlp.Flags {
  readonly question: ReadonlyArray<string>
  readonly agent: string
  readonly mcp: ReadonlyArray<string>
  readonly approveAnswer: boolean
  readonly journal: Option.Option<string>
  readonly noJournal: boolean
}

export const ask = Effect.fnUntraced(
  function*({ agent: name, approveAnswer, journal, json, mcp, noJournal, question, quiet, ...flags }: Given) {
    const { agent, model, tools } = yield* AgentChoice.choose(name)
    const asked = { ...(yield* Settings.withLimits(agent, flags)), approveAnswer }
    const kept = yield* JournalChoice.choose(journal, noJournal)
    const { layer, note } = yield* ModelChoice.choose(flags, model)
    const telemetry = yield* Otlp.choose(flags)
    const all = yield* Mcp.withServers(tools, mcp)
    const task = yield* questionFrom(question)
    if (note !== undefined) yield* json || quiet ? Console.error(note) : Console.log(note)
    const options = noJournal ? { json, quiet } : { json, quiet, commandFor: JournalChoice.commandFor(journal, name) }
    yield* play(Agent.run(asked, task), options).pipe(Effect.provide([all, layer, kept, telemetry]))
  }
)

const questionFrom = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const given = words.join(" ")
  const fromInput = given === "" || given === "-"
  const question = fromInput ? yield* readInput(words.length > 0) : given
  if (question.trim() === "") return yield* new UsageError({ message: noQuestion })
  return question
})

const noQuestion = "there is no question. Try: levain ask \"When are you open?\""

/** All of standard input; nothing where a person sits at it and did not ask for it to be read. */
const readInput = Effect.fnUntraced(function*(asked: boolean) {
  const stdio = yield* Stdio.Stdio
  if (!asked && (yield* stdio.stdinIsTerminal)) return ""
  return yield* Stream.mkString(Stream.decodeText(stdio.stdin)).pipe(
    Effect.mapError((error) => new UsageError({ message: `standard input could not be read: ${error.message}` }))
  )
})
