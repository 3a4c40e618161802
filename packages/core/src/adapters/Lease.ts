/** How long a run belongs to a writer of which nothing is heard. Every journal that more than one process can reach keeps one. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Options {
  /** 15 seconds by default. A living writer renews its lease at every third of it. */
  readonly lease?: Duration.Input
}

export const fromOptions = ({ lease }: Options): Duration.Duration => Duration.fromInputUnsafe(lease ?? "15 seconds")

/** Renews a lease until the scope closes. A renewal that fails is tried again at the next third. */
export const keep = <E, R>(
  lease: Duration.Duration,
  renew: Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.sleep(Duration.times(lease, 1 / 3)).pipe(
    Effect.andThen(Effect.ignore(renew)),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
