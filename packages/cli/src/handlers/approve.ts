/** `levain approve` and `levain deny`: answer what a kept run waits for, and go on with it. */
import { Agent, Approval, Decider, Journal, type RunEvent, Waiting } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentChoice from "../AgentChoice.ts"
import * as ChangedInput from "../ChangedInput.ts"
import { UsageError } from "../Ending.ts"
import * as JournalChoice from "../JournalChoice.ts"
import * as ModelChoice from "../ModelChoice.ts"
import * as Otlp from "../Otlp.ts"
import * as Place from "../Place.ts"
import { play } from "../Play.ts"
import type * as Settings from "../Settings.ts"

interface Given extends Settings.ShowFlags, ModelChoice.Flags, Otlp.Flags {
  readonly run: string
  readonly by: Option.Option<string>
  readonly agent: Option.Option<string>
  readonly journal: Option.Option<string>
}

/** Finds the call, answers it with what `verdict` says, and goes on with the run once nothing waits any more. */
const answer = Effect.fnUntraced(function*<E, R>(
  given: Given,
  call: string | undefined,
  verdict: (pending: Approval.Pending, runId: string) => Effect.Effect<Approval.Verdict, E, R>
) {
  const journal = yield* JournalChoice.choose(given.journal)
  const telemetry = yield* Otlp.choose(given)
  yield* Effect.gen(function*() {
    const runId = yield* JournalChoice.findRun(given.run)
    const before = yield* (yield* Journal.Journal).read(runId)
    const { agent, model, tools } = yield* AgentChoice.ofRun(before, given.agent)
    const { layer } = yield* ModelChoice.choose(given, model)
    const pending = yield* find(runId, before, call)
    const by = Option.getOrUndefined(given.by) ?? (yield* Place.user)
    yield* Effect.gen(function*() {
      const said = Approval.answer(pending, by, yield* verdict(pending, runId))
      const going = Effect.andThen(Agent.answer(runId, [said]), Agent.resume(runId, { agent }))
      const { json, quiet } = given
      yield* play(going, {
        json,
        quiet,
        before,
        commandFor: JournalChoice.commandFor(given.journal, Option.getOrUndefined(given.agent))
      })
    }).pipe(
      Effect.catchIf(Approval.isApprovalError, ({ message }) => new UsageError({ message })),
      Effect.provide([tools, layer])
    )
  }).pipe(Effect.provide([journal, telemetry]))
})

/** The call of this name, or the only one that waits. One that was answered is found too: whether it may be again is not ours to say. */
const find = Effect.fnUntraced(function*(
  runId: string,
  events: ReadonlyArray<RunEvent.RunEvent>,
  call: string | undefined
): Effect.fn.Return<Approval.Pending, UsageError> {
  const waits = Waiting.pending(Decider.fold(events))
  const names = waits.map((one) => Approval.nameIn(runId, one))
  const waiting = names.length === 0 ? "nothing of it waits" : `it waits for ${names.join(", ")}`
  if (call === undefined) {
    const [only, ...others] = waits
    if (only !== undefined && others.length === 0) return only
    return yield* new UsageError({ message: `which call of the run ${runId} is meant? ${capital(waiting)}.` })
  }
  const asked = events.flatMap((event) => event._tag === "ApprovalAsked" ? event.pending : [])
  const found = [...waits, ...asked].find((one) => Approval.nameIn(runId, one) === call)
  return found ?? (yield* new UsageError({ message: `the run ${runId} asked nobody about ${call}: ${waiting}.` }))
})

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

export const approve = (
  { call, input, ...given }: Given & { readonly call: Option.Option<string>; readonly input: Option.Option<string> }
) =>
  answer(given, Option.getOrUndefined(call), (pending, runId) =>
    Option.match(input, {
      onNone: () => Effect.succeed<Approval.Verdict>({ _tag: "Approved" }),
      onSome: (text) =>
        Effect.mapBoth(ChangedInput.read(text, runId, pending), {
          onFailure: (why) => new UsageError({ message: `--input: ${why}` }),
          onSuccess: (changed): Approval.Verdict => ({ _tag: "Approved", input: changed })
        })
    }))

export const deny = ({ call, reason, ...given }: Given & { readonly call: string; readonly reason: string }) =>
  answer(given, call, () => Effect.succeed<Approval.Verdict>({ _tag: "Denied", reason }))
