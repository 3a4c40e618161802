/**
 * A toolset as an MCP server, over `effect/ai`'s server. Calls come from a program that no run of ours holds: each stands for itself, is decoded and
 * refused as in a run, and one that needs a person's yes is refused, as there is nobody to ask.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Stdio from "effect/Stdio"
import * as Json from "../pure/Json.ts"
import type { Block, ToolCall, ToolResult } from "../pure/ToolCall.ts"
import { Denied } from "../pure/ToolFailure.ts"
import * as Tool from "../Tool.ts"
import { Toolset } from "../Toolset.ts"

export interface Options {
  readonly name: string
  readonly version: string
  /** What the tools are for, for the model on the other side. */
  readonly instructions?: string
}

/** Serves the toolset over this process's standard input and output, which nothing else may write to. */
export const layerStdio = (
  options: Options
): Layer.Layer<McpServer.McpServer, never, Toolset | Stdio.Stdio> =>
  McpServer.layerStdio({
    ...options,
    protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
    registrations: layer
  }).pipe(Layer.orDie)

/** Registers each tool with the server. */
export const layer: Layer.Layer<never, never, Toolset | McpServer.McpServer> = Layer.effectDiscard(
  Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const toolset = yield* Toolset
    for (const spec of toolset.specs) {
      yield* server.addTool({
        tool: toolOf(spec),
        annotations: Context.empty(),
        handle: (input: unknown) => {
          const call = {
            id: "mcp",
            name: spec.name,
            input: Result.getOrElse(Json.fromUnknown(input ?? {}), () => null)
          }
          return Effect.map(answerTo(toolset, call), resultOf)
        }
      })
    }
  })
)

const toolOf = ({ access, description, idempotent, inputSchema, name }: Tool.ToolSpec): McpSchema.Tool =>
  new McpSchema.Tool({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    annotations: {
      readOnlyHint: access === "reads",
      destructiveHint: access === "writes",
      idempotentHint: idempotent,
      openWorldHint: true
    }
  })

/** What ends a run of ours is a failure for whoever called. */
const answerTo = Effect.fnUntraced(
  function*(toolset: Toolset["Service"], call: ToolCall): Effect.fn.Return<ToolResult> {
    const review = yield* toolset.review(call)
    if (review._tag === "NeedsPerson") {
      return Tool.failed(call, new Denied({ message: `${review.why} Nobody can be asked here.` }))
    }
    return yield* Effect.catch(
      toolset.call(call),
      ({ message }) => Effect.succeed<ToolResult>({ callId: call.id, content: message, isError: true })
    )
  }
)

const resultOf = ({ content, isError }: ToolResult): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    isError,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content.map(partOf)
  })

/** A document that is no text goes as a resource of its own. */
const partOf = (block: Block): McpSchema.CallToolResult["content"][number] => {
  if (block.type === "text") return block
  const data = Result.getOrElse(Base64.decode(block.data), () => new Uint8Array())
  return block.type === "image"
    ? { type: "image", mimeType: block.mediaType, data }
    : { type: "resource", resource: { uri: "levain:document", mimeType: block.mediaType, blob: data } }
}
