/**
 * An agent as a tool of another one: a run of its own, with its own context. Only its task goes in, and only its answer comes out. Its run
 * is named after the call that it is, so that the same call is the same run: called again, it goes on from what is kept of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Agent } from "./Agent.ts"
import * as Approvals from "./Approvals.ts"
import { Journal } from "./Journal.ts"
import { carryOn, claim, errorOf, noBeginning, notBegun, type Run, type RunError, startOf } from "./Lifecycle.ts"
import { Model } from "./Model.ts"
import { MaxDepth, ParentRun } from "./ParentRun.ts"
import type { Answer } from "./pure/Approval.ts"
import { fold } from "./pure/Decider.ts"
import * as Json from "./pure/Json.ts"
import type { RunEvent } from "./pure/RunEvent.ts"
import * as Share from "./pure/Share.ts"
import * as Stop from "./pure/Stop.ts"
import { childRunId, neverRan, type ToolCall, type ToolResult } from "./pure/ToolCall.ts"
import { Unavailable } from "./pure/ToolFailure.ts"
import type { Transcript } from "./pure/Transcript.ts"
import * as Waiting from "./pure/Waiting.ts"
import * as RunLog from "./RunLog.ts"
import * as Tool from "./Tool.ts"
import { Toolset } from "./Toolset.ts"

export interface Options<ET, RT, EM, RM> {
  /** What the model calls it: the agent's own name where left out. */
  readonly name?: string
  /** What it does and when to call it, for the model. */
  readonly description: string
  /** Its own tools. Built with the toolset that it is in, once. */
  readonly tools: Layer.Layer<Toolset, ET, RT>
  /** Its own model. Left out, the one of the run that calls it. */
  readonly model?: Layer.Layer<Model, EM, RM>
  /** Whether a call needs a person's yes before it begins. */
  readonly approval?: Tool.Options<Input, string, RT | RM>["approval"]
  /** How much of its answer the model gets, in UTF-16 units: 50,000 by default. More is cut in the middle. */
  readonly maxChars?: number
}

const Input = Schema.Struct({
  task: Schema.String.annotate({
    description: "The whole task, with all that is needed for it: nothing else of this conversation is seen."
  })
})
type Input = typeof Input.Type

/**
 * Makes a tool of an agent. A stop without an answer is a failed result that says which stop, with its last words. What it spends counts
 * for the run that calls it, and its limits are its own or its share of what is left there, whichever is less. What it waits for
 * suspends the whole tree and is answered at the root. A `Fatal` in it, and a journal that fails, end the whole tree.
 */
export const asTool = <ET, RT, EM = never, RM = never>(
  agent: Agent<unknown>,
  options: Options<ET, RT, EM, RM>
): Tool.Tool<RT | RM> => {
  const name = options.name ?? agent.name
  const { approval, description, maxChars } = options
  return {
    name,
    compile: Effect.gen(function*() {
      const contract = yield* Effect.fromResult(Tool.check(name, {
        description,
        input: Input,
        ...(approval === undefined ? {} : { approval }),
        ...(maxChars === undefined ? {} : { maxChars })
      }))
      const toolset = yield* built(name, options.tools, Toolset)
      const model = options.model === undefined ? undefined : yield* built(name, options.model, Model)
      return {
        spec: { ...contract.spec, access: "reads", idempotent: true, isAgent: true } as const,
        review: contract.review,
        call: (call) =>
          Effect.matchEffect(contract.decode(call), {
            onFailure: (refused) => Effect.succeed(refused),
            onSuccess: ({ task }) => callAgent({ agent, name, toolset, model, maxChars: contract.maxChars }, call, task)
          })
      }
    })
  }
}

/** A service of a Layer of the agent's own, which must not fail: a tool that cannot be used is not offered. */
const built = <I, S, E, R>(
  tool: string,
  layer: Layer.Layer<I, E, R>,
  service: Context.Service<I, S>
) =>
  Effect.mapBoth(Layer.build(layer), {
    onFailure: (error) =>
      error instanceof Tool.InvalidTool ? error : new Tool.InvalidTool({
        tool,
        reason: "layer",
        message: `the agent "${tool}" cannot be offered: ${Json.line(error)}`
      }),
    onSuccess: (context) => Context.get(context, service)
  })

interface Callee {
  readonly agent: Agent<unknown>
  readonly name: string
  readonly toolset: Toolset["Service"]
  readonly model: Model["Service"] | undefined
  readonly maxChars: number
}

const callAgent = Effect.fnUntraced(function*(
  callee: Callee,
  call: ToolCall,
  task: string
): Effect.fn.Return<ToolResult, Tool.NoResult> {
  const { maxChars, name } = callee
  const parent = yield* ParentRun
  const place = yield* Tool.CurrentCall
  const failed = (message: string) => Tool.cut(Tool.failed(call, new Unavailable({ message })), maxChars)
  if (parent === undefined || place === undefined) return failed(`${name} can only be called in a run.`)
  if (parent.depth >= (yield* MaxDepth)) return { ...failed(tooDeep(name, parent.depth)), notRun: "limit" }
  return yield* play(callee, task, parent, place).pipe(
    Effect.flatMap((run) => run === undefined ? Effect.succeed(neverRan(call, "limit")) : resultOf(callee, call, run)),
    Effect.catchTag(
      "RunError",
      ({ reason }) =>
        reason._tag === "ModelError" ? Effect.succeed(failed(`${name} failed: ${reason.message}`)) : Effect.fail(reason)
    ),
    Effect.catchDefect((defect) => Effect.succeed(failed(`${name} broke: ${Json.line(defect)}`)))
  )
})

const tooDeep = (name: string, depth: number): string =>
  `${name} did not run: agents may call agents ${depth} deep, and this would be one more.`

/** Begins the run, or goes on with what is kept of it. Undefined where there is nothing left for it to spend. */
const play = (
  { agent, model, toolset }: Callee,
  task: string,
  parent: ParentRun,
  from: Tool.CallIdentity
): Effect.Effect<Run | undefined, RunError> => {
  const runId = childRunId(from.runId, from)
  const tree = { depth: parent.depth + 1, journal: parent.journal }

  const begin = Effect.gen(function*() {
    const limits = Share.within(agent.limits, parent.share)
    if (limits === undefined) return undefined
    const log = yield* RunLog.make(runId, [], parent.report)
    return yield* carryOn(log, limits, startOf(agent, { runId, task, limits, parent: from }), agent.answer, tree)
  })

  const goOn = Effect.fnUntraced(function*(events: ReadonlyArray<RunEvent>) {
    const log = yield* RunLog.make(runId, events, parent.report)
    const told = parent.report(log.state().spent).pipe(Effect.andThen(answerWith(log, parent.answers)))
    yield* Effect.mapError(told, (reason) => errorOf(log, reason))
    const limits = Share.within(agent.limits, parent.share)
    return limits && (yield* carryOn(log, limits, { _tag: "RunResumed", limits }, agent.answer, tree))
  })

  return keptOf(runId, from).pipe(
    Effect.flatMap((events) => events.length === 0 ? begin : goOn(events)),
    Effect.scoped,
    Effect.provideService(Journal, parent.journal()),
    Effect.provideService(Approvals.Approvals, { ask: () => Effect.undefined }),
    Effect.provideService(Toolset, toolset),
    Effect.provideService(Model, model ?? parent.model)
  )
}

/** What is kept of the run: nothing before it began, and nothing that is another's. */
const keptOf = Effect.fnUntraced(function*(runId: string, from: Tool.CallIdentity) {
  yield* claim(runId)
  const journal = yield* Journal
  const events = yield* journal.read(runId).pipe(
    Effect.catchIf(({ reason }) => reason === "notFound", () => Effect.succeed([])),
    Effect.mapError(notBegun(runId))
  )
  const [first] = events
  const isOurs = first === undefined || (first._tag === "RunStarted" && first.parent?.runId === from.runId)
  return isOurs ? events : yield* notBegun(runId)(noBeginning(runId))
})

/** Records the answers that it does not have yet. They were judged where they were given. */
const answerWith = Effect.fnUntraced(function*(log: RunLog.RunLog, answers: ReadonlyArray<Answer>) {
  for (const answer of answers) {
    const facts = Result.getOrElse(Waiting.accept(log.state(), log.events(), [answer]), () => [])
    for (const fact of facts) yield* log.record(fact)
  }
})

/** Only an answer is one. Any other stop is a failure that says which, with the last words there were. */
const resultOf = (
  { maxChars, name }: Callee,
  call: ToolCall,
  { events, stop }: Run
): Effect.Effect<ToolResult, Tool.Suspended> => {
  if (stop._tag === "Answered") return Effect.succeed(Tool.succeeded(call, stop.text, maxChars))
  if (stop._tag === "AwaitingApproval") return Effect.fail(new Tool.Suspended({ pending: stop.pending }))
  const words = lastWords(fold(events).transcript)
  const said = words === undefined ? "" : ` Before it stopped it said: ${words}`
  const message = `${name} stopped without an answer: ${Stop.inWords(stop)}.${said}`
  return Effect.succeed(Tool.cut(Tool.failed(call, new Unavailable({ message })), maxChars))
}

const lastWords = (transcript: Transcript): string | undefined =>
  transcript.flatMap((message) => "text" in message && message._tag !== "Task" ? message.text ?? [] : []).at(-1)
