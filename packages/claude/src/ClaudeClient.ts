/**
 * The SDK as one method: a request out, a message back, its stream events shown as they come. It never tries again by itself, holds
 * to no time but the one between two signs of life, and closes the connection when it is interrupted.
 */
import Anthropic from "@anthropic-ai/sdk"
import { Stream as EventStream } from "@anthropic-ai/sdk/core/streaming"
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
import * as Bill from "./pure/Bill.ts"
import * as Message from "./pure/Message.ts"
import * as Response from "./pure/Response.ts"
import * as Stream from "./pure/Stream.ts"

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
    Effect.gen(function*() {
      const idle = yield* checkIdle(options.idleTimeout ?? "2 minutes")
      return ClaudeClient.of({ send: sender(yield* setup(options), idle) })
    })
  )

const checkIdle = (input: Duration.Input): Effect.Effect<Duration.Duration, InvalidSetup> => {
  const idle = Option.getOrUndefined(Duration.fromInput(input))
  return idle !== undefined && Duration.toMillis(idle) > 0
    ? Effect.succeed(idle)
    : Effect.fail(new InvalidSetup({ message: "the idle timeout for Claude must be a time longer than nothing." }))
}

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
  const baseURL = yield* checkUrl(
    options.baseUrl ?? (configured === undefined || configured.trim() === "" ? anthropicUrl : configured)
  )
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
    const pulse = makePulse(() => clock.currentTimeMillisUnsafe())
    const seen: Seen = { requestId: undefined, usage: () => undefined }
    return yield* exchange({ anthropic, secret, body, pulse, seen, onEvent }).pipe(
      Effect.scoped,
      Effect.raceFirst(watchdog(pulse, idle)),
      Effect.mapError((error) =>
        ClaudeError.complete(error, { secret, requestId: seen.requestId, usage: seen.usage() })
      )
    )
  })

/** What is known of a request under way. */
interface Seen {
  requestId: string | undefined
  usage: () => Usage.Usage | undefined
}

/** When the API last gave a sign of life. While we are at work ourselves it need not give one. */
interface Pulse {
  readonly beat: () => void
  readonly rest: <A>(work: Effect.Effect<A>) => Effect.Effect<A>
  /** In milliseconds since 1970. */
  readonly last: () => number
}

const makePulse = (now: () => number): Pulse => {
  let last = now()
  let working = false
  const beat = () => {
    last = now()
  }
  return {
    beat,
    rest: (work) =>
      Effect.suspend(() => {
        working = true
        return Effect.ensuring(
          work,
          Effect.sync(() => {
            working = false
            beat()
          })
        )
      }),
    last: () => working ? now() : last
  }
}

const watchdog = Effect.fnUntraced(function*(pulse: Pulse, idle: Duration.Duration) {
  while (true) {
    const left = pulse.last() + Duration.toMillis(idle) - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* ClaudeError.stalled(Duration.format(idle))
    yield* Effect.sleep(left)
  }
})

interface Exchange extends Account {
  readonly body: MessageCreateParamsStreaming
  readonly pulse: Pulse
  readonly seen: Seen
  readonly onEvent: (event: BetaRawMessageStreamEvent) => Effect.Effect<void>
}

const exchange = Effect.fnUntraced(function*({ anthropic, body, onEvent, pulse, secret, seen }: Exchange) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  // The SDK lets ANTHROPIC_CUSTOM_HEADERS replace the key that it was given; a header of the request is the last word.
  const headers = { authorization: `Bearer ${secret}` }
  const response = yield* attempt(() =>
    anthropic.beta.messages.create(body, { signal: controller.signal, headers }).asResponse()
  )
  pulse.beat()
  seen.requestId = response.headers.get("request-id") ?? undefined
  const type = (response.headers.get("content-type") ?? "no content type").toLowerCase()
  const watched = watch(response, pulse)
  if (type.includes("json")) return yield* check(yield* attempt(() => watched.json()))
  if (!type.includes("event-stream")) return yield* ClaudeError.malformed(`it is of the type ${type}`)
  const events = EventStream.fromSSEResponse<BetaRawMessageStreamEvent>(watched, controller, anthropic)
  return yield* readEvents(events, pulse, seen, onEvent)
})

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Model.ModelError> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.tryPromise({ try: run, catch: (thrown) => ClaudeError.fromUnknown(thrown, now) })
  )

const check = (value: unknown): Effect.Effect<Message.Message, Model.ModelError> => {
  const message = Message.fromUnknown(value)
  return Result.isSuccess(message)
    ? Effect.succeed(message.success)
    : Effect.fail(ClaudeError.malformed(message.failure))
}

/** The same response, of which every byte is a sign of life: the SDK swallows the pings. */
const watch = (response: globalThis.Response, pulse: Pulse): globalThis.Response =>
  new globalThis.Response(
    response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          pulse.beat()
          controller.enqueue(chunk)
        }
      })
    ) ?? null,
    { headers: response.headers }
  )

/** Reads on only once an event was shown, and no further than the message's end. */
const readEvents = Effect.fnUntraced(function*(
  events: EventStream<BetaRawMessageStreamEvent>,
  pulse: Pulse,
  seen: Seen,
  onEvent: (event: BetaRawMessageStreamEvent) => Effect.Effect<void>
) {
  const stream = Stream.make()
  seen.usage = () => stream.isBegun() ? partUsage(stream.message()) : undefined
  const iterator = events[Symbol.asyncIterator]()
  while (!stream.isWhole()) {
    const { done, value } = yield* attempt(() => iterator.next())
    if (done === true) return yield* ClaudeError.cutOff()
    const wrong = stream.add(value)
    if (wrong !== undefined) return yield* ClaudeError.malformed(wrong)
    yield* pulse.rest(onEvent(value))
  }
  const wrong = stream.check()
  return wrong === undefined ? yield* check(stream.message()) : yield* ClaudeError.malformed(wrong)
})

/** What a message had used that never came to its end. Its cost is not known: the last count of its output never came either. */
const partUsage = (message: unknown): Usage.Usage | undefined => {
  const part = Message.fromUnknown(message)
  return Result.isSuccess(part) ? Bill.withoutCost(Response.usageOf(part.success)) : undefined
}
