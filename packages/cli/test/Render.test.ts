import { describe, it } from "@effect/vitest"
import { RunEvent, Stop, Usage } from "@levain/core"
import { expect } from "vitest"
import * as ExitCode from "../src/pure/ExitCode.ts"
import * as Render from "../src/pure/Render.ts"
import * as Text from "../src/pure/Text.ts"

const replied = (ids: ReadonlyArray<string>, text?: string) =>
  RunEvent.stampFact({
    _tag: "Replied",
    reply: {
      _tag: "ToolCalls",
      calls: ids.map((id) => ({ id, name: "look", input: {} })) as [{ id: string; name: string; input: {} }],
      usage: Usage.make({ output: 10 }),
      ...(text === undefined ? {} : { text })
    }
  }, 0)

const finished = (turn: number, index: number, content: string, isError = false) =>
  RunEvent.stampFact({ _tag: "ToolFinished", place: { turn, index }, result: { callId: "c", content, isError } }, 0)

const stopped = (stop: Stop.Stop) => RunEvent.stampFact({ _tag: "RunStopped", stop }, 0)

/** The lines printed at each event. */
const shown = (events: ReadonlyArray<RunEvent.RunEvent>, style = Render.plain) => {
  let screen = Render.empty
  return events.map((event) => {
    const [next, lines] = Render.show(screen, event, style)
    screen = next
    return lines
  })
}

describe("show", () => {
  it("prints calls in the order asked, each as soon as the ones before it are done", () => {
    expect(shown([replied(["a", "b", "c"]), finished(1, 2, "3"), finished(1, 0, "1"), finished(1, 1, "2", true)]))
      .toEqual([
        ["a look {}"],
        [],
        ["   ok 1", "b look {}"],
        ["   error 2", "c look {}", "   ok 3"]
      ])
  })

  it("prints the words beside calls, and later turns after earlier ones", () => {
    expect(shown([replied(["a"], "Let me see."), finished(1, 0, "1"), replied(["b"]), finished(2, 0, "2")])).toEqual([
      ["Let me see.", "a look {}"],
      ["   ok 1"],
      ["b look {}"],
      ["   ok 2"]
    ])
  })

  it("says of calls that a limit kept from running that they did not", () => {
    expect(shown([replied(["a", "b"]), stopped({ _tag: "OutOfTurns" })])).toEqual([
      ["a look {}"],
      [
        "   not run",
        "b look {}",
        "   not run",
        "out of turns after 1 turn and 10 tokens: the model wanted more. Allow more with --max-turns."
      ]
    ])
  })

  it("makes one line of whatever went wrong", () => {
    expect(Text.oneLine("a\n  b\u001b[31m")).toBe("a b\\u001b[31m")
    expect(Text.oneLine("x".repeat(3000))).toBe(`${"x".repeat(200)} … ${"x".repeat(80)}`)
  })

  it("prints why each run stopped", () => {
    const stops: ReadonlyArray<readonly [Stop.Stop, ReadonlyArray<string>]> = [
      [{ _tag: "Answered", text: "Yes.\nBye." }, ["answered after 1 turn and 10 tokens:", "Yes.\nBye."]],
      [{ _tag: "OutOfTurns" }, [
        "out of turns after 1 turn and 10 tokens: the model wanted more. Allow more with --max-turns."
      ]],
      [{ _tag: "OutOfTokens" }, [
        "out of tokens after 1 turn and 10 tokens: the model wanted more. Allow more with --max-tokens."
      ]],
      [{ _tag: "ModelStopped", reason: "refused" }, ["stopped by the model (refused) after 1 turn and 10 tokens."]],
      [
        { _tag: "ModelStopped", reason: "truncated", detail: "max_tokens" },
        ["stopped by the model (truncated) after 1 turn and 10 tokens: max_tokens"]
      ]
    ]
    for (const [stop, lines] of stops) {
      expect(shown([replied(["a"]), finished(1, 0, "1"), stopped(stop)])[2]).toEqual(lines)
    }
  })

  it("lets nothing that is said move the cursor, colour the screen or turn the text round", () => {
    const evil = "\u001b[2J\u0007\u202egnp\u009b31m\r"
    const lines = shown([
      replied([evil], evil),
      finished(1, 0, `a\n${evil}`),
      stopped({ _tag: "Answered", text: evil })
    ]).flat()
    expect(lines.join("\n").replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(lines).toContain("   ok a\n   \\u001b[2J\\u0007\\u202egnp\\u009b31m\\u000d")
  })
})

describe("ofStop", () => {
  it("is 0 for an answer, and another for each other kind of stop", () => {
    const stops: ReadonlyArray<Stop.Stop> = [
      { _tag: "Answered", text: "a" },
      { _tag: "OutOfTurns" },
      { _tag: "OutOfTokens" },
      { _tag: "ModelStopped", reason: "unfinished" }
    ]
    expect(stops.map(ExitCode.ofStop)).toEqual([0, 3, 4, 5])
  })
})
