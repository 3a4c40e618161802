import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { fromSource, run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

const agents = (name: string) => fileURLToPath(new URL(`./agents/${name}`, import.meta.url))

const levain = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.promise(() => run(bin, args, "", env))

const journaled = () => ({ LEVAIN_JOURNAL: mkdtempSync(join(tmpdir(), "levain-own-")) })

feature(new URL("../features/own.feature", import.meta.url), (scenario) => {
  scenario("A file's agent is asked", () =>
    Effect.gen(function*() {
      const env = journaled()
      const { code, err, out } = yield* levain(["ask", "--agent", agents("greeter.ts"), "Greet Anna."], env)
      expect([code, err]).toEqual([0, ""])
      expect(out).toBe(
        "c1 greet {\"name\":\"Anna\"}\n   ok Hello, Anna.\nanswered after 2 turns and 15 tokens:\nHello, Anna.\n"
      )
      expect((yield* levain(["runs"], env)).out).toMatch(/answered .* Greet Anna\.\n$/)
    }))

  scenario("A run of a file's agent is taken up with the file", () =>
    Effect.gen(function*() {
      const env = journaled()
      const file = agents("waiting.ts")
      const asked = yield* levain(["ask", "--agent", file, "Send it."], env)
      expect(asked.code).toBe(9)
      const [command = ""] = asked.err.match(/levain approve .* --agent '[^']+'/) ?? []
      expect(command).toContain(` --agent '${file}'`)
      const without = yield* levain(["approve", "last"], env)
      expect([without.code, without.err]).toEqual([
        2,
        "levain: this command has no agent named sender: only pickup and order, and yours by its file: --agent ./agent.ts.\n"
      ])
      const other = yield* levain(["approve", "last", "--agent", agents("greeter.ts")], env)
      expect([other.code, other.err]).toEqual([2, "levain: the run is one of the agent sender, not of greeter.\n"])
      const approved = yield* levain(["approve", "last", "--agent", file], { ...env, SENDER_REPLY: "2" })
      expect([approved.code, approved.err]).toEqual([0, ""])
      expect(approved.out).toContain("ok It is sent.")
    }))

  scenario("A file that is no agent is one clear line", () =>
    Effect.gen(function*() {
      for (
        const [name, said] of [
          ["missing.ts", /there is no file .*missing\.ts\./],
          ["broken.ts", /broken\.ts cannot be loaded: Error: no luck/],
          ["empty.ts", /empty\.ts has no default export \{ agent, tools, model\? \}\./],
          ["modelless.ts", /the agent has no model, and the offline one only knows the bakery: .*ANTHROPIC_API_KEY\./],
          ["unbuilt.ts", /the tools of .*unbuilt\.ts cannot be built: the shelf is empty/]
        ] as const
      ) {
        const { code, err, out } = yield* levain(["ask", "--no-journal", "--agent", agents(name), "Go."])
        expect([code, out]).toEqual([2, ""])
        expect(err).toMatch(new RegExp(`^levain: .*${said.source}\n$`))
      }
      expect((yield* levain(["ask", "--agent", "nobody", "Go."])).err).toMatch(
        /^levain: this command has no agent named nobody: /
      )
    }))

  scenario("Ctrl-C twice ends the command at once", () =>
    Effect.promise(async () => {
      const child = spawn(
        process.execPath,
        [...fromSource, bin, "ask", "--no-journal", "--agent", agents("stubborn.ts"), "Stay."]
      )
      const closed = new Promise((resolve) => child.on("close", resolve))
      let ended = false
      void closed.then(() => ended = true)
      await new Promise<void>((resolve) =>
        child.stdout.on("data", (chunk: Buffer) => String(chunk).includes("stay") && resolve())
      )
      child.kill("SIGINT")
      // What the command would do at once, were it to end, it would have done by the time another Node has started and ended.
      await run(agents("empty.ts"))
      expect(ended).toBe(false)
      child.kill("SIGINT")
      expect(await closed).toBe(130)
    }))
})
