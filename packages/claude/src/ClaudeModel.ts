/** Claude in the model's seat: `Model` on the Messages API. It tries nothing twice: put `ModelPolicy.retry` around it. */
import { Model, type Reply, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ClaudeClient from "./ClaudeClient.ts"
import * as Caching from "./pure/Caching.ts"
import * as Delta from "./pure/Delta.ts"
import type { Message } from "./pure/Message.ts"
import * as Native from "./pure/Native.ts"
import * as Request from "./pure/Request.ts"
import * as Response from "./pure/Response.ts"
import { defaults, Settings } from "./pure/Settings.ts"
import * as Tools from "./pure/Tools.ts"

/** Settings and account; all of it may be left out. */
export interface Options extends Partial<Settings>, ClaudeClient.Options {}

/** A paused reply is continued so often at most; then it is `unfinished`. */
export const maxContinuations = 5

/**
 * Claude, with the key and the base URL of `options`, or else of the configuration (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL).
 * Fails with `InvalidSetup`, before anything is sent, where there is no key or a setting is none the API could take.
 */
export const layer = (options: Options = {}): Layer.Layer<Model.Model, ClaudeClient.InvalidSetup> =>
  layerClient(options).pipe(Layer.provide(ClaudeClient.layer(options)))

/** `layer` on a `ClaudeClient` from elsewhere. */
export const layerClient = (
  options: Partial<Settings> = {}
): Layer.Layer<Model.Model, ClaudeClient.InvalidSetup, ClaudeClient.ClaudeClient> =>
  Layer.effect(
    Model.Model,
    Effect.gen(function*() {
      const client = yield* ClaudeClient.ClaudeClient
      const settings = yield* check({ ...defaults, ...options })
      const warned = new Set<string>()
      return Model.Model.of({
        info: { provider: Native.provider, model: settings.model },
        reply: Effect.fnUntraced(function*(request, sink) {
          yield* warnOnce(warned, Tools.definitions(request.tools, settings.strict).unstrict)
          const body = Request.body(request, settings)
          const reply = yield* converse((said) =>
            client.send(
              Caching.mark(Request.goOn(body, Native.make(said.map(({ content }) => content))), settings.cache),
              (event) => {
                const delta = Delta.fromEvent(event)
                return delta === undefined ? Effect.void : sink(delta)
              }
            )
          )
          if (reply._tag === "Stopped" && reply.reason === "refused") {
            yield* sink({ _tag: "Restarted", why: "Claude declined." })
          }
          return reply
        })
      })
    })
  )

const decode = Schema.decodeUnknownEffect(Settings)

const check = (settings: unknown): Effect.Effect<Settings, ClaudeClient.InvalidSetup> =>
  Effect.mapError(decode(settings), (error) =>
    new ClaudeClient.InvalidSetup({
      message: `a setting for Claude cannot be used: ${error.message.replace(/\s*\n\s*/g, " ")}`
    }))

const warnOnce = (warned: Set<string>, unstrict: ReadonlyArray<string>): Effect.Effect<void> => {
  const news = unstrict.filter((tool) => !warned.has(tool))
  news.forEach((tool) => warned.add(tool))
  return news.length === 0 ? Effect.void : Effect.logWarning(
    `more strict tools than the API takes in one request; sent unstrict, and decoded all the same: ${news.join(", ")}`
  )
}

/** Asks until the reply is whole. What it cost until it failed stands in the error. */
const converse = (
  send: (said: ReadonlyArray<Message>) => Effect.Effect<Message, Model.ModelError>,
  paused: ReadonlyArray<Message> = []
): Effect.Effect<Reply.ModelReply, Model.ModelError> =>
  Effect.matchEffect(send(paused), {
    onFailure: (error) =>
      Effect.fail(
        paused.length === 0
          ? error
          : Model.withUsage(error, paused.map(Response.usageOf).reduce(Usage.add, Usage.zero))
      ),
    onSuccess: (message) =>
      Response.isPaused(message) && paused.length < maxContinuations
        ? converse(send, [...paused, message])
        : Effect.succeed(Response.toReply(message, paused))
  })
