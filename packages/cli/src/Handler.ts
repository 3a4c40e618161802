/** A command's handler, loaded when the command runs: help and completions need only what it takes. */
import * as Effect from "effect/Effect"

/** The handler that `load` imports. */
export const loaded =
  <Given, A, E, R>(load: () => Promise<(given: Given) => Effect.Effect<A, E, R>>) =>
  (given: Given): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(load), (handle) => handle(given))
