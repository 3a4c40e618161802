/**
 * What to do when a model fails, as functions from a `Model` Layer to a `Model` Layer. A request is always sent again whole, on the
 * same transcript; watchers are told to drop what they saw; what failed attempts cost is counted.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import {
  amend,
  type DeltaSink,
  Model,
  type ModelError,
  type ModelErrorReason,
  type ModelRequest,
  withUsage
} from "./Model.ts"
import * as Limits from "./pure/Limits.ts"
import type { ModelReply } from "./pure/Reply.ts"
import * as Usage from "./pure/Usage.ts"

export interface RetryOptions {
  /** How often it is tried again at most: 4 by default. */
  readonly times?: number
  /** The first wait, doubled each time: half a second by default. */
  readonly firstDelay?: Duration.Input
  /** No wait of our own is longer: 8 seconds by default. */
  readonly maxDelay?: Duration.Input
  /** A wait that the provider asks for is kept up to this: a minute by default. Past it we try earlier than asked. */
  readonly maxRetryAfter?: Duration.Input
}

/**
 * Tries again what can be tried again: rate limits, overload, server errors, broken connections, time-outs, malformed
 * replies. Waits as long as the provider asks, up to a cap, or else ever longer, up to a quarter less by chance. The reply, or the last
 * error, carries the usage of all attempts. Throws for a wait that is no duration.
 */
export const retry = (options: RetryOptions = {}) => {
  const times = options.times ?? 4
  const delayOf = delays(options)
  return around((model) => retrying(model, times, delayOf))
}

/**
 * The second model answers where the first cannot, whatever its error; each request goes to the first again. When both fail, the
 * error is the second's, its message tells both, and it may pass if either may.
 */
export const fallback: {
  <E2, R2>(
    second: Layer.Layer<Model, E2, R2>
  ): <A, E, R>(first: Layer.Layer<A | Model, E, R>) => Layer.Layer<A | Model, E | E2, R | R2>
  <A, E, R, E2, R2>(
    first: Layer.Layer<A | Model, E, R>,
    second: Layer.Layer<Model, E2, R2>
  ): Layer.Layer<A | Model, E | E2, R | R2>
} = dual(
  2,
  <A, E, R, E2, R2>(first: Layer.Layer<A | Model, E, R>, second: Layer.Layer<Model, E2, R2>) =>
    Layer.flatMap(first, (primary) =>
      Layer.flatMap(second, (secondary) =>
        Layer.succeedContext(
          Context.add(primary, Model, either(Context.get(primary, Model), Context.get(secondary, Model)))
        )))
)

/**
 * At most so many requests at once, whichever runs they are of: the others wait. Put around several models, the one policy bounds all of
 * them together. A permit is held for one request only, never for a run, so that agents which call agents cannot block each other. Throws
 * `InvalidPermits`.
 */
export const concurrency = (requests: number) => {
  const permits = Semaphore.makeUnsafe(Limits.permits("concurrency", requests))
  return around((model) => ({
    ...model,
    reply: (request, sink) => permits.withPermit(model.reply(request, sink))
  }))
}

type ModelService = Model["Service"]

/** A policy of your own: `change` makes of each `Model` another one. */
export const around =
  (change: (model: ModelService) => ModelService) =>
  <A, E, R>(layer: Layer.Layer<A | Model, E, R>): Layer.Layer<A | Model, E, R> =>
    Layer.flatMap(
      layer,
      (context) => Layer.succeedContext(Context.add(context, Model, change(Context.get(context, Model))))
    )

/** Whether the same request may fare better another time. */
const mayPass = (error: ModelError): boolean => error.retryable ?? passes[error.reason]

const passes: { readonly [reason in ModelErrorReason]: boolean } = {
  rateLimited: true,
  overloaded: true,
  server: true,
  connection: true,
  timeout: true,
  malformed: true,
  badRequest: false,
  authentication: false,
  permission: false,
  spendLimit: false,
  notFound: false,
  tooLarge: false,
  exhausted: false
}

const retrying = (model: ModelService, times: number, delayOf: ReturnType<typeof delays>): ModelService => {
  const attempt = (
    request: ModelRequest,
    sink: DeltaSink,
    tried: number,
    before: Usage.Usage | undefined
  ): Effect.Effect<ModelReply, ModelError> =>
    Effect.matchEffect(model.reply(request, sink), {
      onSuccess: (reply) => Effect.succeed(withReplyUsage(reply, before)),
      onFailure: Effect.fnUntraced(function*(error) {
        const failed = before === undefined ? error : withUsage(error, before)
        if (tried >= times || !mayPass(error)) return yield* failed
        yield* sink({ _tag: "Restarted", why: error.message })
        yield* Effect.sleep(yield* delayOf(error, tried))
        return yield* attempt(request, sink, tried + 1, failed.usage)
      })
    })
  return { ...model, reply: (request, sink) => attempt(request, sink, 0, undefined) }
}

const delays = (options: RetryOptions) => {
  const first = Duration.fromInputUnsafe(options.firstDelay ?? "500 millis")
  const most = Duration.fromInputUnsafe(options.maxDelay ?? "8 seconds")
  const mostAsked = Duration.fromInputUnsafe(options.maxRetryAfter ?? "1 minute")
  return Effect.fnUntraced(function*(error: ModelError, tried: number) {
    if (error.retryAfter !== undefined) return Duration.min(Duration.millis(error.retryAfter), mostAsked)
    const chance = yield* Random.next
    return Duration.times(Duration.min(Duration.times(first, 2 ** tried), most), 1 - chance / 4)
  })
}

const either = (first: ModelService, second: ModelService): ModelService => ({
  ...first,
  reply: (request, sink) =>
    Effect.catch(first.reply(request, sink), (error) =>
      sink({ _tag: "Restarted", why: error.message }).pipe(
        Effect.andThen(second.reply(request, sink)),
        Effect.map((reply) => withReplyUsage(reply, error.usage)),
        Effect.mapError((next) =>
          amend(error.usage === undefined ? next : withUsage(next, error.usage), {
            message: `${next.message} Before it: ${error.message}`,
            retryable: mayPass(error) || mayPass(next)
          })
        )
      ))
})

const withReplyUsage = (reply: ModelReply, before: Usage.Usage | undefined): ModelReply =>
  before === undefined ? reply : { ...reply, usage: Usage.add(before, reply.usage) }
