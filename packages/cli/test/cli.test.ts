import * as NodeServices from "@effect/platform-node/NodeServices"
import { BakeryAgent } from "@levain/bakery"
import { RunEvent } from "@levain/core"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as TestConsole from "effect/testing/TestConsole"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { exec, fromSource, type Outcome, run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import * as FakeApi from "../../claude/test/FakeApi.ts"
import { main } from "../src/Cli.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** Runs the command as a process of its own. */
const levain = (args: ReadonlyArray<string>, input = "") => Effect.promise(() => run(bin, args, input))

/** Fails unless the command said one line on standard error, nothing else, and ended with code 2. */
const expectOneLine = (outcome: Outcome, line: string) =>
  expect(outcome).toEqual({ code: 2, out: "", err: `levain: ${line}\n` })

feature(new URL("../features/cli.feature", import.meta.url), (scenario) => {
  scenario("A question is answered from the bakery's data", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* levain(["ask", "Two", "rye", "loaves", "on", "Friday", "at", "4"])
      expect([code, err]).toEqual([0, ""])
      expect(out.split("\n")).toEqual([
        "c1 menu_item {\"name\":\"rye loaves\"}",
        "   ok {\"name\":\"rye loaf\",\"priceCents\":900,\"noticeDays\":1}",
        "c2 opening_hours {\"day\":\"friday\"}",
        "   ok {\"day\":\"friday\",\"hours\":{\"opens\":\"07:00\",\"closes\":\"15:00\"}}",
        expect.stringMatching(/^answered after 2 turns and \d+ tokens:$/),
        "2 rye loaves are $18 ($9 each) and need 1 day's notice, so please order by Thursday. " +
        "On Friday we are open from 07:00 to 15:00, so 16:00 is outside our hours.",
        ""
      ])
    }))

  scenario("The demo plays the lesson's run", () =>
    Effect.gen(function*() {
      const { code, out } = yield* levain(["demo"])
      expect(code).toBe(0)
      expect(out).toBe(`c1 menu_item {"name":"Sourdough rolls"}
   ok {"name":"sourdough rolls","priceCents":150,"noticeDays":2}
c2 menu_item {"name":"Croissants"}
   error notFound: the menu has no croissants. It has: sourdough rolls, rye loaf, cinnamon buns.
c3 opening_hours {"day":"saturday"}
   ok {"day":"saturday","hours":{"opens":"08:00","closes":"13:00"}}
answered after 2 turns and 800 tokens:
Two dozen sourdough rolls are $36 and need two days' notice, so please order by Thursday. We don't bake croissants; the menu has sourdough rolls, rye loaf and cinnamon buns. On Saturday we open at 8, so 9 works.
`)
    }))

  scenario("Events are printed one a line", () =>
    Effect.gen(function*() {
      const { code, out } = yield* levain(["ask", "--json", "rye loaf?"])
      expect(code).toBe(0)
      const decode = Schema.decodeEffect(Schema.fromJsonString(RunEvent.RunEvent))
      const events = yield* Effect.forEach(out.trimEnd().split("\n"), (line) => decode(line))
      expect(events.map(({ _tag }) => _tag)).toEqual(["RunStarted", "Replied", "ToolFinished", "Replied", "RunStopped"])
      expect(events[0]).toMatchObject({ task: "rye loaf?", agent: "pickup", limits: BakeryAgent.pickup.limits })
      expect(new Date(events[0]!.at).getFullYear()).toBeGreaterThan(2025)
    }))

  scenario("The question can come from standard input", () =>
    Effect.gen(function*() {
      for (const args of [["ask"], ["ask", "-"]]) {
        const { code, out } = yield* levain(args, "Are you open\non Sunday?\n")
        expect(code).toBe(0)
        expect(out).toContain("On Sunday we are closed.")
      }
    }))

  scenario("No question gets one clear line", () =>
    Effect.gen(function*() {
      for (const [args, input] of [[["ask"], ""], [["ask"], " \n"], [["ask", "  "], ""], [["ask", "-"], ""]] as const) {
        expectOneLine(yield* levain(args, input), "there is no question. Try: levain ask \"When are you open?\"")
      }
    }))

  scenario("A wrong flag gets one clear line", () =>
    Effect.gen(function*() {
      expectOneLine(
        yield* levain(["ask", "hi", "--jsn"]),
        "Unrecognized flag: --jsn in command levain ask Did you mean this? --json. See levain ask --help."
      )
      expectOneLine(
        yield* levain(["aks"]),
        "Unknown subcommand \"aks\" for \"levain\" Did you mean this? ask. See levain --help."
      )
      expectOneLine(
        yield* levain(["ask", "hi", "--model", "gpt"]),
        "Invalid value for flag --model: \"gpt\". Expected: \"offline\" | \"claude\". See levain ask --help."
      )
    }))

  scenario("A limit of 0 gets one clear line", () =>
    Effect.gen(function*() {
      for (
        const [flag, value] of [["max-turns", "0"], ["max-turns", "-1"], ["max-tokens", "1.5"], ["max-turns", "ten"]]
      ) {
        expectOneLine(
          yield* levain(["ask", "hi", `--${flag}=${value}`]),
          `--${flag} must be a whole number from 1 up, not ${value}.`
        )
      }
      expectOneLine(
        yield* levain(["ask", "hi", "--max-tokens", ""]),
        "--max-tokens must be a whole number from 1 up, not empty."
      )
      expectOneLine(
        yield* levain(["ask", "hi", "--max-turns", "a\n\u001b[31mb"]),
        "--max-turns must be a whole number from 1 up, not a \\u001b[31mb."
      )
    }))

  scenario("Each kind of stop has its exit code", () =>
    Effect.gen(function*() {
      const turns = yield* levain(["ask", "rye?", "--max-turns", "1"])
      expect(turns.code).toBe(3)
      expect(turns.out).toMatch(
        /\nout of turns after 1 turn and \d+ tokens: the model wanted more. Allow more with --max-turns.\n$/
      )
      const tokens = yield* levain(["ask", "rye?", "--max-tokens", "1"])
      expect(tokens.code).toBe(4)
      expect(tokens.out).toMatch(
        /\nout of tokens after 1 turn and \d+ tokens: the model wanted more. Allow more with --max-tokens.\n$/
      )
    }))

  scenario("Cost, time and repeats have limits too, and a last turn gives words", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.streams({
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: "toolu_1", name: "opening_hours", input: { day: "sunday" } }]
      }))
      const env = { ANTHROPIC_API_KEY: "sk-ant-secret", ANTHROPIC_BASE_URL: api.url }
      const cost = yield* Effect.promise(() => run(bin, ["ask", "Sunday?", "--max-cost", "0.0000001"], "", env))
      expect(cost.code).toBe(6)
      expect(cost.out).toMatch(
        /\nover its cost after 1 turn and .*: the model wanted more. Allow more with --max-cost.\n$/
      )

      const last = yield* levain(["ask", "rye?", "--max-turns", "1", "--final-answer"])
      expect(last.code).toBe(3)
      expect(last.out).toMatch(
        /\nout of turns after 2 turns and .*\nBefore it stopped it said:\nI could not look up rye: /
      )

      for (
        const [flag, value, takes] of [
          ["max-cost", "0", "a number of US dollars above 0"],
          ["max-duration", "soon", "a time longer than nothing"],
          ["max-duration", "0 seconds", "a time longer than nothing"],
          ["max-repeats", "1.5", "a whole number from 1 up"]
        ]
      ) {
        expectOneLine(yield* levain(["ask", "hi", `--${flag}=${value}`]), `--${flag} must be ${takes}, not ${value}.`)
      }
      for (const value of ["30", "30s", "1.5 minutes", "2h", "900ms"]) {
        expect((yield* levain(["ask", "rye?", "--max-duration", value, "--max-repeats", "1"])).code).toBe(0)
      }
    }))

  scenario("Colour is for terminals only", () =>
    Effect.gen(function*() {
      const kept = mkdtempSync(join(tmpdir(), "levain-colour-"))
      yield* levain(["ask", "--journal", kept, "rye loaf?"])
      const printed = (terminal: boolean, env: Record<string, string>) =>
        Effect.gen(function*() {
          const before = (yield* TestConsole.logLines).length
          expect(yield* main(["demo", "--quiet"])).toBe(0)
          expect(yield* main(["show", "last", "--journal", kept])).toBe(0)
          return (yield* TestConsole.logLines).slice(before).join("\n")
        }).pipe(
          Effect.provide(Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(terminal) })),
          Effect.provide(NodeServices.layer),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
        )
      expect(yield* printed(true, {})).toContain("\u001b[32mok\u001b[0m")
      expect(yield* printed(true, { NO_COLOR: "" })).toContain("\u001b[")
      expect(yield* printed(true, { NO_COLOR: "1" })).not.toContain("\u001b[")
      expect(yield* printed(false, {})).not.toContain("\u001b[")
      expect((yield* levain(["demo"])).out).not.toContain("\u001b[")
    }))

  scenario("No arguments ask for help", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* levain([])
      expect([code, err]).toEqual([0, ""])
      expect(out).toContain("ask")
      expect(out).toContain("demo")
    }))

  scenario("A stack is for those who ask for it", () =>
    Effect.gen(function*() {
      const breaking = fileURLToPath(new URL("./agents/breaking.ts", import.meta.url))
      for (
        const [args, line] of [
          [["ask", "--model", "claude", "Open?"], /^levain: .*ANTHROPIC_API_KEY.*$/],
          [
            ["ask", "--no-journal", "--agent", breaking, "Go."],
            /^levain: something in the command broke: Error: a wheel came off\. .*$/
          ]
        ] as const
      ) {
        const plain = yield* levain(args)
        expect(plain.code).toBeGreaterThan(0)
        expect(plain.err.trimEnd()).toMatch(line)
        const debugged = yield* levain([...args, "--debug"])
        expect(debugged.code).toBe(plain.code)
        expect(debugged.err).toMatch(/\n +at .*\.ts:\d+:\d+/)
        expect(debugged.err.trimEnd().split("\n").at(-1)).toMatch(line)
      }
      expect((yield* levain(["--help"])).out).toContain("--debug")
    }))

  scenario("Output that cannot be written is one clear line", () =>
    Effect.gen(function*() {
      const full = `"${process.execPath}" ${fromSource.join(" ")} "${bin}" demo > /dev/full`
      const { code, err } = yield* Effect.promise(() => exec("bash", ["-c", full]))
      expect(code).toBe(1)
      expect(err).toMatch(/^levain: the output cannot be written: [^\n]+\n$/)
    }))

  scenario("A reader that leaves early is no error", () =>
    Effect.gen(function*() {
      const piped = `"${process.execPath}" ${fromSource.join(" ")} "${bin}" ask --json "When are you open?" | head -n 1`
      const { code, err, out } = yield* Effect.promise(() => exec("bash", ["-o", "pipefail", "-c", piped]))
      expect([code, err]).toEqual([0, ""])
      expect(out).toMatch(/^\{"_tag":"RunStarted".*\n$/)
    }))

  const key = "sk-ant-secret"
  const hours = FakeApi.streams({
    stop_reason: "tool_use",
    content: [{ type: "tool_use", id: "toolu_1", name: "opening_hours", input: { day: "Sunday" } }]
  })
  const closed = FakeApi.streams({ content: [{ type: "text", text: "We are closed on Sunday." }] })

  scenario("Claude answers where there is a key", () =>
    Effect.gen(function*() {
      const ask = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
        const api = yield* FakeApi.make()
        api.queue(hours, closed)
        const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: api.url }
        return yield* Effect.promise(() => run(bin, ["ask", ...args], "", env))
      })
      const { code, err, out } = yield* ask("Sunday?")
      expect([code, err]).toEqual([0, ""])
      expect(out.split("\n")).toEqual([
        "Claude answers, since there is a key in ANTHROPIC_API_KEY; --model offline needs none.",
        "toolu_1 opening_hours {\"day\":\"Sunday\"}",
        "   ok {\"day\":\"sunday\",\"hours\":\"closed\"}",
        "answered after 2 turns and 30 tokens ($0.0003):",
        "We are closed on Sunday.",
        ""
      ])
      const json = yield* ask("--json", "Sunday?")
      const events = json.out.trimEnd().split("\n").map((line) => JSON.parse(line)._tag)
      expect(events).toEqual(["RunStarted", "Replied", "ToolFinished", "Replied", "RunStopped"])
      expect(json.err).toMatch(/^Claude answers, [^\n]+\n$/)
    }))

  scenario("The flags for Claude reach it", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(closed)
      const flags = [
        "--model",
        "claude",
        "--claude-model",
        "claude-sonnet-5-5",
        "--effort",
        "high",
        "--base-url",
        api.url
      ]
      const { code, out } = yield* Effect.promise(() =>
        run(bin, ["ask", "Sunday?", ...flags], "", { ANTHROPIC_API_KEY: key })
      )
      expect(code).toBe(0)
      expect(out).toMatch(/^answered after 1 turn and /)
      expect(api.requests).toMatchObject([{ model: "claude-sonnet-5-5", output_config: { effort: "high" } }])
    }))

  scenario("Claude without a key gets one clear line", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      expectOneLine(
        yield* levain(["ask", "Sunday?", "--model", "claude", "--base-url", api.url]),
        "there is no key for Claude: set ANTHROPIC_API_KEY."
      )
      expect(api.requests).toEqual([])
    }))

  scenario("A flag for Claude without Claude gets one clear line", () =>
    Effect.gen(function*() {
      expectOneLine(
        yield* levain(["ask", "Sunday?", "--effort", "high"]),
        "--effort is for Claude, and there is no key in ANTHROPIC_API_KEY."
      )
      expectOneLine(
        yield* levain(["ask", "Sunday?", "--model", "offline", "--base-url", "http://localhost"]),
        "--base-url is for Claude, and the offline model takes none."
      )
    }))

  scenario("A model that is busy is asked again", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.error(529, "overloaded_error", "Busy\n\u001b[31m.", { "retry-after-ms": "1" }), closed)
      const { code, err, out } = yield* Effect.promise(() =>
        run(bin, ["ask", "--json", "Sunday?", "--model", "claude"], "", {
          ANTHROPIC_API_KEY: key,
          ANTHROPIC_BASE_URL: api.url,
          ANTHROPIC_CUSTOM_HEADERS: "Authorization: Bearer another"
        })
      )
      expect(code).toBe(0)
      expect(out.trimEnd().split("\n").map((line) => JSON.parse(line)._tag)).toEqual([
        "RunStarted",
        "Replied",
        "RunStopped"
      ])
      expect(err).toBe(
        "levain: Claude: the API answered 529: Busy \\u001b[31m. What came of this reply so far does not count.\n"
      )
      expect(api.headers.map(({ authorization }) => authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`])
      const blank = yield* Effect.promise(() => run(bin, ["ask", "Sunday?"], "", { ANTHROPIC_API_KEY: "  " }))
      expect(blank.out).toContain("On Sunday we are closed.")
    }))

  scenario("A model that cannot be reached fails the run", () =>
    Effect.gen(function*() {
      const api = yield* FakeApi.make()
      api.queue(FakeApi.error(401, "authentication_error", `invalid key ${key}`))
      const { code, err, out } = yield* Effect.promise(() =>
        run(bin, ["ask", "Sunday?", "--model", "claude", "--base-url", api.url], "", {
          ANTHROPIC_API_KEY: key,
          ANTHROPIC_LOG: "debug"
        })
      )
      expect([code, out]).toEqual([1, ""])
      expect(err).toMatch(
        /^levain: Claude: the API answered 401: invalid key \(the key\)\. Check ANTHROPIC_API_KEY\. Go on with: levain resume \S+\n$/
      )
    }))
})
