/** `levain resume` and `levain reply`: go on with a run that is kept. */
import { Agent, Journal, type Model, type Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentChoice from "../AgentChoice.ts"
import { UsageError } from "../Ending.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Otlp from "../Otlp.ts"
import { play } from "../Play.ts"
import * as Settings from "../Settings.ts"

interface Given extends Settings.ShowFlags, Settings.LimitFlags, ModelChoice.Flags, Otlp.Flags {
  readonly agent: Option.Option<string>
  readonly journal: Option.Option<string>
  readonly run: string
}

/** Finds the run, and goes on with it as `take` says. */
const goOn = Effect.fnUntraced(function*(
  given: Given,
  take: (
    runId: string,
    options: Agent.TypedGoOnOptions<unknown>
  ) => Effect.Effect<Agent.Run, Agent.RunError, Model.Model | Toolset.Toolset>
) {
  const limits = yield* Settings.limitsOf(given)
  const journal = yield* JournalChoice.choose(given.journal)
  const telemetry = yield* Otlp.choose(given)
  yield* Effect.gen(function*() {
    const runId = yield* JournalChoice.findRun(given.run)
    const before = yield* (yield* Journal.Journal).read(runId)
    const { agent, model, tools } = yield* AgentChoice.ofRun(before, given.agent)
    const { layer } = yield* ModelChoice.choose(given, model)
    const options = {
      json: given.json,
      quiet: given.quiet,
      before,
      commandFor: JournalChoice.commandFor(given.journal, Option.getOrUndefined(given.agent))
    }
    yield* play(take(runId, limits === undefined ? { agent } : { agent, limits }), options).pipe(
      Effect.provide([tools, layer])
    )
  }).pipe(Effect.provide([journal, telemetry]))
})

export const resume = (given: Given) => goOn(given, (runId, options) => Agent.resume(runId, options))

export const reply = Effect.fnUntraced(
  function*({ message, ...given }: Given & { readonly message: ReadonlyArray<string> }) {
    const task = message.join(" ")
    if (task.trim() === "") {
      return yield* new UsageError({ message: "there is no message. Try: levain reply last \"And on Sunday?\"" })
    }
    yield* goOn(given, (runId, options) => Agent.continue(runId, task, options))
  }
)
