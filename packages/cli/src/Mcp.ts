/** `--mcp`: the tools of MCP servers beside the agent's own. What speaks to them is loaded only then: start-up is a feature. */
import { Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AgentChoice } from "./AgentChoice.ts"
import { UsageError } from "./Ending.ts"

type Tools = AgentChoice["tools"]

/** These tools, and those of each server: a command as it would be typed, or the address of a server on HTTP. */
export const withServers = Effect.fnUntraced(function*(
  tools: Tools,
  servers: ReadonlyArray<string>
): Effect.fn.Return<Tools, UsageError> {
  if (servers.length === 0) return tools
  const all: Array<Tools> = [tools]
  for (const server of servers) {
    const [command, ...args] = wordsOf(server)
    if (command === undefined) {
      return yield* new UsageError({
        message: "--mcp takes a server's command, as in --mcp \"npx some-server\", or its address."
      })
    }
    all.push(/^https?:\/\//i.test(command) ? overHttp(command) : overPipes(command, args))
  }
  return Toolset.merge(...all)
})

/** As a shell would part them: quotes keep words together. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, double, single, bare]) => double ?? single ?? bare ?? "")

/** Named by its command alone in messages, as its arguments may hold a secret. */
const overPipes = (command: string, args: ReadonlyArray<string>): Tools =>
  Layer.unwrap(Effect.promise(async () => {
    const [McpToolset, Spawner, FileSystem, Path] = await Promise.all([
      import("@levain/core/McpToolset"),
      import("@effect/platform-node/NodeChildProcessSpawner"),
      import("@effect/platform-node/NodeFileSystem"),
      import("@effect/platform-node/NodePath")
    ])
    return McpToolset.layerStdio({ server: command, command, args }).pipe(
      Layer.provide(Spawner.layer.pipe(Layer.provide([FileSystem.layer, Path.layer])))
    )
  }))

const overHttp = (url: string): Tools =>
  Layer.unwrap(Effect.promise(async () => {
    const [McpToolset, Http] = await Promise.all([
      import("@levain/core/McpToolset"),
      import("@effect/platform-node/NodeHttpClient")
    ])
    return McpToolset.layerHttp({ server: new URL(url).host, url }).pipe(Layer.provide(Http.layerUndici))
  }))
