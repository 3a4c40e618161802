/**
 * The tools of an MCP server under this loop, over `effect/ai`'s client. They are those that the server lists when the Layer is built. Inputs are
 * checked by the server's own JSON Schemas before they are sent; what comes back are words, images and documents. A server that dies is
 * `unavailable` to the calls that were at work, and is started again once.
 */
import * as McpClient from "effect/ai/McpClient"
import type { McpClientError } from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as McpSchema from "effect/ai/McpSchema"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Json from "../pure/Json.ts"
import * as Text from "../pure/Text.ts"
import type { Block } from "../pure/ToolCall.ts"
import * as ToolFailure from "../pure/ToolFailure.ts"
import * as Tool from "../Tool.ts"
import * as Toolset from "../Toolset.ts"
import * as ForeignSchema from "./ForeignSchema.ts"

export interface Options {
  /** What the server is called in messages. */
  readonly server: string
  /** Put before each tool's name, so that those of several servers are told apart. Nothing by default. */
  readonly prefix?: string
  /** Past it a call is `unavailable`: a minute by default. */
  readonly timeLimit?: Duration.Input
}

/**
 * The tools of the server that `connect` gives a client of, for as long as its scope lives. Fails with `InvalidTool` where the server cannot be
 * reached or one of its tools not be offered.
 */
export const layer = <R>(
  connect: Effect.Effect<McpClient.McpClient, McpClientError, R | Scope.Scope>,
  options: Options
): Layer.Layer<Toolset.Toolset, Tool.InvalidTool, Exclude<R, Scope.Scope>> =>
  Layer.unwrap(
    Effect.gen(function*() {
      const connection = yield* keep(connect, options)
      const listed = yield* connection.listTools
      return Toolset.layer(...listed.map((tool) => toolOf(tool, connection, options)))
    }).pipe(Effect.mapError(unusable(options)))
  )

export interface StdioOptions extends Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Besides the variables of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** The tools of a server that is a program: it is started, and ended with the Layer. */
export const layerStdio = (
  options: StdioOptions
): Layer.Layer<Toolset.Toolset, Tool.InvalidTool, ChildProcessSpawner> => {
  const { args = [], command, env = {} } = options
  const program = ChildProcess.make(command, args, { env, extendEnv: true, stderr: "ignore" })
  return layer(connected(McpClient.stdio({ command: program, protocol })), options)
}

export interface HttpOptions extends Options {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The tools of a server that is reached over streamable HTTP. */
export const layerHttp = (
  options: HttpOptions
): Layer.Layer<Toolset.Toolset, Tool.InvalidTool, HttpClient.HttpClient> => {
  const { headers = {}, url } = options
  return layer(connected(McpClient.http({ url, headers, protocol })), options)
}

/** The version that servers speak today. */
const protocol = McpProtocol.v2025_11_25

const connected = <R>(transport: Effect.Effect<McpClient.Transport, McpClientError, R>) =>
  Effect.provideServiceEffect(McpClient.make({ name: "levain", version: "0.1.0" }), McpClient.Transport, transport)

const unusable = ({ server }: Options) => (error: McpClientError): Tool.InvalidTool =>
  new Tool.InvalidTool({
    tool: server,
    reason: "layer",
    message: `the MCP server "${server}" cannot be used: ${Text.oneLine(error.message)}.`
  })

/** A client that is replaced once. */
interface Connection {
  readonly listTools: Effect.Effect<ReadonlyArray<McpSchema.Tool>, McpClientError>
  readonly call: (
    tool: McpSchema.Tool,
    input: Json.JsonObject
  ) => Effect.Effect<McpSchema.CallToolResult, McpClientError | ToolFailure.Unavailable>
}

const keep = Effect.fnUntraced(function*<R>(
  connect: Effect.Effect<McpClient.McpClient, McpClientError, R | Scope.Scope>,
  { server }: Options
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const turn = Semaphore.makeUnsafe(1)
  const open = Effect.gen(function*() {
    const own = yield* Scope.fork(scope)
    const client = yield* connect.pipe(
      Effect.provideService(Scope.Scope, own),
      Effect.provideContext(context),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
    return { client, close: Scope.close(own, Exit.void) }
  })
  let current = yield* open
  let isGone = false
  let restarts = 1
  const live = turn.withPermit(Effect.gen(function*() {
    if (!isGone) return current
    if (restarts === 0) {
      return yield* new ToolFailure.Unavailable({
        message: `the MCP server "${server}" ended twice, and is not started again.`
      })
    }
    restarts = restarts - 1
    yield* current.close
    current = yield* open
    isGone = false
    return current
  }))
  return {
    listTools: Effect.suspend(() => current.client.listTools()),
    call: (tool, input) =>
      Effect.flatMap(
        live,
        (used) =>
          Effect.tapError(used.client.callTool({ tool, arguments: input }), ({ reason }) =>
            Effect.sync(() => {
              if (used === current && isEnd(reason._tag)) isGone = true
            }))
      )
  } satisfies Connection
})

const isEnd = (tag: McpClientError["reason"]["_tag"]): boolean => tag === "ClosedError" || tag === "TransportError"

const toolOf = (
  tool: McpSchema.Tool,
  connection: Connection,
  { prefix = "", timeLimit = "1 minute" }: Options
): Tool.Tool => {
  const { annotations, description, inputSchema, name, title } = tool
  const schema = Result.getOrElse(Json.fromUnknown(inputSchema), () => null)
  const own = Json.isObject(schema) ? schema : {}
  const isReadonly = annotations?.readOnlyHint === true
  return Tool.foreign(nameOf(prefix, name), own, {
    description: description ?? title ?? name,
    input: ForeignSchema.make(own),
    access: isReadonly ? "reads" : "writes",
    idempotent: isReadonly || annotations?.idempotentHint === true,
    timeLimit,
    run: (input) =>
      Effect.mapBoth(connection.call(tool, Json.isObject(input) ? input : {}), {
        onFailure: failureOf,
        onSuccess: contentOf
      })
  })
}

/** Servers may use letters that providers do not take. */
const nameOf = (prefix: string, name: string): string => `${prefix}${name}`.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64)

const failureOf = (error: McpClientError | ToolFailure.Unavailable): ToolFailure.ToolFailure =>
  error._tag === "McpClientError" ? new ToolFailure.Unavailable({ message: Text.oneLine(error.message) }) : error

/** What is structured is in the text too, as the protocol asks; where it is not, it is the result. */
const contentOf = ({ content, isError = false, structuredContent }: McpSchema.CallToolResult): Tool.Content => {
  const [first, ...others] = content.map(blockOf)
  if (first !== undefined) return new Tool.Content({ blocks: [first, ...others], isError })
  const text = structuredContent === undefined
    ? "(no output)"
    : Result.getOrElse(Json.textOf(structuredContent), (why) => why)
  return new Tool.Content({ blocks: [{ type: "text", text }], isError })
}

const blockOf = (part: McpSchema.CallToolResult["content"][number]): Block => {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text }
    case "image":
      return { type: "image", mediaType: part.mimeType, data: Base64.encode(part.data) }
    case "audio":
      return { type: "document", mediaType: part.mimeType, data: Base64.encode(part.data) }
    case "resource":
      return resourceOf(part.resource)
    case "resource_link":
      return { type: "text", text: `${part.title ?? part.name}: ${part.uri}` }
  }
}

const resourceOf = (resource: McpSchema.EmbeddedResource["resource"]): Block => {
  if ("text" in resource) return { type: "text", text: resource.text }
  const { blob, mimeType = "application/octet-stream" } = resource
  return { type: mimeType.startsWith("image/") ? "image" : "document", mediaType: mimeType, data: Base64.encode(blob) }
}
