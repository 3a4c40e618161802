/** Runs programs as processes of their own. */
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The root of the workspace. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** The environment without what would let a test reach a real model, or the runs of the person who tests. */
const keyless = {
  ...process.env,
  ANTHROPIC_API_KEY: "",
  ANTHROPIC_BASE_URL: "",
  LEVAIN_JOURNAL: "",
  XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "levain-state-"))
}

/** Early versions of Node 24 warn of the TypeScript they run, which is no output of ours. */
export const quiet = ["--disable-warning=ExperimentalWarning"]

/** The arguments that make Node take our packages from their sources. */
export const fromSource = ["--conditions=@levain/source", ...quiet]

/** Runs a program to its end, with this standard input. Never rejects but where it cannot be started. */
export const exec = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: options.cwd ?? root, env: { ...keyless, ...options.env } })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on(
      "close",
      (code) => resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() })
    )
    child.stdin.on("error", () => {})
    child.stdin.end(options.input ?? "")
  })

/** Runs a TypeScript file of the workspace on Node. */
export const run = (
  file: string,
  args: ReadonlyArray<string> = [],
  input = "",
  env: NodeJS.ProcessEnv = {}
): Promise<Outcome> => exec(process.execPath, [...fromSource, file, ...args], { input, env })
