/** What is published works where it is installed: the packages are built, packed, installed into an empty folder, and run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exec, quiet, root } from "./exec.ts"

const npm = async (args: ReadonlyArray<string>, cwd = root): Promise<string> => {
  const { code, err, out } = await exec("npm", args, { cwd })
  expect(code, `npm ${args.join(" ")}\n${err}${out}`).toBe(0)
  return out
}

interface Package {
  readonly name: string
  readonly version: string
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

const read = (folder: string): Package => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Our packages, and the folder of every package they need, as this checkout has them: so no registry is asked. */
const ours = ["core", "claude", "bakery", "cli"].map((name) => join(root, "packages", name))

const needed = (folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (folder: string): void => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = read(folder)
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys(dependencies), ...peers]) {
      const next = join(root, "node_modules", name)
      if (name.startsWith("@levain/") || found.has(next)) continue
      found.add(next)
      visit(next)
    }
  }
  folders.forEach(visit)
  return [...found]
}

const folder = mkdtempSync(join(tmpdir(), "levain-packed-"))
const app = join(folder, "app")
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  await npm(["run", "build"])
  mkdirSync(app)
  const packed = JSON.parse(
    await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...ours, ...needed(ours)])
  )
  const files: ReadonlyArray<string> = Object.values<{ filename: string }>(packed).map(({ filename }) =>
    join(folder, filename)
  )
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }))
  await npm(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", ...files], app)
}, 300_000)

it("the lock file names the packages of every platform, so that npm ci works on each", async () => {
  const { code, err } = await exec("npm", ["ci", "--dry-run", "--ignore-scripts", "--offline"])
  expect([code, err]).toEqual([0, ""])
})

describe("the packed packages", () => {
  it("run an agent from an empty folder", async () => {
    const program = join(app, "index.ts")
    writeFileSync(program, readFileSync(join(root, "examples/librarian.ts"), "utf8"))
    const checked = await exec(join(root, "node_modules/.bin/tsc"), [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--skipLibCheck",
      program
    ], { cwd: app })
    expect(checked.out).toBe("")
    const { code, err, out } = await exec(process.execPath, [...quiet, program], { cwd: app })
    expect([code, err, out]).toEqual([0, "", "It is on the second floor, shelf 12.\n"])
  }, 60_000)

  it("have the levain command", async () => {
    const { code, out } = await exec(join(app, "node_modules/.bin/levain"), ["ask", "Are you open on Sunday?"], {
      cwd: app
    })
    expect(code).toBe(0)
    expect(out).toContain("On Sunday we are closed.")
    const version = await exec(join(app, "node_modules/.bin/levain"), ["--version"], { cwd: app })
    expect(version.out).toContain(read(join(root, "packages/cli")).version)
  })

  it("write a project that runs and tests at once, with levain init", async () => {
    const levain = join(app, "node_modules/.bin/levain")
    const began = await exec(levain, ["init", "Mine"], { cwd: app })
    expect([began.code, began.err]).toEqual([0, ""])
    expect(began.out).toContain("cd Mine && npm install")
    const mine = join(app, "Mine")
    const started = await npm(["start", "--silent", "--", "--no-journal", "When is the next train to Bern?"], mine)
    expect(started).toMatch(
      /^c1 next_train {"to":"Bern"}\n {3}ok {"to":"Bern","time":"09:32"}\nanswered after 2 turns .*\n.* 09:32\.\n$/
    )
    expect(await npm(["test"], mine)).toMatch(/pass 1\n[^]*fail 0\n/)
    const checked = await exec(join(root, "node_modules/.bin/tsc"), [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--skipLibCheck",
      "--allowImportingTsExtensions",
      "--types",
      "node",
      "--typeRoots",
      join(root, "node_modules/@types"),
      "agent.ts",
      "agent.test.ts"
    ], { cwd: mine })
    expect(checked.out).toBe("")
    const again = await exec(levain, ["init", "Mine"], { cwd: app })
    expect([again.code, again.err]).toEqual([2, "levain: Mine is not empty: name a new folder.\n"])
  }, 120_000)

  it("run from what was built, not from sources", () => {
    for (const name of ["core", "claude", "bakery"]) {
      const exports: unknown =
        JSON.parse(readFileSync(join(app, "node_modules/@levain", name, "package.json"), "utf8")).exports
      expect(exports).toMatchObject({ ".": { default: "./dist/index.js", types: "./dist/index.d.ts" } })
      expect(() => readFileSync(join(app, "node_modules/@levain", name, "dist/index.js"))).not.toThrow()
    }
  })
})
