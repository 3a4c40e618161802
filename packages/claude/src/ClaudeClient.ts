/**
 * The SDK as one method: a request out, a message back, its stream events shown as they come. It never tries again by itself, holds
 * to no time but the one between two signs of life, and closes the connection when it is interrupted.
 */
import Anthropic from "@anthropic-ai/sdk"
import { Stream as EventStream } from "@anthropic-ai/sdk/core/streaming"
import { BetaMessageStream } from "@anthropic-ai/sdk/lib/BetaMessageStream"
import type {
  BetaRawMessageStreamEvent,
  MessageCreateParamsStreaming
} from "@anthropic-ai/sdk/resources/beta/messages/messages"
import type { Model, Usage } from "@levain/core"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ClaudeError from "./ClaudeError.ts"
import * as Message from "./pure/Message.ts"
import * as Response from "./pure/Response.ts"

/** Nothing can be sent with what was given: there is no key, or the base URL is none. */
export class InvalidSetup extends Schema.TaggedError<InvalidSetup>()("InvalidSetup", {
  message: Schema.String
}) {}

export interface Options {
  /** Read from ANTHROPIC_API_KEY where it is left out. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Read from ANTHROPIC_BASE_URL where it is left out, or else Anthropic's own. */
  readonly baseUrl?: string | undefined
  /** How long nothing may come, not even the API's pings, before a request has failed: 2 minutes by default. */
  readonly idleTimeout?: Duration.Input | undefined
}

export class ClaudeClient extends Context.Service<ClaudeClient, {
  /** Sends a request and waits for its whole message. `onEvent` sees each stream event before the next one is read. */
  readonly send: (
    body: MessageCreateParamsStreaming,
    onEvent: (event: BetaRawMessageStreamEvent) => Effect.Effect<void>
  ) => Effect.Effect<Message.Message, Model.ModelError>
}>()("@levain/claude/ClaudeClient") {}

/** The client for a key and a base URL. Fails before anything is sent where there is no key that could be sent. */
export const layer = (options: Options = {}): Layer.Layer<ClaudeClient, InvalidSetup> =>
  Layer.effect(
    ClaudeClient,
    Effect.map(setup(options), (account) =>
      ClaudeClient.of({ send: sender(account, Duration.fromInputUnsafe(options.idleTimeout ?? "2 minutes")) }))
  )

interface Account {
  readonly anthropic: Anthropic
  /** To be kept out of every message. */
  readonly secret: string
}

const noKey = "there is no key for Claude: set ANTHROPIC_API_KEY."
const badKey = "the key for Claude holds white space or other characters that no key has: set ANTHROPIC_API_KEY anew."

const setup = Effect.fnUntraced(function*(options: Options) {
  const given = options.apiKey ??
    Option.getOrUndefined(yield* read(Config.option(Config.Redacted("ANTHROPIC_API_KEY"))))
  const secret = given === undefined ? "" : Redacted.value(given).trim()
  if (secret === "") return yield* new InvalidSetup({ message: noKey })
  if (!/^[\x21-\x7e]+$/.test(secret)) return yield* new InvalidSetup({ message: badKey })
  const configured = Option.getOrUndefined(yield* read(Config.option(Config.String("ANTHROPIC_BASE_URL"))))
  const baseURL = yield* checkUrl(options.baseUrl ?? (configured === "" ? undefined : configured) ?? anthropicUrl)
  const anthropic = new Anthropic({
    apiKey: secret,
    authToken: null,
    baseURL,
    maxRetries: 0,
    logger: silent,
    logLevel: "off",
    openTelemetry: false
  })
  return { anthropic, secret }
})

const read = <A>(config: Config.Config<A>): Effect.Effect<A, InvalidSetup> =>
  Effect.mapError(
    config,
    (error) => new InvalidSetup({ message: `the configuration cannot be read: ${error.message}` })
  )

const anthropicUrl = "https://api.anthropic.com"

/** The name and password that a URL can hold would end up in error messages. */
const checkUrl = (url: string): Effect.Effect<string, InvalidSetup> => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    return Effect.fail(new InvalidSetup({ message: "the base URL for Claude must begin with http:// or https://." }))
  }
  return parsed.username === "" && parsed.password === ""
    ? Effect.succeed(url)
    : Effect.fail(new InvalidSetup({ message: "the base URL for Claude must not hold a name or a password." }))
}

const quiet = (): void => {}
const silent = { debug: quiet, info: quiet, warn: quiet, error: quiet }

const sender = ({ anthropic, secret }: Account, idle: Duration.Duration): ClaudeClient["Service"]["send"] =>
  Effect.fnUntraced(function*(body, onEvent) {
    const clock = yield* Clock.Clock
    const seen: Seen = { at: clock.currentTimeMillisUnsafe(), requestId: undefined, usage: undefined }
    const alive = () => {
      seen.at = clock.currentTimeMillisUnsafe()
    }
    return yield* exchange(anthropic, body, seen, alive, onEvent).pipe(
      Effect.scoped,
      Effect.raceFirst(watchdog(seen, idle)),
      Effect.mapError((error) => ClaudeError.complete(error, { secret, ...seen }))
    )
  })

/** What is known of a request under way. */
interface Seen {
  /** When the last byte came, in milliseconds since 1970. */
  at: number
  requestId: string | undefined
  usage: Usage.Usage | undefined
}

const watchdog = Effect.fnUntraced(function*(seen: Seen, idle: Duration.Duration) {
  while (true) {
    const left = seen.at + Duration.toMillis(idle) - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* ClaudeError.stalled(Duration.format(idle))
    yield* Effect.sleep(left)
  }
})

const exchange = Effect.fnUntraced(function*(
  anthropic: Anthropic,
  body: MessageCreateParamsStreaming,
  seen: Seen,
  alive: () => void,
  onEvent: (event: BetaRawMessageStreamEvent) => Effect.Effect<void>
) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const response = yield* attempt(() =>
    anthropic.beta.messages.create(body, { signal: controller.signal }).asResponse()
  )
  alive()
  seen.requestId = response.headers.get("request-id") ?? undefined
  const type = response.headers.get("content-type") ?? "no content type"
  if (type.includes("json")) return yield* check(yield* attempt(() => response.json()), seen)
  if (!type.includes("event-stream")) return yield* ClaudeError.malformed(`it is of the type ${type}`)
  const events = EventStream.fromSSEResponse<BetaRawMessageStreamEvent>(watched(response, alive), controller, anthropic)
  return yield* readEvents(BetaMessageStream.fromReadableStream(events.toReadableStream()), seen, onEvent)
})

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Model.ModelError> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.tryPromise({ try: run, catch: (thrown) => ClaudeError.fromUnknown(thrown, now) })
  )

const check = (value: unknown, seen: Seen): Effect.Effect<Message.Message, Model.ModelError> => {
  const message = Message.fromUnknown(value)
  return Result.isSuccess(message)
    ? Effect.succeed(message.success)
    : Effect.fail(ClaudeError.malformed(message.failure, seen.requestId))
}

/** The same response, which says at every byte that it is alive: the SDK swallows the pings that tell so. */
const watched = (response: globalThis.Response, alive: () => void): globalThis.Response =>
  new globalThis.Response(
    response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          alive()
          controller.enqueue(chunk)
        }
      })
    ) ?? null,
    { headers: response.headers }
  )

/** The SDK puts the message together; `finalMessage` insists on its end, which a stream that is cut off never has. */
const readEvents = Effect.fnUntraced(function*(
  events: BetaMessageStream,
  seen: Seen,
  onEvent: (event: BetaRawMessageStreamEvent) => Effect.Effect<void>
) {
  const iterator = events[Symbol.asyncIterator]()
  while (true) {
    const { done, value } = yield* attempt(() => iterator.next())
    if (done === true) break
    if (value.type === "message_start") {
      const start = yield* check(value.message, seen)
      seen.usage = Response.usageOf(start)
    }
    yield* onEvent(value)
  }
  return yield* check(yield* attempt(() => events.finalMessage()), seen)
})
