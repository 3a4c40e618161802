/**
 * A tool: a typed function with a contract. One input Schema is both what the model reads and what decodes its calls, and
 * whatever a call comes to, the model gets text it can read.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { JournalError } from "./Journal.ts"
import { Pending } from "./pure/Approval.ts"
import * as InputRefusal from "./pure/InputRefusal.ts"
import * as Json from "./pure/Json.ts"
import * as SchemaWords from "./pure/SchemaWords.ts"
import type { JsonSchema } from "./pure/StrictSchema.ts"
import * as StrictSchema from "./pure/StrictSchema.ts"
import * as Text from "./pure/Text.ts"
import { type Block, emptyText, type NotRun, type ToolCall, type ToolResult } from "./pure/ToolCall.ts"
import * as ToolFailure from "./pure/ToolFailure.ts"
import * as ToolInput from "./pure/ToolInput.ts"
import { after, isReady, orFail } from "./Ready.ts"

/**
 * A result that is more than one text, or that says what went wrong in words of its own: a tool's `run` returns one in place of a value, where
 * it has no `output` Schema. Images and documents reach the model as such, and are kept so.
 */
export class Content extends Data.Class<{
  readonly blocks: readonly [Block, ...ReadonlyArray<Block>]
  /** Whether the model is told that the call failed. */
  readonly isError?: boolean
}> {}

/** What a call does to the world. Only a tool that `reads` may be run again by a resume unasked. */
export type Access = "reads" | "writes"

/** A tool's contract: name, description and input go to the model, the rest is for the loop. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** A JSON Schema that strict tool use takes, or any where `strict` is false. */
  readonly inputSchema: JsonSchema
  /** False where the schema is another's, and no provider holds a model to it: it is sent as it is, and decoding holds it all the same. */
  readonly strict?: false
  readonly access: Access
  /** True when a repeat of the same call does no harm. */
  readonly idempotent: boolean
  /** True when a call is a run of its own: it keeps its own events, and has a share of the budget. */
  readonly isAgent?: boolean
}

/** The tool cannot be offered to a model; the message names the tool and what to change. */
export class InvalidTool extends Schema.TaggedError<InvalidTool>()("InvalidTool", {
  tool: Schema.String,
  reason: Schema.Literals(["name", "duplicate", "schema", "option", "layer"]),
  message: Schema.String
}) {}

/**
 * Whether a call needs a person before it runs, with what the person is to see: the decoded input, and why. `BadInput` says what is wrong
 * with an input that no person needs to see, as the call will be refused.
 */
export type Review =
  | { readonly _tag: "Free" }
  | { readonly _tag: "NeedsPerson"; readonly input: Json.Json; readonly why: string }
  | { readonly _tag: "BadInput"; readonly message: string }

/** The review of a call that needs nobody. */
export const free: Review = { _tag: "Free" }

/** A tool with its Schemas compiled: what a toolset offers and calls. */
export interface CompiledTool<out R> {
  readonly spec: ToolSpec
  /** Never fails: where it cannot be told, a person is needed. Nothing where no call of the tool needs a person. */
  readonly review: ((call: ToolCall) => Effect.Effect<Review, never, R>) | undefined
  /** Fails only as `NoResult` says: every other outcome is a result for the model. An interruption passes through. */
  readonly call: (call: ToolCall) => Effect.Effect<ToolResult, NoResult, R>
}

/** The call is a run of its own, and that one waits for a person: called again with the answers, it goes on. */
export class Suspended extends Schema.TaggedError<Suspended>()("Suspended", {
  pending: Schema.NonEmptyArray(Pending)
}) {}

/** What a call may come to besides a result. All but `Suspended` end the run. */
export type NoResult = ToolFailure.Fatal | JournalError | Suspended

/** A tool that needs the services `R`. */
export interface Tool<out R = never> {
  readonly name: string
  /** Checks the contract, and builds what the tool keeps for as long as its toolset lives. */
  readonly compile: Effect.Effect<CompiledTool<R>, InvalidTool, R | Scope.Scope>
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
  /**
   * Whether a call needs a person's yes before it runs: always, or when this says so of the decoded input: true, or why in words. When it
   * fails, dies or takes longer than `timeLimit`, a person is asked. A call that was approved is never begun twice, whatever it does.
   */
  readonly approval?: "always" | ((input: I) => NeedsApproval | Effect.Effect<NeedsApproval, unknown, R>)
  /** Past it the call is `unavailable`. Without it a call may take for ever. */
  readonly timeLimit?: Duration.Input
  /** How much text the model gets of one result, in UTF-16 units: 50,000 by default. More is cut in the middle. */
  readonly maxChars?: number
}

/** Whether a call needs a person; a text says why. */
export type NeedsApproval = boolean | string

/** The default of `maxChars`. */
export const defaultMaxChars = 50_000

/** Makes a tool. Nothing is checked until a toolset is built from it, so this never throws. */
export const make = <I, O, R = never>(name: string, options: Options<I, O, R>): Tool<R> =>
  makeOf(name, options, () => check(name, options))

/**
 * A tool whose contract is somebody else's JSON Schema, which need not be one that strict tool use takes: `input` decodes what it describes.
 * Where it can be held strictly it is.
 */
export const foreign = <I, O, R = never>(name: string, inputSchema: JsonSchema, options: Options<I, O, R>): Tool<R> =>
  makeOf(name, options, () =>
    contract(
      name,
      options,
      Result.match(StrictSchema.fromForeign(inputSchema), {
        onFailure: () => ({ inputSchema, strict: false }),
        onSuccess: (strict) => ({ inputSchema: strict })
      })
    ))

const makeOf = <I, O, R>(
  name: string,
  options: Options<I, O, R>,
  contractOf: () => Result.Result<Contract<I, R>, InvalidTool>
): Tool<R> => ({
  name,
  compile: Effect.suspend(() =>
    Effect.fromResult(Result.gen(function*() {
      const contract = yield* contractOf()
      const write = yield* writer(name, options.output)
      const access = options.access ?? "reads"
      return {
        spec: { ...contract.spec, access, idempotent: options.idempotent ?? access === "reads" },
        review: contract.review,
        call: caller(contract, options.run, write)
      }
    }))
  )
})

/** What of a tool is the same whatever a call comes to. */
export interface Contract<I, R> {
  readonly spec: Pick<ToolSpec, "name" | "description" | "inputSchema" | "strict">
  readonly review: CompiledTool<R>["review"]
  /** The input, or the result that says why it is none. */
  readonly decode: (call: ToolCall) => Effect.Effect<I, ToolResult>
  readonly timeLimit: Duration.Duration
  readonly maxChars: number
}

type ContractOptions<I, R> = Pick<Options<I, never, R>, "description" | "input" | "approval" | "timeLimit" | "maxChars">

/** Checks a contract: its name, its options, and its input, which must be a strict JSON Schema. */
export const check = <I, R>(name: string, options: ContractOptions<I, R>): Result.Result<Contract<I, R>, InvalidTool> =>
  Result.flatMap(strictSchema(name, options.input), (inputSchema) => contract(name, options, { inputSchema }))

/** What of a contract is sent. */
type Sent = Pick<ToolSpec, "inputSchema" | "strict">

const contract = <I, R>(
  name: string,
  options: ContractOptions<I, R>,
  sent: Sent
): Result.Result<Contract<I, R>, InvalidTool> =>
  Result.gen(function*() {
    yield* checkName(name)
    const maxChars = yield* checkMaxChars(name, options.maxChars ?? defaultMaxChars)
    const timeLimit = yield* checkTimeLimit(name, options.timeLimit ?? Duration.infinity)
    const decode = decoder(sent.inputSchema, options.input)
    const { approval, description, input } = options
    return {
      spec: { name, description: Text.mend(description), ...sent },
      review: approval === undefined ? undefined : reviewer({ name, input, timeLimit }, approval, decode),
      decode: (call) => orFail(decode(call), ({ refusal }) => badInput(call, refusal)),
      timeLimit,
      maxChars
    }
  })

/** Which call a tool is answering: its run, the turn that asked for it and its index there. */
export interface CallIdentity {
  readonly runId: string
  readonly turn: number
  readonly index: number
}

/**
 * The call that a tool is answering, for tools that make their writes idempotent: a call that runs again after its run was taken up
 * has the identity it had before. Nothing outside a run.
 */
export const CurrentCall = Context.Reference<CallIdentity | undefined>("@levain/core/Tool/CurrentCall", {
  defaultValue: () => undefined
})

/** A call's identity as one word, to be used as an idempotency key. */
export const keyOf = ({ index, runId, turn }: CallIdentity): string => `${runId}/${turn}/${index}`

/** Where what a call says goes: nowhere by default. */
export const CurrentProgress = Context.Reference<(said: Json.Json) => Effect.Effect<void>>(
  "@levain/core/Tool/CurrentProgress",
  { defaultValue: () => () => Effect.void }
)

/**
 * Tells the observers of the run how the current call gets on. Nobody else hears it: not the model, and not the journal. A slow observer
 * slows the tool, and none can fail it. Without an observer, outside a run and once the call has its result it does nothing.
 */
export const progress = (said: Json.Json): Effect.Effect<void> => Effect.flatMap(CurrentProgress, (tell) => tell(said))

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

const invalidOption = (tool: string, option: string, takes: string): Result.Result<never, InvalidTool> =>
  Result.fail(
    new InvalidTool({ tool, reason: "option", message: `the tool "${tool}" has a ${option} that is not ${takes}.` })
  )

const checkMaxChars = (tool: string, maxChars: number): Result.Result<number, InvalidTool> =>
  Number.isSafeInteger(maxChars) && maxChars >= 1
    ? Result.succeed(maxChars)
    : invalidOption(tool, "maxChars", "a whole number from 1 up")

const checkTimeLimit = (tool: string, input: Duration.Input): Result.Result<Duration.Duration, InvalidTool> => {
  const limit = Option.getOrUndefined(Duration.fromInput(input))
  return limit !== undefined && Duration.toMillis(limit) > 0
    ? Result.succeed(limit)
    : invalidOption(tool, "timeLimit", "a time longer than nothing")
}

const strictSchema = <I>(
  tool: string,
  input: Schema.ConstraintCodec<I, unknown>
): Result.Result<JsonSchema, InvalidTool> =>
  Result.try({
    try: () => {
      const codec = Schema.toCodecJson(input)
      const options = { onExcessProperty: "error" } as const
      const plain = Schema.toJsonSchemaDocument(codec, options)
      const described = Schema.toJsonSchemaDocument(codec, { ...options, generateDescriptions: true })
      return Result.getOrThrow(
        Result.map(
          Result.all([Json.fromUnknown(plain), Json.fromUnknown(described)]),
          ([a, b]) => SchemaWords.withExpected(a, b)
        )
      )
    },
    catch: (error) => invalidSchema(tool, `it has no JSON Schema. ${Json.line(error)}`)
  }).pipe(
    Result.flatMap((document) => {
      const { definitions = {}, schema = {} } = asObject(document)
      return Result.mapError(
        StrictSchema.fromDocument(
          asObject(schema),
          Object.fromEntries(Object.entries(asObject(definitions)).map(([name, one]) => [name, asObject(one)]))
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

/** Reads an input with patience, and decodes it. */
const decoder = <I>(inputSchema: JsonSchema, schema: Schema.ConstraintCodec<I, unknown>): Decode<I> => {
  const read = ToolInput.lenient(inputSchema)
  const misfit = ToolInput.misfit(inputSchema)
  const isExact = ToolInput.exact(inputSchema)
  const codec = Schema.toCodecJson(schema)
  const decode = Schema.decodeUnknownEffect(codec)
  const decodeStrictly = Schema.decodeUnknownEffect(codec, { errors: "all", onExcessProperty: "error" })
  return (call) => {
    const input = read(call.input)
    const wrong = misfit?.(input)
    if (wrong !== undefined) return Effect.fail({ refusal: wrong })
    const decoded = isExact?.(input) === true ? decode(input) : undefined
    if (decoded !== undefined && isReady(decoded)) return Exit.succeed(decoded.value)
    return Effect.mapError(
      decodeStrictly(input),
      (error) => ({ refusal: InputRefusal.explain(inputSchema, error.issue, input) })
    )
  }
}

type Decode<I> = (call: ToolCall) => Effect.Effect<I, Refused>

const caller = <I, O, R>(
  { decode, maxChars, spec: { name }, timeLimit }: Contract<I, R>,
  run: Options<I, O, R>["run"],
  write: (output: O) => Effect.Effect<string | Content, ToolFailure.Unavailable>
): CompiledTool<R>["call"] => {
  const answer = (call: ToolCall): Effect.Effect<ToolResult, unknown, R> => {
    const answered = (output: O) => after(write(output), (content) => Exit.succeed(written(call, content, maxChars)))
    const decoded = decode(call)
    return isReady(decoded) ? after(run(decoded.value), answered) : Effect.matchEffect(decoded, {
      onFailure: (refused) => Exit.succeed(cut(refused, maxChars)),
      onSuccess: (input) => after(run(input), answered)
    })
  }
  return (call) =>
    apart(
      name,
      timeLimit,
      Effect.suspend(() => answer(call)),
      (exit) =>
        Exit.isSuccess(exit)
          ? Exit.succeed(exit.value)
          : Effect.map(contain(call, exit.cause), (result) => cut(result, maxChars))
    )
}

const written = (call: ToolCall, content: string | Content, maxChars: number): ToolResult => {
  if (typeof content === "string") return succeeded(call, content, maxChars)
  const { blocks, isError = false } = content
  const [first, ...others] = blocks
  return others.length === 0 && first.type === "text"
    ? cut({ callId: call.id, content: first.text, isError }, maxChars)
    : {
      callId: call.id,
      content: [cutBlock(first, maxChars), ...others.map((one) => cutBlock(one, maxChars))],
      isError
    }
}

const cutBlock = (block: Block, maxChars: number): Block =>
  block.type === "text" ? { type: "text", text: Text.cut(Text.mendOr(block.text, emptyText), maxChars) } : block

/** A result in words, of which the model gets so many. */
export const succeeded = (call: ToolCall, content: string, maxChars: number): ToolResult =>
  cut({ callId: call.id, content, isError: false }, maxChars)

/** A result with no more text than this, and never none. */
export const cut = (result: ToolResult, maxChars: number): ToolResult =>
  typeof result.content === "string"
    ? { ...result, content: Text.cut(Text.mendOr(result.content, emptyText), maxChars) }
    : result

/** Input that does not decode, in words for the model. */
interface Refused {
  readonly refusal: string
}

const reviewer = <I, R>(
  { input, name, timeLimit }: Pick<Options<I, never, R>, "input"> & {
    readonly name: string
    readonly timeLimit: Duration.Duration
  },
  approval: NonNullable<Options<I, never, R>["approval"]>,
  decode: Decode<I>
): NonNullable<CompiledTool<R>["review"]> => {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(input))
  const needs = (input: I): Effect.Effect<NeedsApproval, unknown, R> => {
    const said = approval === "always" ? true : approval(input)
    return Effect.isEffect(said) ? said : Effect.succeed(said)
  }
  const judge = Effect.fnUntraced(function*(call: ToolCall, input: I) {
    const said = yield* needs(input)
    if (said === false) return free
    const shown = Json.fromUnknown(yield* encode(input))
    return needsPerson(Result.getOrElse(shown, () => call.input), said === true ? "" : said)
  })
  const needsPerson = (input: Json.Json, why: string): Review => ({
    _tag: "NeedsPerson",
    input,
    why: Text.mendOr(why, `${name} runs only with a person's yes.`)
  })
  return (call) =>
    apart(
      name,
      timeLimit,
      Effect.matchEffect(decode(call), {
        onFailure: ({ refusal }) => Effect.succeed<Review>({ _tag: "BadInput", message: refusal }),
        onSuccess: (input) => judge(call, input)
      }),
      (exit) =>
        Exit.isSuccess(exit)
          ? Exit.succeed(exit.value)
          : Effect.succeed(needsPerson(call.input, `whether ${name} needs a person could not be told.`))
    )
}

const badInput = (call: ToolCall, message: string): ToolResult =>
  failed(call, new ToolFailure.BadInput({ message }), "badInput")

/** Every cause but one with a `Fatal` in it is a result for the model. */
const contain = (call: ToolCall, cause: Cause.Cause<unknown>): Effect.Effect<ToolResult, ToolFailure.Fatal> => {
  const failure = Result.getOrElse(
    Result.try(() => failureIn(cause)),
    () => new ToolFailure.Unavailable({ message: "the tool failed with a value that has no words" })
  )
  return failure._tag === "Fatal" ? Effect.fail(failure) : Effect.succeed(failed(call, failure))
}

/** Reading what a tool failed with may throw, when it is a value that does. */
const failureIn = (cause: Cause.Cause<unknown>): ToolFailure.ToolFailure | ToolFailure.Fatal => {
  const errors = cause.reasons.flatMap((reason) => reason._tag === "Fail" ? [reason.error] : [])
  const fatal = errors.find((error) => error instanceof ToolFailure.Fatal)
  const failure = fatal ?? errors.find(ToolFailure.isToolFailure)
  if (failure !== undefined) return failure
  const why = Cause.hasInterruptsOnly(cause) ? "the tool interrupted itself" : Json.line(Cause.squash(cause))
  return new ToolFailure.Unavailable({ message: why })
}

/** How long an interrupted run waits for a tool that has no time limit of its own. */
const grace = Duration.seconds(10)

/**
 * Runs a tool in a fiber of its own: what kills that fiber cannot kill the run, and what ignores its interruption cannot hold it
 * past the limit. An interruption of the run interrupts the tool and waits for its finalizers, as long as the limit or the grace allows.
 */
const apart = <A, E, R, B, F>(
  name: string,
  limit: Duration.Duration,
  effect: Effect.Effect<A, E, R>,
  told: (exit: Exit.Exit<A, E | ToolFailure.Unavailable>) => Effect.Effect<B, F>
): Effect.Effect<B, F, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.contextWith((context: Context.Context<R>) => {
      const fiber = Effect.runForkWith(context)(effect)
      const exit = fiber.pollUnsafe()
      return exit === undefined ? Effect.flatMap(awaited(name, limit, fiber, restore), told) : told(exit)
    })
  )

/** The end of a fiber, or of the wait for it. */
const awaited = <A, E>(
  name: string,
  limit: Duration.Duration,
  fiber: Fiber.Fiber<A, E>,
  restore: <B, F, R>(effect: Effect.Effect<B, F, R>) => Effect.Effect<B, F, R>
): Effect.Effect<Exit.Exit<A, E | ToolFailure.Unavailable>> => {
  const ended = (most: Duration.Duration) => Effect.timeoutOption(Fiber.await(fiber), most)
  // Waits in a fiber of its own, as ours is being interrupted.
  const wait = (most: Duration.Duration) => Effect.flatMap(Effect.forkDetach(ended(most)), Fiber.await)
  const stop = Effect.forkDetach(Fiber.interrupt(fiber), { startImmediately: true })
  const exit = Duration.isFinite(limit)
    ? Effect.flatMap(
      ended(limit),
      Option.match({
        onSome: (exit) => Effect.succeed<Exit.Exit<A, E | ToolFailure.Unavailable>>(exit),
        onNone: () => Effect.as(stop, Exit.fail(tooLong(name, limit)))
      })
    )
    : Fiber.await(fiber)
  return Effect.onInterrupt(
    restore(exit),
    () => Effect.andThen(stop, wait(Duration.isFinite(limit) ? limit : grace))
  )
}

const tooLong = (name: string, limit: Duration.Duration) =>
  new ToolFailure.Unavailable({ message: `${name} took longer than ${Duration.format(limit)}.` })

/** How a tool's outcome becomes text: words as they are, anything else as JSON, and nothing is never silence. */
const writer = <O>(
  tool: string,
  output: Schema.ConstraintCodec<O, unknown> | undefined
): Result.Result<(value: O) => Effect.Effect<string | Content, ToolFailure.Unavailable>, InvalidTool> => {
  if (output === undefined) {
    return Result.succeed((value) => value instanceof Content ? Exit.succeed(value) : toText(value))
  }
  return Result.try({
    try: () => Schema.encodeUnknownEffect(Schema.toCodecJson(output)),
    catch: (error) => invalidSchema(tool, `its output has no JSON. ${Json.line(error)}`)
  }).pipe(Result.map((encode) => (value: O) => {
    const unlike = (error: Schema.SchemaError) =>
      new ToolFailure.Unavailable({
        message: `what the tool returned is not its output: ${Text.oneLine(error.message)}.`
      })
    return after(orFail(encode(value), unlike), toText)
  }))
}

const toText = (value: unknown): Effect.Effect<string, ToolFailure.Unavailable> => {
  if (value === undefined) return Exit.succeed("(no output)")
  if (typeof value === "string") return Exit.succeed(value)
  const text = Json.textOf(value)
  return Result.isSuccess(text)
    ? Exit.succeed(text.success)
    : Effect.fail(
      new ToolFailure.Unavailable({ message: `what the tool returned cannot be written down: ${text.failure}.` })
    )
}
