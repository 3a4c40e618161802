/** A turn costs the same however many were before it, and what is handed out of a growing run stays as it was. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import { Model, type ModelRequest } from "../src/Model.ts"
import type { ModelReply } from "../src/pure/Reply.ts"
import type { RunState } from "../src/pure/RunState.ts"
import * as Usage from "../src/pure/Usage.ts"
import { RunObserver } from "../src/RunObserver.ts"
import * as Toolset from "../src/Toolset.ts"
import { echo, limited } from "./fixtures.ts"

const usage = Usage.make({ output: 1 })
const calls = [{ id: "a", name: "echo", input: { text: "a" } }, {
  id: "b",
  name: "echo",
  input: { text: "b" }
}] as const

/** Asks for two calls so many times. */
const run = (turns: number, seen: (request: ModelRequest) => void = () => {}) => {
  let turn = 0
  const model = Layer.succeed(Model, {
    reply: (request) =>
      Effect.sync((): ModelReply => {
        seen(request)
        return turn++ < turns ? { _tag: "ToolCalls", calls, usage } : { _tag: "Answer", text: "Done.", usage }
      })
  })
  return Agent.run(limited({ maxTurns: turns + 1 }), "Go on.").pipe(Effect.provide([model, Toolset.layer(echo)]))
}

/** How many steps the fibers of a run take. */
const stepsOf = (turns: number) =>
  Effect.suspend(() => {
    let steps = 0
    const scheduler = new Scheduler.MixedScheduler()
    scheduler.shouldYield = () => {
      steps++
      return false
    }
    return Effect.provideService(Effect.map(run(turns), () => steps), Scheduler.Scheduler, scheduler)
  })

describe("a growing run", () => {
  it.effect("takes as many steps a turn when it is long as when it is short", () =>
    Effect.gen(function*() {
      const [none, some, many] = [yield* stepsOf(10), yield* stepsOf(20), yield* stepsOf(1010)]
      expect(some - none).toBeGreaterThan(10)
      expect((many - none) / 1000).toBeCloseTo((some - none) / 10, 0)
    }))

  it.effect("shows each request and each observer the transcript of its moment", () =>
    Effect.gen(function*() {
      const requests: Array<ModelRequest> = []
      const states: Array<RunState> = []
      const observer: RunObserver = { event: (_, state) => Effect.sync(() => states.push(state)) }
      yield* run(300, (request) => requests.push(request)).pipe(Effect.provideService(RunObserver, [observer]))
      expect(requests.map(({ transcript }) => transcript.length)).toEqual(requests.map((_, i) => 1 + i * 2))
      expect(requests.at(-1)?.transcript.slice(0, 3)).toEqual(requests[1]?.transcript)
      const lengths = states.map(({ transcript }) => transcript.length)
      expect([lengths[0], lengths[1], lengths.at(-1)]).toEqual([1, 2, 602])
      expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    }))
})
