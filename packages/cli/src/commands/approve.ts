/** `levain approve RUN [CALL]` and `levain deny RUN CALL`: answer what a kept run waits for, and go on with it. */
import { Agent, Approval, Decider, Journal, type RunEvent, Waiting } from "@levain/core"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
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
import * as Settings from "../Settings.ts"
import { runArgument } from "./show.ts"

const flags = {
  by: Flag.String("by").pipe(
    Flag.withMetavar("name"),
    Flag.optional,
    Flag.withDescription("Who says so, for the journal (the name of the user)")
  ),
  ...Settings.showFlags,
  agent: AgentChoice.ofRunFlag,
  journal: JournalChoice.journalFlag,
  ...ModelChoice.flags,
  ...Otlp.flags
}

interface Given extends ModelChoice.Flags, Otlp.Flags {
  readonly run: string
  readonly by: Option.Option<string>
  readonly json: boolean
  readonly quiet: boolean
  readonly agent: Option.Option<string>
  readonly journal: Option.Option<string>
}

const callWord = "A call's name, as levain approvals prints it: 1/0"

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
    const { model, tools } = yield* AgentChoice.ofRun(before, given.agent)
    const { layer } = yield* ModelChoice.choose(given, model)
    const pending = yield* find(runId, before, call)
    const by = Option.getOrUndefined(given.by) ?? (yield* Place.user)
    yield* Effect.gen(function*() {
      const said = Approval.answer(pending, by, yield* verdict(pending, runId))
      const going = Effect.andThen(Agent.answer(runId, [said]), Agent.resume(runId))
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

export const approve = Command.make(
  "approve",
  {
    run: runArgument,
    call: Argument.String("call").pipe(
      Argument.optional,
      Argument.withDescription(`${callWord}. Left out where only one waits`)
    ),
    input: Flag.String("input").pipe(
      Flag.withMetavar("JSON"),
      Flag.optional,
      Flag.withDescription("What it is to run with instead; for an answer, the text that is sent instead")
    ),
    ...flags
  },
  ({ call, input, ...given }) =>
    answer(given, Option.getOrUndefined(call), (pending, runId) =>
      Option.match(input, {
        onNone: () => Effect.succeed<Approval.Verdict>({ _tag: "Approved" }),
        onSome: (text) =>
          Effect.mapBoth(ChangedInput.read(text, runId, pending), {
            onFailure: (why) => new UsageError({ message: `--input: ${why}` }),
            onSuccess: (changed): Approval.Verdict => ({ _tag: "Approved", input: changed })
          })
      }))
).pipe(
  Command.withDescription(
    "Say yes to a call that waits for a person. Once nothing of the run waits any more, it goes on."
  ),
  Command.withShortDescription("Say yes to what a run waits for"),
  Command.withExamples([
    { command: "levain approve last", description: "The only call that waits" },
    {
      command: "levain approve last 2/0 --input '{\"day\":\"friday\",\"lines\":[{\"item\":\"rye loaf\",\"count\":1}]}'",
      description: "One call, with another input"
    }
  ])
)

export const deny = Command.make(
  "deny",
  {
    run: runArgument,
    call: Argument.String("call").pipe(Argument.withDescription(callWord)),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why, for the model to read")),
    ...flags
  },
  ({ call, reason, ...given }) =>
    answer(given, call, () => Effect.succeed<Approval.Verdict>({ _tag: "Denied", reason }))
).pipe(
  Command.withDescription(
    "Say no to a call that waits for a person. The model reads why, once nothing of the run waits any more."
  ),
  Command.withShortDescription("Say no to what a run waits for")
)
