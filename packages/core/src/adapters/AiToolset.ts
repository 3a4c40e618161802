/**
 * The tools of an `effect/ai` toolkit under this loop, as they are: their handlers come from the toolkit's Layer. The loop keeps what is its
 * own: inputs are decoded and refused as any tool's are, a call that needs a person waits, results stand in the order asked.
 */
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Json from "../pure/Json.ts"
import type { Block } from "../pure/ToolCall.ts"
import * as ToolFailure from "../pure/ToolFailure.ts"
import * as Tool from "../Tool.ts"
import * as Toolset from "../Toolset.ts"
import * as ForeignSchema from "./ForeignSchema.ts"

type Tools = Record<string, AiTool.Any>

/** What a toolkit needs: its handlers, and what its tools ask of each request. */
type Needs<T extends Tools> = AiTool.HandlersFor<T> | AiTool.HandlerServices<T[keyof T]>

/**
 * A toolset of a toolkit. What a tool's annotations say decides what a resume may repeat: `Readonly` reads, unless it is `Destructive` by its own
 * word; `Idempotent` may be repeated; whatever else is a write. `needsApproval` is asked with the decoded input, and a predicate that fails
 * asks. With `failureMode: "return"` a failure is a result for the model; with `"error"` it is the run's, as a `Fatal`.
 */
export const layer = <T extends Tools>(
  toolkit: Toolkit.Toolkit<T>
): Layer.Layer<Toolset.Toolset, Tool.InvalidTool, Needs<T>> => Toolset.layer(...tools(toolkit))

/** The same as tools, to stand beside others: `Toolset.layer(mine, ...AiToolset.tools(theirs))`. */
export const tools = <T extends Tools>(toolkit: Toolkit.Toolkit<T>): ReadonlyArray<Tool.Tool<Needs<T>>> =>
  Object.values(toolkit.tools).map((tool) => ({
    name: tool.name,
    compile: Effect.flatMap(toolkit, (handled) => toolOf<Needs<T>>(tool, handlerOf(handled)).compile)
  }))

/** A handler of any tool by its name. Which parameters it takes only its Schema knows. */
type Handle<R> = (
  name: string,
  params: unknown,
  callId: string
) => Effect.Effect<Stream.Stream<AiTool.HandlerResult<AiTool.Any>, unknown, R>, unknown, R>

const handlerOf = <T extends Tools, R>({ handle }: Toolkit.WithHandler<T>): Handle<R> => {
  const any: unknown = handle
  return isHandle<R>(any) ? any : () => Effect.die("a toolkit without a handler")
}

/** The types of a toolkit name each tool. Here they are looked up by name, and what is handed in is what the tool's own Schema encoded. */
const isHandle = <R>(handle: unknown): handle is Handle<R> => typeof handle === "function"

const toolOf = <R>(tool: AiTool.Any, handle: Handle<R>): Tool.Tool<R> => {
  const { name } = tool
  if (AiTool.isProviderDefined(tool)) return refused(name, "is run by its provider, so this loop cannot run it")
  const isReadonly = Context.get(tool.annotations, AiTool.Readonly) && !isDestructive(tool)
  const params = parametersOf(tool)
  const options: Tool.Options<unknown, Tool.Content, R> = {
    description: AiTool.getDescription(tool) ?? "",
    input: params.schema,
    access: isReadonly ? "reads" : "writes",
    idempotent: isReadonly || Context.get(tool.annotations, AiTool.Idempotent),
    ...approvalOf(tool),
    run: (input) =>
      params.encode(input).pipe(
        Effect.flatMap((encoded) => Effect.flatMap(callId, (id) => handle(name, encoded, id))),
        Effect.flatMap(lastOf),
        Effect.mapError(failureOf)
      )
  }
  return params.json === undefined ? Tool.make(name, options) : Tool.foreign(name, params.json, options)
}

/** Destructive is what a tool is by default, so only its own word counts against its being readonly. */
const isDestructive = ({ annotations }: AiTool.Any): boolean =>
  annotations.mapUnsafe.has(AiTool.Destructive.key) && Context.get(annotations, AiTool.Destructive)

const refused = (tool: string, why: string): Tool.Tool => ({
  name: tool,
  compile: Effect.fail(new Tool.InvalidTool({ tool, reason: "option", message: `the tool "${tool}" ${why}.` }))
})

interface Parameters {
  /** The JSON Schema of a tool that has no other. */
  readonly json?: Json.JsonObject
  readonly schema: Schema.Codec<unknown, unknown>
  readonly encode: (input: unknown) => Effect.Effect<unknown, Schema.SchemaError>
}

/** A tool without parameters has a record that holds nothing. What a Schema needs of services is among the toolkit's needs. */
const parametersOf = (tool: AiTool.Any): Parameters => {
  if (AiTool.isDynamic(tool) && tool.jsonSchema !== undefined) {
    const json = Result.getOrElse(Json.fromUnknown(tool.jsonSchema), () => null)
    const own = Json.isObject(json) ? json : {}
    return { json: own, schema: ForeignSchema.make(own), encode: Effect.succeed }
  }
  const { parametersSchema } = tool
  const schema = isEmpty(tool) || !ForeignSchema.isCodec(parametersSchema) ? Schema.Struct({}) : parametersSchema
  return { schema, encode: Schema.encodeUnknownEffect(schema) }
}

const isEmpty = ({ parametersSchema }: AiTool.Any): boolean => parametersSchema.ast === AiTool.EmptyParams.ast

const callId = Effect.map(Tool.CurrentCall, (call) => call === undefined ? "" : Tool.keyOf(call))

/** The conversation before the call is the loop's, so a predicate is shown none of it. */
const approvalOf = ({ needsApproval }: AiTool.Any): Pick<Tool.Options<unknown, never, never>, "approval"> => {
  if (needsApproval === undefined || needsApproval === false) return {}
  if (needsApproval === true) return { approval: "always" }
  return {
    approval: (input) =>
      Effect.flatMap(callId, (toolCallId) => {
        const needs = needsApproval(input, { toolCallId, messages: [] })
        return typeof needs === "boolean" ? Effect.succeed(needs) : needs
      })
  }
}

/** What comes before the last result is progress. */
const lastOf = <E, R>(results: Stream.Stream<AiTool.HandlerResult<AiTool.Any>, E, R>) =>
  results.pipe(
    Stream.tap((result) =>
      result.preliminary
        ? Tool.progress(Result.getOrElse(Json.fromUnknown(result.encodedResult), () => null))
        : Effect.void
    ),
    Stream.filter((result) => !result.preliminary),
    Stream.runLast,
    Effect.flatMap(Option.match({
      onNone: () => new ToolFailure.Unavailable({ message: "the tool gave no result." }),
      onSome: (result) => Effect.succeed(contentOf(result))
    }))
  )

const contentOf = ({ encodedResult, isFailure, modelOutput }: AiTool.HandlerResult<AiTool.Any>): Tool.Content => {
  const [first, ...others] = (modelOutput ?? []).flatMap(blockOf)
  return new Tool.Content({
    blocks: first === undefined ? [{ type: "text", text: textOf(encodedResult) }] : [first, ...others],
    isError: isFailure
  })
}

const textOf = (result: unknown): string => {
  if (result === undefined) return "(no output)"
  return typeof result === "string" ? result : Result.getOrElse(Json.textOf(result), (why) => `(${why})`)
}

/** A file of which there is only the address is told as such. */
const blockOf = (part: Prompt.ToolModelOutputPart): ReadonlyArray<Block> => {
  if (part.type === "text") return [{ type: "text", text: part.text }]
  const { data, mediaType } = part
  const type = mediaType.startsWith("image/") ? "image" : "document"
  if (typeof data === "string") return [{ type, mediaType, data }]
  return "href" in data ? [{ type: "text", text: data.href }] : [{ type, mediaType, data: Base64.encode(data) }]
}

/** A failure of the toolkit's own is the tool's; any other is what its author wants the run to end with. */
const failureOf = (error: unknown): ToolFailure.ToolFailure | ToolFailure.Fatal => {
  if (ToolFailure.isToolFailure(error) || error instanceof ToolFailure.Fatal) return error
  if (AiError.isAiError(error)) return new ToolFailure.Unavailable({ message: error.message })
  if (Schema.isSchemaError(error)) return new ToolFailure.BadInput({ message: error.message })
  return new ToolFailure.Fatal({ message: Json.line(error) })
}
