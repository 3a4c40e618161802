import { type Reply, type RunEvent, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import * as Render from "../src/pure/Render.ts"
import * as Timeline from "../src/pure/Timeline.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

const levain = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => Effect.promise(() => run(bin, args, "", env))

const usage = Usage.make({ input: 70, output: 30, cost: 0.5 })

const replied = (at: number, reply: Reply.ModelReply): RunEvent.RunEvent => ({ _tag: "Replied", v: 1, at, reply })

const limits = { maxTurns: 6, finalAnswer: false }

const started = (at: number): RunEvent.RunEvent => ({
  _tag: "RunStarted",
  v: 1,
  at,
  runId: "run",
  agent: "tester",
  instructions: "Test.",
  limits,
  task: "Go."
})

const finished = (at: number, index: number): RunEvent.RunEvent => ({
  _tag: "ToolFinished",
  v: 1,
  at,
  place: { turn: 1, index },
  result: { callId: `c${index}`, content: "ok", isError: false }
})

const named = (name: string) => ({ id: name, name, input: {} })

const asked = replied(1000, {
  _tag: "ToolCalls",
  calls: [named("slow"), named("cut"), named("helper")],
  usage
})

feature(new URL("../features/trace.feature", import.meta.url), (scenario) => {
  scenario("A run's replies and calls are lines on one scale", () =>
    Effect.gen(function*() {
      const env = { LEVAIN_JOURNAL: mkdtempSync(join(tmpdir(), "levain-trace-")) }
      yield* levain(["ask", "Two rye loaves and six croissants on Friday at 9?"], env)
      const { code, err, out } = yield* levain(["trace", "last"], env)
      expect([code, err]).toEqual([0, ""])
      const time = String.raw`^ +\d\.\d\ds +\d\.\d\ds [ █]{30}`
      expect(out.split("\n")).toEqual([
        expect.stringMatching(/^ +at +took +tokens +cost {2}what$/),
        expect.stringMatching(new RegExp(`${time} +\\d+ {12}turn 1$`)),
        expect.stringMatching(new RegExp(`${time} {22}menu_item {"name":"rye loaves"}$`)),
        expect.stringMatching(new RegExp(`${time} {22}menu_item {"name":"croissants"} error$`)),
        expect.stringMatching(new RegExp(`${time} {22}opening_hours {"day":"friday"}$`)),
        expect.stringMatching(new RegExp(`${time} +\\d+ {12}turn 2$`)),
        expect.stringMatching(/^\d+ tokens for \$0\.0000: \d+ in, \d+ out, 0 read from the cache, 0 written to it$/),
        ""
      ])
    }))

  scenario("Calls that run together have bars above each other", () =>
    Effect.sync(() => {
      const spans = Timeline.spans(
        "run",
        new Map([
          ["run", [started(0), asked, finished(4000, 0), finished(2000, 2)]],
          ["run.1-2", [started(1000), replied(2000, { _tag: "Answer", text: "Done.", usage })]]
        ])
      )
      expect(Timeline.lines(spans, Render.plain)).toEqual([
        "   0.00s      1.00s ████████                           100   $0.5000  turn 1",
        "   1.00s      3.00s        ███████████████████████                      slow {}",
        "   1.00s unfinished        ·······················                      cut {}",
        "   1.00s      1.00s        ████████                                     helper {}",
        "   1.00s      1.00s        ████████                    100   $0.5000      turn 1"
      ])
      expect(Timeline.totals(spans)).toBe(
        "200 tokens for $1.0000: 140 in, 60 out, 0 read from the cache, 0 written to it"
      )
    }))

  scenario("A run that is not there is one clear line", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* levain(["trace", "last"], {
        LEVAIN_JOURNAL: mkdtempSync(join(tmpdir(), "levain-trace-"))
      })
      expect({ code, err, out }).toEqual({
        code: 2,
        out: "",
        err: "levain: no run is meant by last: see levain runs.\n"
      })
    }))
})
