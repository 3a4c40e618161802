/** Against servers that nobody here wrote: the reference servers of the protocol, over pipes and over HTTP. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as McpToolset from "../src/adapters/McpToolset.ts"
import * as Agent from "../src/Agent.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent } from "./fixtures.ts"

const { answers, asks, call } = ScriptedModel

const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url))

const everything = (options: Partial<McpToolset.StdioOptions> = {}) =>
  McpToolset.layerStdio({
    server: "everything",
    command: process.execPath,
    args: [realpathSync(bin("mcp-server-everything")), "stdio"],
    ...options
  }).pipe(Layer.provide(NodeServices.layer))

const filesystem = (folder: string) =>
  McpToolset.layerStdio({
    server: "files",
    command: process.execPath,
    args: [realpathSync(bin("mcp-server-filesystem")), folder]
  }).pipe(Layer.provide(NodeServices.layer))

/** The results of one reply's calls, through the whole loop. */
const results = (tools: Layer.Layer<Toolset.Toolset, unknown>, ...calls: Array<ReturnType<typeof call>>) => {
  const [first = call("none", {}), ...others] = calls
  return Agent.run(agent, "Go.").pipe(
    Effect.map(({ steps }) => steps.map(({ result }) => result)),
    Effect.provide([tools, ScriptedModel.layer([asks(1, first, ...others), answers(1, "Done.")])])
  )
}

const callOf = (name: string, input: object) =>
  Effect.flatMap(Toolset.Toolset, (tools) => tools.call({ id: "c", name, input: { ...input } }))

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
})

feature(new URL("../features/mcp.feature", import.meta.url), (scenario) => {
  scenario("A server's tools run in the loop", () =>
    Effect.gen(function*() {
      const [sum, picture, wrong] = yield* results(
        everything(),
        call("get-sum", { a: 1, b: 2 }),
        call("get-tiny-image", {}),
        call("get-sum", { a: "one", b: 2 })
      )
      expect(sum).toMatchObject({ isError: false, content: "The sum of 1 and 2 is 3." })
      expect(picture?.content).toContainEqual({
        type: "image",
        mediaType: "image/png",
        data: expect.stringMatching(/^iVBOR/)
      })
      expect(wrong).toMatchObject({ notRun: "badInput", content: "badInput: a must be a number." })
    }))

  scenario("A server says what its tools do", () =>
    Effect.gen(function*() {
      const { specs } = yield* Toolset.Toolset
      expect(specs.length).toBeGreaterThan(8)
      for (const { name } of specs) expect(name).toMatch(/^demo_/)
      expect(specs.find(({ name }) => name === "demo_echo")).toMatchObject({
        access: "reads",
        inputSchema: { type: "object", properties: { message: { type: "string" } }, additionalProperties: false }
      })
      expect(specs.find(({ name }) => name === "demo_gzip-file-as-resource")).toMatchObject({ access: "writes" })
    }).pipe(Effect.provide(everything({ prefix: "demo_" }))))

  scenario("What is structured, linked or embedded is read too", () =>
    Effect.gen(function*() {
      const [structured, embedded, linked] = yield* results(
        everything(),
        call("get-structured-content", { location: "Chicago" }),
        call("get-resource-reference", { resourceType: "Text", resourceId: 1 }),
        call("get-resource-links", { count: 1 })
      )
      expect(structured?.content).toMatch(/"temperature":/)
      expect(JSON.stringify(embedded?.content)).toContain("This is a plaintext resource")
      expect(JSON.stringify(linked?.content)).toMatch(/: demo:\/\//)
    }))

  scenario("A tool that fails says so to the model", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), "levain-mcp-"))
      writeFileSync(join(folder, "menu.txt"), "rye loaf")
      const [read, refused] = yield* results(
        filesystem(folder),
        call("read_text_file", { path: join(folder, "menu.txt") }),
        call("read_text_file", { path: "/etc/passwd" })
      )
      expect(read).toMatchObject({ isError: false, content: "rye loaf" })
      expect(refused).toMatchObject({ isError: true, content: expect.stringContaining("Access denied") })
    }))

  scenario("A call that takes too long is unavailable", () =>
    Effect.gen(function*() {
      const [late] = yield* results(
        everything({ timeLimit: "1 second" }),
        call("trigger-long-running-operation", { duration: 10, steps: 2 })
      )
      expect(late).toMatchObject({
        isError: true,
        content: "unavailable: trigger-long-running-operation took longer than 1s."
      })
    }).pipe(TestClock.withLive))

  scenario("A server that dies is started again once", () =>
    Effect.gen(function*() {
      const name = `levain-mcp-${process.pid}`
      const kill = Effect.sync(() => execFileSync("pkill", ["-KILL", "-f", `stdio ${name}`]))
      const dead = { isError: true, content: expect.stringMatching(/^unavailable: /) }
      const alive = { isError: false, content: "Echo: hi" }
      yield* Effect.gen(function*() {
        const echo = callOf("echo", { message: "hi" })
        expect(yield* echo).toMatchObject(alive)
        yield* kill
        expect(yield* echo).toMatchObject(dead)
        expect(yield* echo).toMatchObject(alive)
        yield* kill
        expect(yield* echo).toMatchObject(dead)
        expect(yield* echo).toMatchObject({
          content: "unavailable: the MCP server \"everything\" ended twice, and is not started again."
        })
      }).pipe(Effect.provide(everything({
        args: [realpathSync(bin("mcp-server-everything")), "stdio", name]
      })))
    }).pipe(TestClock.withLive))

  scenario("A server that cannot be started is one clear error", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.provide(Toolset.Toolset, everything({ server: "nobody", command: "no-such-program-here", args: [] }))
      )
      expect(error).toMatchObject({ _tag: "InvalidTool", tool: "nobody", reason: "layer" })
      expect(error.message).toMatch(/^the MCP server "nobody" cannot be used: [^\n]+\.$/)
    }))

  scenario("A server is reached over HTTP", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const started = spawn(process.execPath, [realpathSync(bin("mcp-server-everything")), "streamableHttp"], {
            env: { ...process.env, PORT: `${port}` },
            stdio: ["ignore", "ignore", "pipe"]
          })
          await once(started.stderr, "data")
          return started
        }),
        (started) => Effect.sync(() => started.kill())
      )
      expect(server.pid).toBeGreaterThan(0)
      const tools = McpToolset.layerHttp({ server: "remote", url: `http://127.0.0.1:${port}/mcp` }).pipe(
        Layer.provide(NodeHttpClient.layerUndici)
      )
      const [sum] = yield* results(tools, call("get-sum", { a: 20, b: 22 }))
      expect(sum).toMatchObject({ isError: false, content: "The sum of 20 and 22 is 42." })
    }).pipe(TestClock.withLive))
})
