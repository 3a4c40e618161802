/** Tools and checks that the tests of the loop share. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Agent from "../src/Agent.ts"
import { Model, ModelError } from "../src/Model.ts"
import type { ModelReply } from "../src/pure/Reply.ts"
import type { RunEvent } from "../src/pure/RunEvent.ts"
import { Transcript } from "../src/pure/Transcript.ts"
import * as Tool from "../src/Tool.ts"

/** Says back what it is told. */
export const echo = Tool.make("echo", {
  description: "Says back what it is told.",
  input: Schema.Struct({ text: Schema.String }),
  run: ({ text }) => Effect.succeed(text)
})

export const agent = Agent.make("tester", { instructions: "Test.", limits: { maxTurns: 10 } })

/** An agent with these limits. */
export const limited = (limits: Parameters<typeof Agent.make>[1]["limits"]) =>
  Agent.make("tester", { instructions: "Test.", ...(limits === undefined ? {} : { limits }) })

/** A model that computes its replies, for what no script can say. */
export const modelOf = (reply: (turn: number) => Effect.Effect<ModelReply, ModelError>): Layer.Layer<Model> =>
  Layer.sync(Model, () => {
    let turn = 0
    return Model.of({ reply: () => Effect.suspend(() => reply(turn = turn + 1)) })
  })

const isTranscript = Schema.is(Transcript)

/** Fails unless a provider would take the transcript (I1). `open` allows the last reply's calls to have no results yet. */
export const expectSendable = (transcript: Transcript, open = false): void => {
  expect(isTranscript(transcript)).toBe(true)
  expect(JSON.stringify(transcript, withoutNative)).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/)
  transcript.forEach((message, i) => {
    const next = transcript[i + 1]
    if (message._tag === "ToolCalls" && !(open && next === undefined)) {
      expect(next?._tag === "Results" && next.results.map((result) => result.callId)).toEqual(
        message.calls.map((call) => call.id)
      )
    }
    if (message._tag === "Results") expect(transcript[i - 1]?._tag).toBe("ToolCalls")
  })
}

/** A provider's own content goes back exactly as it came, so it is not ours to mend. */
const withoutNative = (key: string, value: unknown) => key === "native" ? undefined : value

/** The tags of events, in order. */
export const tags = (events: ReadonlyArray<RunEvent>) => events.map((event) => event._tag)

/** A JSON copy differs from plain data in one thing alone: JSON has no negative zero. */
export const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
