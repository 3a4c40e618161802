/** Effects whose value is there already, as most are in a turn: what follows them costs no more than its call. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** `Effect.flatMap`, at no more than the call where the value is there already. */
export const after = <A, B, E, F, R, S>(
  effect: Effect.Effect<A, E, R>,
  go: (value: A) => Effect.Effect<B, F, S>
): Effect.Effect<B, E | F, R | S> => isReady(effect) ? go(effect.value) : Effect.flatMap(effect, go)

/** `Effect.mapError`, at no cost where the value is there already. */
export const orFail = <A, E, F, R>(effect: Effect.Effect<A, E, R>, fail: (error: E) => F): Effect.Effect<A, F, R> =>
  isReady(effect) ? Exit.succeed(effect.value) : Effect.mapError(effect, fail)

/** Whether the value is there already. */
export const isReady = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Effect.Effect<A, E, R> & Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)
