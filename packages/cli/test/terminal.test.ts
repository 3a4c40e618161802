import * as Effect from "effect/Effect"
import { mkdtempSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import * as FakeApi from "../../claude/test/FakeApi.ts"
import { atTerminal, inColumns, screenOf } from "./PseudoTerminal.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** An environment in which nothing of the person's own is found, with a key and this API. */
const environment = (url?: string) => ({
  LEVAIN_JOURNAL: mkdtempSync(join(tmpdir(), "levain-terminal-")),
  ...(url === undefined ? {} : { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: url })
})

const question = ["ask", "--model", "claude", "When are you open?"]

feature(new URL("../features/terminal.feature", import.meta.url), (scenario) => {
  scenario("Words come as they are said", () =>
    Effect.scoped(Effect.gen(function*() {
      const api = yield* FakeApi.make()
      const answer = "We are open on Saturday, from 08:00 to 13:00."
      const half = answer.slice(0, answer.length / 2)
      let rest: ServerResponse | undefined
      api.queue(
        FakeApi.streamsSome(3, { content: [{ type: "text", text: answer }], stop_reason: "end_turn" }, (response) => {
          rest = response
        })
      )
      const { code, shown } = yield* atTerminal(question, environment(api.url), [half, (before) => {
        expect(before).not.toContain(answer.slice(answer.length / 2))
        rest?.end(FakeApi.lines([
          {
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: answer.slice(answer.length / 2) }
          },
          { type: "content_block_stop", index: 0 },
          {
            type: "message_delta",
            delta: { stop_reason: "end_turn", stop_sequence: null },
            usage: { input_tokens: 10, output_tokens: 5 }
          },
          { type: "message_stop" }
        ]))
      }])
      expect(code).toBe(0)
      expect(screenOf(shown)).toEqual([
        answer,
        expect.stringMatching(/^answered after 1 turn and 15 tokens \(\$0\.\d{4}\) in \d+\.\ds\.$/),
        ""
      ])
      expect(shown).toContain("waiting for the model")
    })))

  scenario("A call is one line that fills in", () =>
    Effect.gen(function*() {
      const { code, shown } = yield* atTerminal(["demo"], environment())
      expect(code).toBe(0)
      expect(screenOf(shown)).toEqual([
        expect.stringMatching(
          /^✓ menu_item \{"name":"Sourdough rolls"\} → \{"name":"sourdough rolls","priceCents":150,"noticeDays":2\} 0\.\ds$/
        ),
        expect.stringMatching(
          /^✗ menu_item \{"name":"Croissants"\} → notFound: the menu has no croissants\..* 0\.\ds$/
        ),
        expect.stringMatching(/^✓ opening_hours \{"day":"saturday"\} → .*"opens":"08:00".* 0\.\ds$/),
        expect.stringMatching(/^Two dozen sourdough rolls are \$36 .* so 9 works\.$/),
        expect.stringMatching(/^answered after 2 turns and 800 tokens in \d\.\ds\.$/),
        ""
      ])
      expect(shown).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] menu_item \{"name":"Croissants"\} 0\.\ds/)
      expect(shown).toContain("\u001b[32m✓\u001b[0m")
    }))

  scenario("A wait shows how long it is", () =>
    Effect.scoped(Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(() => {})
      const { shown } = yield* inColumns(24, question, environment(api.url), [/… 0\.[0-4]s/, ""], [
        /0\.[5-9]s/,
        "\u0003"
      ])
      const drawn = [...shown.matchAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏][^\p{Cc}]*/gu)].map(([line]) => line)
      expect(new Set(drawn.map((line) => line[0])).size).toBeGreaterThan(2)
      for (const line of drawn) expect(line.length).toBeLessThan(24)
      expect(shown).not.toContain("\u001b[1A")
    })))

  scenario("Ctrl-C interrupts a run, which can be taken up", () =>
    Effect.scoped(Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(() => {})
      const env = environment(api.url)
      const { code, shown } = yield* atTerminal(question, env, ["waiting for the model", "\u0003"])
      expect(code).toBe(130)
      const screen = screenOf(shown).filter((line) => line !== "")
      expect(screen.slice(-2)).toEqual([
        expect.stringMatching(/interrupted after 0 turns and 0 tokens\.$/),
        expect.stringMatching(/^levain: go on with: levain resume \S+$/)
      ])
      const [, runId = ""] = screen.at(-1)?.match(/resume (\S+)$/) ?? []
      api.queue(FakeApi.streams({ content: [{ type: "text", text: "On Saturday." }], stop_reason: "end_turn" }))
      const resumed = yield* Effect.promise(() => run(bin, ["resume", runId, "--model", "claude"], "", env))
      expect(resumed.out).toContain("On Saturday.")
    })))

  scenario("A terminal without colours gets none, and one that cannot draw gets lines", () =>
    Effect.gen(function*() {
      const uncoloured = yield* atTerminal(["demo"], { ...environment(), NO_COLOR: "1" })
      expect(uncoloured.shown).toContain("✓")
      expect(uncoloured.shown).not.toMatch(/\[\d+m/)
      const dumb = yield* atTerminal(["demo"], { ...environment(), TERM: "dumb", NO_COLOR: "1" })
      expect(dumb.shown.replaceAll("\r", "")).toBe((yield* Effect.promise(() => run(bin, ["demo"]))).out)
    }))

  scenario("Quiet is the answer alone", () =>
    Effect.gen(function*() {
      const words = (yield* Effect.promise(() => run(bin, ["ask", "--quiet", "Are you open on Sunday?"]))).out
      expect(words).toMatch(/^On Sunday we are closed\.\n$/)
      const { shown } = yield* atTerminal(["ask", "-q", "Are you open on Sunday?"], environment())
      expect(shown.replaceAll("\r", "")).toBe(words)
      const limited = yield* Effect.promise(() =>
        run(bin, ["ask", "--quiet", "--max-turns", "1", "Are you open on Sunday?"])
      )
      expect(limited.code).not.toBe(0)
      expect(limited.out).toMatch(/^out of turns after 1 turn and \d+ tokens: .*\n$/)
    }))
})
