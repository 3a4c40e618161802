/** What every journal promises, to be run over each. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { expect } from "vitest"
import { Journal } from "../src/Journal.ts"
import { RunEvent, stampFact } from "../src/pure/RunEvent.ts"
import { copy } from "./fixtures.ts"

const Pieces = Schema.Array(Schema.Struct({
  run: Schema.Literals(["a", "b", "c-1"]),
  events: Schema.NonEmptyArray(RunEvent)
}))

const stopped = stampFact({ _tag: "RunStopped", stop: { _tag: "OutOfTurns" } }, 1)
const resumed = stampFact({ _tag: "RunResumed", limits: { maxTurns: 3 } }, 2)

/** Declares the contract's tests for a Layer, which is built anew for each. */
export const contract = (name: string, layer: Layer.Layer<never, unknown, Scope.Scope>): void => {
  describe(`the journal ${name}`, () => {
    const scenario = (title: string, test: Effect.Effect<void, unknown, Scope.Scope>) =>
      it.effect(title, () => Effect.provide(test, layer))

    for (const isClaimed of [false, true]) {
      it.effect.prop(
        `reads what was kept, in the order it was kept, whatever runs are written between${
          isClaimed ? ", by who claimed them" : ""
        }`,
        [Pieces],
        ([pieces]) =>
          Effect.gen(function*() {
            const journal = yield* Journal
            const kept = new Map<string, Array<RunEvent>>()
            for (const { events, run } of pieces) {
              if (isClaimed && !kept.has(run)) yield* journal.claim(run)
              const before = kept.get(run) ?? []
              yield* journal.append(run, events, before.length)
              kept.set(run, [...before, ...events])
            }
            for (const [run, events] of kept) {
              expect(copy(yield* journal.read(run))).toEqual(copy(events))
            }
            expect((yield* journal.list).toSorted()).toEqual([...kept.keys()].toSorted())
          }).pipe(Effect.scoped, Effect.provide(layer)),
        { arbitrary: { runs: 30, size: 10 }, timeout: 60_000 }
      )
    }

    scenario(
      "a run that is not there is not found",
      Effect.gen(function*() {
        const journal = yield* Journal
        expect(yield* Effect.flip(journal.read("none"))).toMatchObject({ reason: "notFound", runId: "none" })
        expect(yield* journal.list).toEqual([])
      })
    )

    scenario(
      "an append that expects other events before it is a conflict, and keeps nothing",
      Effect.gen(function*() {
        const journal = yield* Journal
        yield* journal.append("a", [stopped], 0)
        for (const at of [0, 2, 7]) {
          expect(yield* Effect.flip(journal.append("a", [resumed], at))).toMatchObject({
            reason: "conflict",
            runId: "a"
          })
        }
        expect(yield* Effect.flip(journal.append("new", [resumed], 1))).toMatchObject({ _tag: "JournalError" })
        expect(yield* journal.read("a")).toEqual([stopped])
        yield* journal.append("a", [resumed], 1)
        expect(yield* journal.read("a")).toEqual([stopped, resumed])
      })
    )

    scenario(
      "a run has one writer at a time",
      Effect.gen(function*() {
        const journal = yield* Journal
        yield* Effect.scoped(Effect.gen(function*() {
          yield* journal.claim("a")
          expect(yield* Effect.flip(journal.claim("a"))).toMatchObject({ reason: "conflict", runId: "a" })
          yield* journal.claim("b")
        }))
        yield* Effect.scoped(journal.claim("a"))
      })
    )
  })
}
