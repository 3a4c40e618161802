/**
 * A tool: a typed function with a contract. One input Schema is both what the model reads and what decodes its calls, and
 * whatever a call comes to, the model gets text it can read.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "./pure/Json.ts"
import type { JsonSchema } from "./pure/StrictSchema.ts"
import * as StrictSchema from "./pure/StrictSchema.ts"
import * as Text from "./pure/Text.ts"
import { emptyText, type NotRun, type ToolCall, type ToolResult } from "./pure/ToolCall.ts"
import * as ToolFailure from "./pure/ToolFailure.ts"
import * as ToolInput from "./pure/ToolInput.ts"

/** What a call does to the world. Only a tool that `reads` may be run again by a resume unasked. */
export type Access = "reads" | "writes"

/** A tool's contract: name, description and input go to the model, the rest is for the loop. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** A JSON Schema that strict tool use takes. */
  readonly inputSchema: JsonSchema
  readonly access: Access
  /** True when a repeat of the same call does no harm. */
  readonly idempotent: boolean
}

/** The tool cannot be offered to a model; the message names the tool and what to change. */
export class InvalidTool extends Schema.TaggedError<InvalidTool>()("InvalidTool", {
  tool: Schema.String,
  reason: Schema.Literals(["name", "duplicate", "schema"]),
  message: Schema.String
}) {}

/** A tool with its Schemas compiled: what a toolset offers and calls. */
export interface CompiledTool<out R> {
  readonly spec: ToolSpec
  /** Never fails but by `Fatal`: every other outcome is a result for the model. An interruption passes through. */
  readonly call: (call: ToolCall) => Effect.Effect<ToolResult, ToolFailure.Fatal, R>
}

/** A tool that needs the services `R`. */
export interface Tool<out R = never> {
  readonly name: string
  readonly compile: () => Result.Result<CompiledTool<R>, InvalidTool>
}

export interface Options<I, O, R> {
  /** What it does and when to use it, for the model. */
  readonly description: string
  /** A struct. Its fields' `description` annotations are read by the model. */
  readonly input: Schema.ConstraintCodec<I, unknown>
  /** How the result is written for the model. Left out, whatever comes back is written as JSON as well as it can be. */
  readonly output?: Schema.ConstraintCodec<O, unknown>
  /** Only ever sees decoded input. */
  readonly run: (input: I) => Effect.Effect<O, ToolFailure.ToolFailure | ToolFailure.Fatal, R>
  /** `reads` by default. */
  readonly access?: Access
  /** False by default for a tool that writes; a tool that reads is harmless to repeat. */
  readonly idempotent?: boolean
  /** Past it the call is `unavailable`. Without it a call may take for ever. */
  readonly timeLimit?: Duration.Input
  /** How much text the model gets of one result, in UTF-16 units: 50,000 by default. More is cut in the middle. */
  readonly maxChars?: number
}

/** The default of `maxChars`. */
export const defaultMaxChars = 50_000

/** Makes a tool. Nothing is checked until a toolset is built from it, so this never throws. */
export const make = <I, O, R = never>(name: string, options: Options<I, O, R>): Tool<R> => ({
  name,
  compile: () =>
    Result.gen(function*() {
      yield* checkName(name)
      const inputSchema = yield* strictSchema(name, options.input)
      const access = options.access ?? "reads"
      return {
        spec: {
          name,
          description: options.description,
          inputSchema,
          access,
          idempotent: options.idempotent ?? access === "reads"
        },
        call: caller(name, inputSchema, options)
      }
    })
})

/** A result that says what went wrong. */
export const failed = (call: ToolCall, failure: ToolFailure.ToolFailure, notRun?: NotRun): ToolResult => ({
  callId: call.id,
  content: ToolFailure.line(failure),
  isError: true,
  ...(notRun === undefined ? {} : { notRun })
})

/** Providers take letters, digits, `_` and `-`, at most 64 (Anthropic's "Define tools" page). */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

const checkName = (tool: string): Result.Result<void, InvalidTool> =>
  namePattern.test(tool) ? Result.void : Result.fail(
    new InvalidTool({
      tool,
      reason: "name",
      message: `the tool ${JSON.stringify(tool)} needs another name: 1 to 64 letters, digits, "_" or "-".`
    })
  )

const strictSchema = <I>(
  tool: string,
  input: Schema.ConstraintCodec<I, unknown>
): Result.Result<JsonSchema, InvalidTool> =>
  Result.try({
    try: () => Schema.toJsonSchemaDocument(Schema.toCodecJson(input), { onExcessProperty: "error" }),
    catch: (error) => invalidSchema(tool, `it has no JSON Schema. ${Json.line(error)}`)
  }).pipe(
    Result.flatMap((document) => {
      const plain = Json.fromUnknown(document)
      const { definitions = {}, schema = {} } = Result.isSuccess(plain) && Json.isObject(plain.success)
        ? plain.success
        : {}
      return Result.mapError(
        StrictSchema.fromDocument(
          asObject(schema),
          Object.fromEntries(
            Object.entries(asObject(definitions)).map(([name, definition]) => [name, asObject(definition)])
          )
        ),
        ({ advice, keyword, path }) => invalidSchema(tool, `${path} needs the keyword "${keyword}". ${advice}`)
      )
    })
  )

const asObject = (json: Json.Json): JsonSchema => Json.isObject(json) ? json : {}

const invalidSchema = (tool: string, why: string) =>
  new InvalidTool({
    tool,
    reason: "schema",
    message: `the tool "${tool}" cannot be sent as a strict JSON Schema: ${why}`
  })

const caller = <I, O, R>(name: string, inputSchema: JsonSchema, options: Options<I, O, R>): CompiledTool<R>["call"] => {
  const read = ToolInput.lenient(inputSchema)
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(options.input), {
    errors: "all",
    onExcessProperty: "error"
  })
  const write = writer(options.output)
  const maxChars = options.maxChars ?? defaultMaxChars
  const finish = (call: ToolCall, result: ToolResult): ToolResult =>
    typeof result.content === "string"
      ? { ...result, callId: call.id, content: Text.cut(Text.mendOr(result.content, emptyText), maxChars) }
      : result
  const run = options.timeLimit === undefined
    ? options.run
    : (input: I) => within(name, Duration.fromInputUnsafe(options.timeLimit ?? Duration.infinity), options.run(input))
  return (call) =>
    Effect.suspend(() => decode(read(call.input))).pipe(
      Effect.matchEffect({
        onFailure: (error) =>
          Effect.succeed(
            failed(call, new ToolFailure.BadInput({ message: ToolInput.explain(inputSchema, error.issue) }), "badInput")
          ),
        onSuccess: (input) =>
          Effect.map(
            Effect.flatMap(run(input), write),
            (content): ToolResult => ({ callId: call.id, content, isError: false })
          )
      }),
      Effect.catchCause((cause) => contain(call, cause)),
      Effect.map((result) => finish(call, result))
    )
}

/** Every cause but `Fatal` is a result. Only a tool that interrupts itself comes here interrupted: a run's own interruption does not. */
const contain = <E>(call: ToolCall, cause: Cause.Cause<E>): Effect.Effect<ToolResult, ToolFailure.Fatal> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error instanceof ToolFailure.Fatal) return Effect.fail(error)
  if (ToolFailure.isToolFailure(error)) return Effect.succeed(failed(call, error))
  const why = Cause.hasInterruptsOnly(cause) ? "the tool interrupted itself" : Json.line(Cause.squash(cause))
  return Effect.succeed(failed(call, new ToolFailure.Unavailable({ message: why })))
}

/** Runs a tool apart, so that one which ignores its interruption cannot hold the run past the limit. */
const within = Effect.fnUntraced(
  function*<A, E, R>(name: string, limit: Duration.Duration, run: Effect.Effect<A, E, R>) {
    const fiber = yield* Effect.forkDetach(run, { startImmediately: true })
    return yield* Fiber.join(fiber).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.andThen(
            Effect.forkDetach(Fiber.interrupt(fiber)),
            Effect.fail(new ToolFailure.Unavailable({ message: `${name} took longer than ${Duration.format(limit)}.` }))
          )
      }),
      Effect.onInterrupt(() => Fiber.interrupt(fiber))
    )
  }
)

/** How a tool's outcome becomes text: words as they are, anything else as JSON, and nothing is never silence. */
const writer = <O>(output: Schema.ConstraintCodec<O, unknown> | undefined) => {
  if (output === undefined) return (value: O) => toText(value)
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(output))
  return (value: O) =>
    Effect.matchEffect(encode(value), {
      onFailure: (error) =>
        Effect.fail(
          new ToolFailure.Unavailable({
            message: `what the tool returned is not its output: ${error.message.replace(/\s*\n\s*/g, " ")}.`
          })
        ),
      onSuccess: toText
    })
}

const toText = (value: unknown): Effect.Effect<string, ToolFailure.Unavailable> => {
  if (value === undefined) return Effect.succeed("(no output)")
  if (typeof value === "string") return Effect.succeed(value)
  const json = Json.fromUnknown(value)
  return Result.isSuccess(json)
    ? Effect.succeed(JSON.stringify(json.success))
    : Effect.fail(
      new ToolFailure.Unavailable({ message: `what the tool returned cannot be written down: ${json.failure}.` })
    )
}
