/**
 * The Messages API on loopback, for the real SDK to talk to. Every request passes the validator first; then raw answers that a test
 * queued are served, and where there are none the request goes on to aimock.
 */
import { LLMock } from "@copilotkit/aimock"
import * as Effect from "effect/Effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as RequestValidator from "./RequestValidator.ts"
import type * as Wire from "./wire.ts"

/** Answers one request. */
export type Answer = (response: ServerResponse) => void

export interface FakeApi {
  readonly url: string
  /** Stands behind: give it fixtures. */
  readonly mock: LLMock
  /** The bodies so far, and their headers. */
  readonly requests: Array<Wire.Body>
  readonly headers: Array<IncomingHttpHeaders>
  /** Answers the next requests, one each. */
  readonly queue: (...answers: ReadonlyArray<Answer>) => void
  /** Resolves when a client closed a connection before its answer was complete. */
  readonly closed: Promise<void>
}

export const make = (options: { readonly json?: boolean } = {}) =>
  Effect.acquireRelease(Effect.promise(() => start(options)), (api) => Effect.promise(api.stop))

const start = async ({ json = false }) => {
  const mock = new LLMock({ port: 0 })
  await mock.start()
  const validator = RequestValidator.make()
  const queued: Array<Answer> = []
  const requests: Array<Wire.Body> = []
  const headers: Array<IncomingHttpHeaders> = []
  const hungUp = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    response.on("close", () => response.writableFinished || hungUp.resolve())
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString("utf8")
    requests.push(JSON.parse(raw))
    headers.push(request.headers)
    const wrong = request.url === "/v1/messages" ? validator.check(raw, request.headers) : `no route ${request.url}`
    if (wrong !== undefined) return error(400, "invalid_request_error", wrong)(response)
    watch(response, validator)
    const answer = queued.shift()
    if (answer !== undefined) return answer(response)
    await forward(mock, json ? raw.replace("\"stream\":true", "\"stream\":false") : raw, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    mock,
    requests,
    headers,
    queue: (...answers: ReadonlyArray<Answer>) => void queued.push(...answers),
    closed: hungUp.promise,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await mock.stop()
    }
  }
}

const forward = async (mock: LLMock, body: string, response: ServerResponse): Promise<void> => {
  try {
    const answer = await fetch(`${mock.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer k" },
      body
    })
    const { "content-encoding": _, "transfer-encoding": __, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, kept)
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  } catch {
    response.destroy()
  }
}

/** Tells the validator what was said, whoever said it. */
const watch = (response: ServerResponse, validator: RequestValidator.Validator): void => {
  const written: Array<Buffer> = []
  const end = response.end.bind(response)
  const write = response.write.bind(response)
  response.write = ((chunk: string | Uint8Array, ...rest: Array<never>) => {
    written.push(Buffer.from(chunk as Uint8Array))
    return write(chunk, ...(rest as [never]))
  }) as typeof response.write
  response.end = ((chunk?: string | Uint8Array, ...rest: Array<never>) => {
    if (chunk !== undefined && typeof chunk !== "function") written.push(Buffer.from(chunk as Uint8Array))
    const message = readMessage(Buffer.concat(written).toString("utf8"))
    if (message !== undefined) validator.served(message.content, message.stop_reason ?? "")
    return end(chunk, ...(rest as [never]))
  }) as typeof response.end
}

/** Nothing for what is no whole message. */
const readMessage = (text: string): Wire.Answer | undefined => {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

const read = (text: string): Wire.Answer | undefined => {
  if (!text.startsWith("event:")) return text.includes("\"content\"") ? JSON.parse(text) : undefined
  const content: Array<Wire.Block> = []
  const inputs = new Map<number, string>()
  let stop_reason: string | null = null
  for (const data of text.matchAll(/^data: (.*)$/gm)) {
    const { content_block, delta, index = 0, type }: Wire.Event = JSON.parse(data[1] ?? "")
    if (type === "content_block_start" && content_block !== undefined) content[index] = { ...content_block }
    if (type === "message_delta") stop_reason = delta?.stop_reason ?? null
    const block = content[index]
    if (type !== "content_block_delta" || delta === undefined || block === undefined) continue
    if (delta.text !== undefined) block.text += delta.text
    if (delta.thinking !== undefined) block.thinking += delta.thinking
    if (delta.signature !== undefined) block.signature = delta.signature
    if (delta.partial_json !== undefined) inputs.set(index, (inputs.get(index) ?? "") + delta.partial_json)
  }
  for (const [index, input] of inputs) content[index] = { ...content[index]!, input: JSON.parse(input || "{}") }
  return { content, stop_reason }
}

/** A whole message, as the API gives it. */
const message = (parts: Wire.Answer) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  ...parts,
  usage: { input_tokens: 10, output_tokens: 5, ...parts.usage }
})

/** A message as the events that a stream would bring. */
const events = ({ content, stop_details, stop_reason, usage, ...head }: Wire.Answer): ReadonlyArray<Wire.Event> => [
  {
    type: "message_start",
    message: { ...head, content: [], stop_reason: null, stop_details: null, usage: { ...usage, output_tokens: 1 } }
  },
  ...content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: opening(block) },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ]),
  { type: "message_delta", delta: { stop_reason: stop_reason ?? null, stop_sequence: null, stop_details }, usage },
  { type: "message_stop" }
]

const opening = (block: Wire.Block): Wire.Block => {
  if (block.type === "text") return { ...block, text: "" }
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" }
  return block.type === "tool_use" ? { ...block, input: {} } : block
}

const deltas = (block: Wire.Block): ReadonlyArray<Record<string, unknown>> => {
  const halves = (text = "") => [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter((t) => t !== "")
  switch (block.type) {
    case "text":
      return halves(block.text).map((text) => ({ type: "text_delta", text }))
    case "thinking":
      return [
        ...halves(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature }
      ]
    case "tool_use":
      return halves(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }))
    default:
      return []
  }
}

/** Events as they go over the wire. */
export const lines = (all: ReadonlyArray<Wire.Event>): string =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const sse = { "content-type": "text/event-stream", "request-id": "req_sse" }

/** Streams a message. */
export const streams = (parts: Wire.Answer): Answer => (response) =>
  void response.writeHead(200, sse).end(lines(events(message(parts))))

/** Streams the first events of a message, and then does as it is told. */
export const streamsSome =
  (count: number, parts: Wire.Answer, then: (response: ServerResponse) => void): Answer => (response) => {
    response.writeHead(200, sse).write(lines(events(message(parts)).slice(0, count)), () => then(response))
  }

/** Any raw answer. */
export const raw =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Answer => (response) =>
    void response.writeHead(status, { "content-type": type, ...headers }).end(body)

/** An error as the API gives it. */
export const error = (
  status: number,
  type: string,
  text: string,
  headers: Record<string, string> = {},
  details?: Record<string, unknown>
): Answer =>
  raw(status, "application/json", JSON.stringify({ type: "error", error: { type, message: text, details } }), {
    "request-id": "req_error",
    ...headers
  })

/** Goes away without a word. */
export const disconnects: Answer = (response) => void response.destroy()
