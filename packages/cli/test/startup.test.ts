import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { exec, fromSource, run } from "../../../test/exec.ts"
import { feature } from "../../../test/feature.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** Writes down each module that a process loads. */
const hook = `data:text/javascript,${
  encodeURIComponent(`
  import { registerHooks } from "node:module"
  import { appendFileSync } from "node:fs"
  registerHooks({
    load: (url, context, next) => {
      appendFileSync(process.env.LOADED, url + "\\n")
      return next(url, context)
    }
  })`)
}`

const loaded = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const list = join(mkdtempSync(join(tmpdir(), "levain-loaded-")), "modules")
    const env = { LOADED: list, ANTHROPIC_API_KEY: "key" }
    await exec(process.execPath, [...fromSource, "--import", hook, bin, ...args], { env })
    return readFileSync(list, "utf8").split("\n")
  })

const sdk = /@anthropic-ai|packages\/claude/
const others = /sql|mcp(toolset|serve|client|server)|\/otlp[a-z]+\.|\/effect\/(dist|src)\/(ai|cluster|workflow|rpc)\//i

feature(new URL("../features/startup.feature", import.meta.url), (scenario) => {
  scenario("Help and an offline question load no SDK, no database and no exporter", () =>
    Effect.gen(function*() {
      for (const args of [["--help"], ["ask", "--no-journal", "--model", "offline", "Are you open on Sunday?"]]) {
        const modules = yield* loaded(...args)
        expect(modules.filter((url) => url.includes("/effect/dist/cli/")).length).toBeGreaterThan(5)
        expect(modules.filter((url) => sdk.test(url) || others.test(url))).toEqual([])
      }
      const help = yield* loaded("--help")
      expect(help.filter((url) => /packages\/(core|bakery)|handlers/.test(url))).toEqual([])
      const asked = yield* loaded("ask", "--no-journal", "--model", "claude", "--base-url", "no address", "Open?")
      expect(asked.filter((url) => sdk.test(url)).length).toBeGreaterThan(5)
      expect(asked.filter((url) => others.test(url))).toEqual([])
    }))

  scenario("Completions are there for each shell", () =>
    Effect.gen(function*() {
      for (const shell of ["bash", "zsh", "fish"]) {
        const { code, out } = yield* Effect.promise(() => run(bin, ["--completions", shell]))
        expect(code).toBe(0)
        for (const command of ["ask", "trace", "approvals", "init"]) expect(out).toContain(command)
      }
    }))
})
