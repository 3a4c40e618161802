import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { fromSource, run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))
const adder = fileURLToPath(new URL("./agents/adder.ts", import.meta.url))
const everything = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url)
)

const folder = () => mkdtempSync(join(tmpdir(), "levain-mcp-"))

const levain = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.promise(() => run(bin, args, "", env))

/** A program of somebody else's that uses `levain mcp`. */
const clientOf = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "another program", version: "1" })
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [...fromSource, bin, "mcp", "--model", "offline", ...args],
          env
        })
      )
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

const callOf = (client: Client, name: string, input: Record<string, unknown>) =>
  Effect.promise(() => client.callTool({ name, arguments: input }))

feature(new URL("../features/mcp.feature", import.meta.url), (scenario) => {
  scenario("A server's tools stand beside the agent's", () =>
    Effect.gen(function*() {
      const env = { LEVAIN_JOURNAL: folder() }
      const server = `'${process.execPath}' "${everything}" stdio`
      const { code, err, out } = yield* levain(["ask", "--agent", adder, "--mcp", server, "Add 20 and 22."], env)
      expect([code, err]).toEqual([0, ""])
      expect(out).toContain("c1 get-sum {\"a\":20,\"b\":22}\n   ok The sum of 20 and 22 is 42.\n")
      expect((yield* levain(["show", "last"], env)).out).toContain("The sum of 20 and 22 is 42.")
    }))

  scenario("A server that cannot be used is one clear line", () =>
    Effect.gen(function*() {
      for (const server of ["no-such-program --token=secret-word", "http://127.0.0.1:1/mcp?key=secret-word"]) {
        const { code, err, out } = yield* levain(["ask", "--no-journal", "--agent", adder, "--mcp", server, "Add."])
        expect([server, code, out]).toEqual([server, 1, ""])
        expect(err).toMatch(/^levain: the MCP server "[^"]+" cannot be used: [^\n]+\.\n$/)
        expect(err).not.toContain("secret-word")
      }
      const none = yield* levain(["ask", "--no-journal", "--mcp", " ", "Open?"])
      expect([none.code, none.err]).toEqual([
        2,
        expect.stringMatching(/^levain: --mcp takes a server's command, [^\n]+\n$/)
      ])
    }))

  scenario("An agent is a server of other programs", () =>
    Effect.gen(function*() {
      const client = yield* clientOf(["--no-journal"])
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.map(({ annotations, name }) => [name, annotations?.readOnlyHint])).toEqual([
        ["ask_pickup", false],
        ["opening_hours", true],
        ["menu_item", true]
      ])
      expect(yield* callOf(client, "opening_hours", { day: "sunday" })).toMatchObject({
        isError: false,
        content: [{ type: "text", text: "{\"day\":\"sunday\",\"hours\":\"closed\"}" }]
      })
      expect(yield* callOf(client, "opening_hours", { day: "someday" })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^badInput: day must be one of/) }]
      })
      expect(yield* callOf(client, "ask_pickup", { task: "Are you open on Sunday?" })).toMatchObject({
        isError: false,
        content: [{ text: "On Sunday we are closed." }]
      })
    }))

  scenario("What needs a person is refused to other programs", () =>
    Effect.gen(function*() {
      const orders = join(folder(), "orders.jsonl")
      const client = yield* clientOf(["--no-journal", "--agent", "order"], { LEVAIN_ORDERS: orders })
      const order = { day: "friday", lines: [{ item: "rye loaf", count: 2 }] }
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.map(({ name }) => name)).toContain("place_order")
      const denied = yield* callOf(client, "place_order", order)
      expect(denied).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^denied: .*Nobody can be asked here\.$/) }]
      })
      expect(existsSync(orders)).toBe(false)
    }))

  scenario("The server ends when its input does", () =>
    Effect.gen(function*() {
      expect(yield* levain(["mcp", "--no-journal"])).toEqual({ code: 0, out: "", err: "" })
    }))
})
