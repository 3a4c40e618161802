/** `levain chat`: a conversation with an agent, whose history is a kept run. */
import { Agent, Decider, Journal, Limits } from "@levain/core"
import * as Console from "effect/Console"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as AgentChoice from "../AgentChoice.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as Lines from "../Lines.ts"
import * as Mcp from "../Mcp.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Otlp from "../Otlp.ts"
import { play } from "../Play.ts"
import * as Text from "../pure/Text.ts"
import * as Settings from "../Settings.ts"

interface Given extends Settings.ShowFlags, Settings.LimitFlags, ModelChoice.Flags, Otlp.Flags {
  readonly agent: string
  readonly mcp: ReadonlyArray<string>
  readonly journal: Option.Option<string>
}

export const chat = Effect.fnUntraced(function*({ agent: name, journal, json, mcp, quiet, ...flags }: Given) {
  const choice = yield* AgentChoice.choose(name)
  const agent = yield* Settings.withLimits(choice.agent, flags)
  const kept = yield* JournalChoice.choose(journal)
  const { layer, note } = yield* ModelChoice.choose(flags, choice.model)
  const telemetry = yield* Otlp.choose(flags)
  const tools = yield* Mcp.withServers(choice.tools, mcp)
  if (note !== undefined) yield* Console.error(note)
  const talk = Effect.gen(function*() {
    const runId = yield* Effect.sync(() => SecureRandom.uuidV4Unsafe())
    const { read } = yield* Journal.Journal
    const { next } = yield* Lines.make
    const said = Effect.orElseSucceed(read(runId), () => [])
    while (true) {
      const message = yield* next
      if (message === undefined || message === "/exit") return
      const before = yield* said
      if (message === "/cost") yield* Console.log(Limits.inWords(Decider.fold(before).spent))
      else if (message === "/messages") {
        for (const one of Decider.fold(before).transcript) yield* Console.log(JSON.stringify(one))
      } else if (message.startsWith("/")) yield* Console.error(`levain: there is no ${message}. There are ${words}.`)
      else if (message !== "") {
        const going = before.length === 0
          ? Agent.run(agent, message, { runId })
          : Agent.continue(runId, message, { agent })
        yield* play(going, { json, quiet, before, commandFor: JournalChoice.commandFor(journal, name) }).pipe(
          Effect.catchTags({
            Ended: () => Effect.void,
            Failed: ({ message }) => Console.error(`levain: ${Text.oneLine(message)}`)
          })
        )
      }
    }
  })
  yield* Effect.scoped(talk).pipe(Effect.provide([tools, layer, kept, telemetry]))
})

const words = "/cost, /messages and /exit"
