/** A run as a stream of what is seen of it. The run is played by whoever reads, goes no faster, and ends when the reader leaves. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Run } from "./Lifecycle.ts"
import type { Delta } from "./pure/Delta.ts"
import type { RunEvent } from "./pure/RunEvent.ts"
import { type Progress, RunObserver } from "./RunObserver.ts"

/** An event, a delta or a tool's progress, of the run `runId`: the one that is streamed, or one that it called. */
export type StreamPart = (RunEvent | Delta | Progress) & { readonly runId: string }

/** How many parts may wait for the reader, and how many more the reader's side takes at once. */
const room = 64

/**
 * What is seen while `playing` goes on, a `run`, `resume` or `continue`. Its last part is the event that ends the run: `RunStopped`, or
 * `RunFailed` before the stream fails with the error; a run that had ended before has none. A slow reader slows the run, which is never
 * more than 128 parts ahead, and loses nothing. Interrupting the reader, or reading no further, interrupts the run and waits for its end.
 * After a `Restarted` the words of that reply so far are to be dropped.
 */
export const streamOf = <E, R>(playing: Effect.Effect<Run, E, R>): Stream.Stream<StreamPart, E, R> =>
  Stream.unwrap(Effect.gen(function*() {
    const queue = yield* Queue.bounded<StreamPart, E | Cause.Done>(room)
    const observers = yield* RunObserver
    yield* playing.pipe(
      Effect.provideService(RunObserver, [...observers, teller(queue)]),
      Effect.matchCauseEffect({
        onFailure: (cause) => Queue.failCause(queue, cause),
        onSuccess: () => Queue.end(queue)
      }),
      Effect.forkScoped
    )
    // Added last, so it runs first: the end of a run that is interrupted must not wait for a reader who has left.
    yield* Effect.addFinalizer(() => Queue.shutdown(queue))
    return Stream.fromQueue(queue)
  }))

const teller = <E>(queue: Queue.Enqueue<StreamPart, E>): RunObserver => {
  const tell = (part: StreamPart): Effect.Effect<unknown> =>
    Queue.offerUnsafe(queue, part) ? Effect.void : Queue.offer(queue, part)
  return {
    event: (event, { runId }) => tell({ ...event, runId }),
    delta: (delta, runId) => tell({ ...delta, runId }),
    progress: (progress, runId) => tell({ ...progress, runId })
  }
}
