/** A run in spans: its model and its toolset are given new ones that trace and measure, so that the loop knows nothing of it. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { JournalError } from "./Journal.ts"
import { type DeltaSink, Model, type ModelError, type ModelInfo } from "./Model.ts"
import * as GenAi from "./pure/GenAi.ts"
import type { ModelReply } from "./pure/Reply.ts"
import * as Stop from "./pure/Stop.ts"
import type { ToolResult } from "./pure/ToolCall.ts"
import type { Fatal } from "./pure/ToolFailure.ts"
import * as Usage from "./pure/Usage.ts"
import type { RunLog } from "./RunLog.ts"
import * as Telemetry from "./Telemetry.ts"
import type { NoResult } from "./Tool.ts"
import { Toolset } from "./Toolset.ts"

/** Plays a run in spans, and measures it, where that is on. */
export const traced = (
  log: RunLog,
  playing: Effect.Effect<Stop.Stop, PlayError, Model | Toolset>
): Effect.Effect<Stop.Stop, PlayError, Model | Toolset> =>
  Effect.contextWith((context: Context.Context<Model | Toolset>) => {
    const { always = false, content = false } = Context.get(context, Telemetry.Telemetry)
    return always || context.mapUnsafe.has(Tracer.TracerKey) ? inSpans(log, content, playing) : playing
  })

const inSpans = Effect.fnUntraced(function*(
  log: RunLog,
  content: boolean,
  playing: Effect.Effect<Stop.Stop, PlayError, Model | Toolset>
): Effect.fn.Return<Stop.Stop, PlayError, Model | Toolset> {
  const model = yield* Model
  const toolset = yield* Toolset
  const [first] = log.events()
  const agent = first?._tag === "RunStarted" ? first.agent : ""
  const before = log.spent().usage
  const run: RunTrace = {
    log,
    content,
    attributes: { "gen_ai.agent.name": agent, "gen_ai.conversation.id": log.state().runId, ...infoOf(model.info) }
  }
  const work = Effect.fnUntraced(function*(span: Tracer.Span): Effect.fn.Return<Stop.Stop, PlayError> {
    const turns = turnsOf(span)
    const { open, spent } = log.state()
    if (open.length > 0) yield* turns.begin(spent.turns)
    return yield* playing.pipe(
      Effect.provideService(Model, requests(run, turns, model)),
      Effect.provideService(Toolset, calls(run, turns, toolset)),
      Effect.onExit((exit) => turns.end(exit))
    )
  })
  return yield* operation<Stop.Stop, PlayError, never>({
    name: `invoke_agent ${agent}`,
    kind: "internal",
    attributes: { ...run.attributes, "gen_ai.operation.name": "invoke_agent" },
    work,
    told: (exit) => ({
      ...GenAi.usage(Usage.since(before, log.spent().usage)),
      ...(Exit.isSuccess(exit) && { "levain.stop": exit.value._tag })
    }),
    failure: stopFailure
  })
})

type PlayError = ModelError | Fatal | JournalError

/** What the spans of a run share. */
interface RunTrace {
  readonly log: RunLog
  /** Whether they hold what was said. */
  readonly content: boolean
  readonly attributes: GenAi.Attributes
}

const infoOf = (info: ModelInfo | undefined): GenAi.Attributes =>
  info === undefined ? {} : { "gen_ai.provider.name": info.provider, "gen_ai.request.model": info.model }

/** None where the run answered, or goes on once a person has. */
const stopFailure = (stop: Stop.Stop): Failure | undefined =>
  stop._tag === "Answered" || stop._tag === "AwaitingApproval"
    ? undefined
    : { type: stop._tag, message: `the run stopped: ${Stop.inWords(stop)}.` }

/** The spans of a run's turns, one after the other: each ends where the next begins, or the run ends. */
const turnsOf = (run: Tracer.Span) => {
  let current = run
  const end = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
    current === run ? Effect.void : Effect.map(Clock.currentTimeNanos, (now) => current.end(now, Exit.asVoid(exit)))
  const begin = Effect.fnUntraced(function*(turn: number) {
    yield* end(Exit.void)
    current = yield* Effect.makeSpan(`turn ${turn}`, { parent: run, attributes: { "levain.turn": turn } })
    return current
  })
  return { begin, end, current: () => current }
}

type Turns = ReturnType<typeof turnsOf>

/** A model whose every request begins a turn. */
const requests = ({ attributes, content, log }: RunTrace, turns: Turns, model: Model["Service"]): Model["Service"] => ({
  ...model,
  reply: Effect.fnUntraced(function*(request, sink) {
    return yield* operation({
      name: model.info === undefined ? "chat" : `chat ${model.info.model}`,
      kind: "client",
      parent: yield* turns.begin(log.state().spent.turns + 1),
      attributes: {
        ...attributes,
        "gen_ai.operation.name": "chat",
        ...(content && {
          "gen_ai.system_instructions": GenAi.instructions(request.instructions),
          "gen_ai.input.messages": GenAi.messages(request.transcript)
        })
      },
      work: (span) =>
        model.reply(request, restartsIn(span, sink)).pipe(Effect.onExit((exit) => bill(attributes, exit))),
      told: (exit) => ({
        ...GenAi.usage(usageOf(exit) ?? Usage.zero),
        ...(Exit.isSuccess(exit) && GenAi.reply(exit.value, content))
      })
    })
  })
})

/** What a request used, as far as it is known. */
const usageOf = (exit: Exit.Exit<ModelReply, ModelError>): Usage.Usage | undefined =>
  Exit.isSuccess(exit) ? exit.value.usage : Option.getOrUndefined(Exit.findErrorOption(exit))?.usage

const restartsIn = (span: Tracer.Span, sink: DeltaSink): DeltaSink => (delta) =>
  delta._tag === "Restarted"
    ? Effect.andThen(
      Effect.map(Clock.currentTimeNanos, (now) => span.event("restarted", now, { "levain.why": delta.why })),
      sink(delta)
    )
    : sink(delta)

/** Counts what a request used. */
const bill = Effect.fnUntraced(function*(attributes: GenAi.Attributes, exit: Exit.Exit<ModelReply, ModelError>) {
  const usage = usageOf(exit)
  if (usage === undefined) return
  const { cost, output } = usage
  const labels = GenAi.labels({ ...attributes, "gen_ai.operation.name": "chat" })
  const count = (type: string, tokens: number) =>
    Metric.update(Metric.withAttributes(Telemetry.tokens, { ...labels, "gen_ai.token.type": type }), tokens)
  yield* count("input", GenAi.input(usage))
  yield* count("output", output)
  if (cost !== undefined) yield* Metric.update(Metric.withAttributes(Telemetry.cost, labels), cost)
})

/** A toolset whose every call is a span in the turn that asked for it. */
const calls = ({ attributes, content }: RunTrace, turns: Turns, toolset: Toolset["Service"]): Toolset["Service"] => {
  const known = new Set(toolset.specs.map(({ name }) => name))
  return {
    ...toolset,
    call: (call) => {
      // A model may ask for any name.
      const tool = known.has(call.name) ? call.name : "_OTHER"
      const labels = { ...attributes, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool }
      return operation<ToolResult, NoResult, never>({
        name: `execute_tool ${tool}`,
        kind: "internal",
        parent: turns.current(),
        attributes: {
          ...labels,
          "gen_ai.tool.type": "function",
          "gen_ai.tool.call.id": call.id,
          ...(content && { "gen_ai.tool.call.arguments": JSON.stringify(call.input) })
        },
        work: () => Effect.tap(toolset.call(call), (result) => countFailure(labels, result)),
        told: (exit) => content && Exit.isSuccess(exit) ? { "gen_ai.tool.call.result": GenAi.text(exit.value) } : {},
        failure: (result) => {
          const type = GenAi.failure(result)
          return type === undefined
            ? undefined
            : { type, message: content ? GenAi.text(result) : `the call failed: ${type}.` }
        }
      })
    }
  }
}

const countFailure = (attributes: GenAi.Attributes, result: ToolResult): Effect.Effect<void> => {
  const type = GenAi.failure(result)
  if (type === undefined) return Effect.void
  const labels = GenAi.labels({ ...attributes, "error.type": type })
  return Metric.update(Metric.withAttributes(Telemetry.toolFailures, labels), 1)
}

interface Failure {
  /** One word of few. */
  readonly type: string
  readonly message: string
}

/** What a span says of a failure that is a value here. */
class Failed extends Data.TaggedError("Failed")<Failure> {
  override readonly name = this.type
}

/** Whether it is a call that waits for a person. */
const waits = (exit: Exit.Exit<unknown, ModelError | NoResult>): boolean =>
  Option.getOrUndefined(Exit.findErrorOption(exit))?._tag === "Suspended"

/** The failure in one word. None where it is no failure: an interruption, or a call that waits for a person. */
const errorType = (exit: Exit.Exit<unknown, ModelError | NoResult>): string | undefined => {
  if (Exit.isSuccess(exit) || waits(exit) || Cause.hasInterruptsOnly(exit.cause)) return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return "_OTHER"
  return error._tag === "ModelError" ? error.reason : error._tag
}

interface Operation<A, E extends ModelError | NoResult, R> {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly parent?: Tracer.Span
  readonly attributes: GenAi.Attributes
  readonly work: (span: Tracer.Span) => Effect.Effect<A, E, R>
  /** What is known of it in the end. */
  readonly told: (exit: Exit.Exit<A, E>) => GenAi.Attributes
  /** What is a failure of it though it is a value. */
  readonly failure?: (value: A) => Failure | undefined
}

/** Works in a span, which says how it went, and measures how long it took. */
const operation = <A, E extends ModelError | NoResult, R>(
  { attributes, failure, kind, name, parent, told, work }: Operation<A, E, R>
): Effect.Effect<A, E, R> => {
  const begin = Effect.zip(
    Effect.makeSpan(name, { kind, attributes, ...(parent === undefined ? {} : { parent }) }),
    Clock.currentTimeNanos
  )
  const end = Effect.fnUntraced(function*(span: Tracer.Span, start: bigint, exit: Exit.Exit<A, E>) {
    const failed = Exit.isSuccess(exit) ? failure?.(exit.value) : undefined
    const error = failed?.type ?? errorType(exit)
    const last = { ...told(exit), ...(error === undefined ? {} : { "error.type": error }) }
    for (const [key, value] of Object.entries(last)) span.attribute(key, value)
    const now = yield* Clock.currentTimeNanos
    span.end(now, failed === undefined ? waits(exit) ? Exit.void : Exit.asVoid(exit) : Exit.fail(new Failed(failed)))
    const labels = GenAi.labels({ ...attributes, ...last })
    yield* Metric.update(Metric.withAttributes(Telemetry.duration, labels), Number(now - start) / 1e9)
  })
  return Effect.acquireUseRelease(
    begin,
    ([span]) => Effect.withParentSpan(work(span), span, { captureStackTrace: false }),
    ([span, start], exit) => end(span, start, exit)
  )
}
