import * as Effect from "effect/Effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import { atTerminal, screenOf } from "./PseudoTerminal.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

const shop = () => {
  const env = { LEVAIN_JOURNAL: mkdtempSync(join(tmpdir(), "levain-chat-")) }
  return { env, levain: (args: ReadonlyArray<string>, input = "") => Effect.promise(() => run(bin, args, input, env)) }
}

feature(new URL("../features/chat.feature", import.meta.url), (scenario) => {
  scenario("Messages go on in one conversation", () =>
    Effect.gen(function*() {
      const { levain } = shop()
      const { code, err, out } = yield* levain(
        ["chat", "-q"],
        "Are you open on Sunday?\n\n\"\"\"\nTwo rye loaves\non Friday?\n\"\"\"\n"
      )
      expect([code, err]).toEqual([0, ""])
      expect(out.split("\n")).toEqual([
        "On Sunday we are closed.",
        expect.stringMatching(/^2 rye loaves are \$18/),
        ""
      ])
      const [runId, ...others] = (yield* levain(["runs"])).out.trimEnd().split("\n").map((line) =>
        line.split(" ", 1)[0]
      )
      expect(others).toEqual([])
      const story = (yield* levain(["show", `${runId}`])).out
      expect(story).toContain("> Are you open on Sunday?\n")
      expect(story).toContain("> Two rye loaves on Friday?\n")
      expect((yield* levain(["reply", "last", "And on Monday?"])).code).toBe(0)
    }))

  scenario("A chat says what it cost and what the model saw", () =>
    Effect.gen(function*() {
      const { levain } = shop()
      const { code, err, out } = yield* levain(
        ["chat", "-q"],
        "Are you open on Sunday?\n/cost\n/messages\n/what\n/exit\nAre you open on Monday?\n"
      )
      expect([code, err]).toEqual([0, "levain: there is no /what. There are /cost, /messages and /exit.\n"])
      const [answer, cost, ...messages] = out.trimEnd().split("\n")
      expect(answer).toBe("On Sunday we are closed.")
      expect(cost).toMatch(/^2 turns and \d+ tokens$/)
      expect(messages.map((line) => JSON.parse(line)._tag)).toEqual(["Task", "ToolCalls", "Results", "Answer"])
    }))

  scenario("A chat at a terminal asks for each message", () =>
    Effect.gen(function*() {
      const { env } = shop()
      const { code, shown } = yield* atTerminal(
        ["chat"],
        env,
        ["> ", "Are you open on Sunday?\r"],
        [/answered[^]*> /, "/exit\r"]
      )
      expect(code).toBe(0)
      const screen = screenOf(shown)
      expect(screen[0]).toBe("> Are you open on Sunday?")
      expect(screen).toContain("On Sunday we are closed.")
      expect(screen.at(-2)).toBe("> /exit")
    }))
})
