import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

const levain = (...args: ReadonlyArray<string>) => Effect.promise(() => run(bin, args))

interface Attribute {
  readonly key: string
  readonly value: Record<string, unknown>
}

interface Span {
  readonly spanId: string
  readonly startTimeUnixNano: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number }
}

/** A collector that keeps what it is sent, by path; it answers with `status`. */
const collector = (status = 200) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const bodies: Array<{ readonly path: string | undefined; readonly text: string }> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          bodies.push({ path: request.url, text: Buffer.concat(chunks).toString() })
          response.writeHead(status, { "content-type": "application/json" }).end("{}")
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      return { url: `http://127.0.0.1:${port}`, bodies, server }
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const sent = (bodies: ReadonlyArray<{ readonly path: string | undefined; readonly text: string }>, path: string) =>
  bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text))

const spansOf = (bodies: Parameters<typeof sent>[0]): ReadonlyArray<Span> =>
  sent(bodies, "/v1/traces").flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }) =>
      scopeSpans.flatMap(({ spans }) => spans)
    )
  ).toSorted((a: Span, b: Span) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))

const treeOf = (spans: ReadonlyArray<Span>, parent?: string, indent = ""): ReadonlyArray<string> =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent).flatMap(({ name, spanId, status }) => [
    `${indent}${name}${status.code === 2 ? " (error)" : ""}`,
    ...treeOf(spans, spanId, `${indent}  `)
  ])

const plain = (attributes: ReadonlyArray<Attribute>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const question = "Two rye loaves and six croissants on Friday at 9?"

feature(new URL("../features/telemetry.feature", import.meta.url), (scenario) => {
  scenario("A run arrives at a collector", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bodies, url } = yield* collector()
      const { code, err } = yield* levain("ask", "--otlp", url, question)
      expect([code, err]).toEqual([0, ""])
      const spans = spansOf(bodies)
      expect(treeOf(spans)).toEqual([
        "invoke_agent pickup",
        "  turn 1",
        "    chat offline",
        "    execute_tool menu_item",
        "    execute_tool menu_item (error)",
        "    execute_tool opening_hours",
        "  turn 2",
        "    chat offline"
      ])
      const attributesOf = (name: string) => plain(spans.find((span) => span.name === name)?.attributes ?? [])
      expect(attributesOf("invoke_agent pickup")).toMatchObject({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "pickup",
        "gen_ai.provider.name": "levain",
        "levain.stop": "Answered"
      })
      expect(attributesOf("chat offline")).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "offline",
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "gen_ai.usage.cache_read.input_tokens": 0,
        "gen_ai.usage.cache_creation.input_tokens": 0
      })
      expect(attributesOf("execute_tool opening_hours")).toMatchObject({ "gen_ai.tool.name": "opening_hours" })
      const metrics = JSON.stringify(sent(bodies, "/v1/metrics"))
      for (const name of ["gen_ai.client.token.usage", "gen_ai.client.operation.duration", "levain.tool.failures"]) {
        expect(metrics).toContain(`"${name}"`)
      }
      const everything = bodies.map(({ text }) => text).join("\n")
      expect(everything).toContain("\"stringValue\":\"levain\"")
      for (const said of ["rye", "croissant", "friday"]) expect(everything.toLowerCase()).not.toContain(said)
    })))

  scenario("What was said is sent where that is asked for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bodies, url } = yield* collector()
      yield* levain("ask", "--otlp", `${url}/`, "--otlp-content", question)
      expect(bodies.map(({ text }) => text).join("\n")).toContain(question)
    })))

  scenario("A collector that is away is told once, and changes nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const without = yield* levain("ask", question)
      const { url } = yield* collector(503)
      for (const address of ["http://127.0.0.1:1", url]) {
        const { code, err, out } = yield* levain("ask", "--otlp", address, question)
        expect({ code, out }).toEqual({ code: without.code, out: without.out })
        expect(err).toBe(
          `levain: spans and metrics could not be sent to the collector at ${new URL(address).host}.\n`
        )
      }
    })))

  scenario("What is no address of a collector gets one clear line", () =>
    Effect.gen(function*() {
      for (const address of ["", "localhost:4318", "ftp://here", "nonsense"]) {
        expect(yield* levain("ask", `--otlp=${address}`, question)).toEqual({
          code: 2,
          out: "",
          err: "levain: --otlp takes the http:// or https:// address of a collector, such as http://localhost:4318.\n"
        })
      }
      expect((yield* levain("ask", "--otlp-content", question)).err).toBe(
        "levain: --otlp-content says what is sent, and --otlp URL where to: name that too.\n"
      )
    }))
})
