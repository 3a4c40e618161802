import * as Effect from "effect/Effect"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"
import * as FakeApi from "../../claude/test/FakeApi.ts"
import { atTerminal } from "./PseudoTerminal.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** The command with a journal and orders of its own. */
const shop = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "levain-shop-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const env = {
    LEVAIN_JOURNAL: join(folder, "runs"),
    LEVAIN_ORDERS: join(folder, "orders.jsonl"),
    USER: "anna",
    TERM: "xterm"
  }
  const levain = (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) =>
    Effect.promise(() => run(bin, args, "", { ...env, ...more }))
  const orders = (): ReadonlyArray<{ readonly lines: ReadonlyArray<{ readonly count: number }> }> =>
    existsSync(env.LEVAIN_ORDERS)
      ? readFileSync(env.LEVAIN_ORDERS, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
      : []
  return { env, levain, orders, counts: () => orders().map(({ lines }) => lines.map(({ count }) => count)) }
})

const order = ["ask", "--agent", "order", "Two rye loaves on Friday, please."]

const input = (count: number) => JSON.stringify({ day: "friday", lines: [{ item: "rye loaf", count }] })

const down = "\u001b[B"
const enter = "\r"

feature(new URL("../features/approvals.feature", import.meta.url), (scenario) => {
  scenario("What waits is listed, and goes on once it is approved", () =>
    Effect.gen(function*() {
      const { counts, levain } = yield* shop
      expect(yield* levain(["approvals"])).toEqual({ code: 0, out: "", err: "" })
      yield* levain(["ask", "Are you open on Sunday?"])
      const asked = yield* levain(order)
      expect(asked.code).toBe(9)
      expect(asked.out).toMatch(
        /waiting for a person after 2 turns and \d+ tokens:\n2\/0 place_order .*\n {3}place_order /
      )
      const [, run = ""] =
        asked.err.match(/^levain: answer with: levain approve (\S+) 2\/0 or: levain deny \1 2\/0 /) ?? []
      expect(counts()).toEqual([])

      const { out } = yield* levain(["approvals"])
      expect(out.split("\n")).toEqual([
        expect.stringMatching(
          new RegExp(`^${run}  waiting +2 turns +\\d+ tokens  Two rye loaves on Friday, please\\.$`)
        ),
        `2/0 place_order ${input(2)}`,
        "   place_order runs only with a person's yes.",
        ""
      ])
      const json = JSON.parse((yield* levain(["approvals", "--json"])).out)
      expect(json).toMatchObject({ runId: run, place: { turn: 2, index: 0 }, tool: "place_order" })

      const approved = yield* levain(["approve", "last", "2/0"])
      expect([approved.code, approved.err]).toEqual([0, ""])
      expect(approved.out.split("\n")).toEqual([
        "2/0 approved by anna",
        `c3 place_order ${input(2)}`,
        expect.stringMatching(/^ {3}ok .*"totalCents":1800/),
        expect.stringMatching(/^answered after 3 turns/),
        "Your order is placed: 2 rye loaves for Friday, $18 in all.",
        ""
      ])
      expect((yield* levain(["approvals"])).out).toBe("")
      expect((yield* levain(["resume", "last"])).code).toBe(0)
      expect(counts()).toEqual([[2]])
    }))

  scenario("What is denied is not done", () =>
    Effect.gen(function*() {
      const { counts, levain } = yield* shop
      yield* levain(order)
      const { code, out } = yield* levain(["deny", "last", "2/0", "--reason", "the oven is broken", "--by", "ben"])
      expect(code).toBe(0)
      expect(out).toContain("2/0 denied by ben: the oven is broken\n   error denied: the oven is broken\n")
      expect(out).toContain("Your order is not placed")
      expect((yield* levain(["show", "last"])).out).toContain(
        "2/0 denied by ben: the oven is broken\n   error denied: "
      )
      expect(counts()).toEqual([])
    }))

  scenario("A call can run with another input", () =>
    Effect.gen(function*() {
      const { counts, levain } = yield* shop
      yield* levain(order)
      for (const [text, why] of [["x", "the input must be JSON"], ["{\"day\":\"friday\"}", "lines must be a list"]]) {
        const { code, err, out } = yield* levain(["approve", "last", "--input", text!])
        expect([code, out]).toEqual([2, ""])
        expect(err).toMatch(new RegExp(`^levain: --input: ${why}.*\n$`))
      }
      const { out } = yield* levain(["approve", "last", "--input", input(5)])
      expect(out).toContain(`2/0 approved by anna, as ${input(5)}`)
      expect(counts()).toEqual([[5]])
    }))

  scenario("A run with several calls waits for each of them", () =>
    Effect.gen(function*() {
      const { counts, env, levain } = yield* shop
      const api = yield* FakeApi.make()
      const place = (id: string, count: number) => ({
        type: "tool_use" as const,
        id,
        name: "place_order",
        input: JSON.parse(input(count))
      })
      api.queue(
        FakeApi.streams({ stop_reason: "tool_use", content: [place("toolu_1", 1), place("toolu_2", 2)] }),
        FakeApi.streams({ stop_reason: "end_turn", content: [{ type: "text", text: "Both are placed." }] })
      )
      const claude = { ...env, ANTHROPIC_API_KEY: "sk-ant-secret", ANTHROPIC_BASE_URL: api.url }
      expect((yield* levain(order, claude)).code).toBe(9)
      const which = yield* levain(["approve", "last"], claude)
      expect(which.code).toBe(2)
      expect(which.err).toMatch(/^levain: which call of the run \S+ is meant\? It waits for 1\/0, 1\/1\.\n$/)
      const first = yield* levain(["approve", "last", "1/1"], claude)
      expect(first.code).toBe(9)
      expect(first.out).toContain("1/1 approved by anna")
      expect(counts()).toEqual([])
      const second = yield* levain(["approve", "last"], claude)
      expect([second.code, second.out]).toEqual([0, expect.stringContaining("Both are placed.")])
      expect(counts().flat().toSorted((a, b) => a - b)).toEqual([1, 2])
    }))

  scenario("An answer that fits nothing is one clear line", () =>
    Effect.gen(function*() {
      const { levain } = yield* shop
      yield* levain(order)
      const oneLine = Effect.fnUntraced(function*(args: ReadonlyArray<string>, line: RegExp) {
        const { code, err, out } = yield* levain(args)
        expect([code, out]).toEqual([2, ""])
        expect(err).toMatch(line)
      })
      yield* oneLine(["approve", "last", "1/0"], /^levain: the run \S+ asked nobody about 1\/0: it waits for 2\/0\.\n$/)
      yield* oneLine(["deny", "last", "2/0"], /^levain: Missing required flag: --reason\. .*\n$/)
      yield* oneLine(
        ["deny", "none", "2/0", "--reason", "no"],
        /^levain: no run is meant by none: see levain runs\.\n$/
      )
      yield* levain(["approve", "last"])
      yield* oneLine(
        ["deny", "last", "2/0", "--reason", "no"],
        /^levain: the call 2\/0 .* was answered by anna already/
      )
      yield* oneLine(["approve", "last"], /^levain: which call of the run \S+ is meant\? Nothing of it waits\.\n$/)
      expect((yield* levain(["approve", "last", "2/0"])).code).toBe(0)
    }))

  scenario("A person at the terminal is asked on the spot", () =>
    Effect.gen(function*() {
      const { counts, env, levain } = yield* shop
      const question = "Run place_order?"
      const yes = yield* atTerminal(order, env, [question, `${down}${enter}`])
      expect(yes.shown).toContain(`2/0 place_order ${input(2)}`)
      expect([yes.code, counts()]).toEqual([0, [[2]]])
      const erase = "\u007f".repeat(100)
      const changed = yield* atTerminal(
        order,
        env,
        [question, `${down}${down}${enter}`],
        ["The input, as JSON", `${erase}${input(7)}${enter}`]
      )
      expect([changed.code, counts()]).toEqual([0, [[2], [7]]])
      const no = yield* atTerminal(
        order,
        env,
        [question, `${down}${down}${down}${enter}`],
        ["Why not?", `too late${enter}`]
      )
      expect(no.shown).toContain("denied: too late")
      expect(no.code).toBe(0)
      expect((yield* levain(["approvals"])).out).toBe("")
      for (const leave of ["\u0003", enter]) {
        const later = yield* atTerminal(order, env, [question, leave])
        expect(later.shown).toContain("levain: answer with: levain approve")
        expect(later.code).toBe(9)
      }
      expect((yield* levain(["approvals"])).out.match(/^2\/0 place_order/gm)?.length).toBe(2)
      expect(counts()).toEqual([[2], [7]])
    }))

  scenario("The answer can wait for a person too", () =>
    Effect.gen(function*() {
      const { levain } = yield* shop
      const asked = yield* levain(["ask", "--approve-answer", "Are you open on Sunday?"])
      expect(asked.code).toBe(9)
      expect(asked.out).toContain(
        "2/0 the answer: a person reads every draft before it is sent.\n   On Sunday we are closed."
      )
      expect((yield* levain(["approve", "last", "--input", " "])).err).toBe(
        "levain: --input: an answer cannot be blank.\n"
      )
      const { code, out } = yield* levain(["approve", "last", "--input", "Never on Sundays."])
      expect(code).toBe(0)
      expect(out).toMatch(/^2\/0 approved by anna, as Never on Sundays\.\nanswered .*:\nNever on Sundays\.\n$/)
    }))

  scenario("What the agents below a run wait for is listed under the run", () =>
    Effect.gen(function*() {
      const { env, levain } = yield* shop
      const kept = fileURLToPath(new URL("../../core/test/journals/v1", import.meta.url))
      mkdirSync(env.LEVAIN_JOURNAL)
      for (const id of ["parent", "parent.1-0"]) {
        copyFileSync(join(kept, `${id}.jsonl`), join(env.LEVAIN_JOURNAL, `${id}.jsonl`))
      }
      expect((yield* levain(["runs"])).out).toMatch(/^parent  waiting +1 turn +30 tokens  Go, 😀\.\n$/)
      expect((yield* levain(["approvals"])).out).toMatch(
        /^parent .*\n1\/0\.1\/0 sign \{"to":"d"\}\n {3}sign runs only with .*\n$/
      )
      expect((yield* levain(["show", "last"])).out).toMatch(
        /\nwaiting for a person after 1 turn and 30 tokens:\n1\/0\.1\/0 sign /
      )
      expect((yield* levain(["show", "par"])).code).toBe(0)
      expect((yield* levain(["show", "parent.1-0"])).out).toMatch(
        /^> a\nc1 sign .*\nwaiting for a person after 1 turn and 20 tokens:\n1\/0 sign /
      )
    }))

  scenario("A run that is not kept cannot be answered later", () =>
    Effect.gen(function*() {
      const { levain } = yield* shop
      const { code, err } = yield* levain([...order, "--no-journal"])
      expect([code, err]).toEqual([9, "levain: this run is not kept, so nobody can answer it later.\n"])
    }))

  scenario("A run goes on with the tools of its own agent", () =>
    Effect.gen(function*() {
      const { env, levain } = yield* shop
      yield* levain(order)
      const [file = ""] = readdirSync(env.LEVAIN_JOURNAL).filter((name) => name.endsWith(".jsonl"))
      const path = join(env.LEVAIN_JOURNAL, file)
      writeFileSync(path, readFileSync(path, "utf8").replace("\"agent\":\"order\"", "\"agent\":\"florist\""))
      for (const args of [["resume", "last"], ["approve", "last"]]) {
        const { code, err } = yield* levain(args)
        expect([code, err]).toEqual([
          2,
          "levain: this command has no agent named florist: only pickup and order, and yours by its file: --agent ./agent.ts.\n"
        ])
      }
    }))
})
