/** Drives the command through a pseudo-terminal, and reads what stands on its screen. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { fromSource } from "../../../test/exec.ts"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** Keys to type once a text was shown, or what to do instead of typing. */
export type Typed = readonly [shown: string | RegExp, keys: string | ((shown: string) => void)]

/** Types at a pseudo-terminal of 80 columns: each of `typed` once what comes before it was shown. Gives all that was shown. */
export const atTerminal = (
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  ...typed: ReadonlyArray<Typed>
): Effect.Effect<{ readonly code: number | null; readonly shown: string }> => inColumns(80, args, env, ...typed)

/** The same, in as many columns. */
export const inColumns = (
  columns: number,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  ...typed: ReadonlyArray<Typed>
) =>
  Effect.promise(() =>
    new Promise<{ readonly code: number | null; readonly shown: string }>((resolve, reject) => {
      const quoted = [process.execPath, ...fromSource, bin, ...args].map((word) => `'${word}'`).join(" ")
      const command = `stty cols ${columns} rows 24; exec ${quoted}`
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        env: { ...process.env, ANTHROPIC_API_KEY: "", NO_COLOR: "", TERM: "xterm", ...env }
      })
      const left = [...typed]
      let shown = ""
      let from = 0
      child.stdout.on("data", (chunk: Buffer) => {
        shown += chunk.toString()
        const [next] = left
        if (next === undefined) return
        const fresh = shown.slice(from)
        const [found] = typeof next[0] === "string" ? [next[0]] : fresh.match(next[0]) ?? []
        if (found === undefined || !fresh.includes(found)) return
        from = from + fresh.indexOf(found) + found.length
        left.shift()
        if (typeof next[1] === "string") child.stdin.write(next[1])
        else next[1](shown)
      })
      child.on("error", reject)
      child.on("close", (code) => resolve({ code, shown }))
    })
  )

const escape = "\u001b"
const sequence = `${escape}\\[(\\d*)([A-Za-z])`

/** The lines that stand on the screen in the end: what was drawn over is gone, and colours are left out. */
export const screenOf = (shown: string): ReadonlyArray<string> => {
  const lines = [""]
  let row = 0
  let column = 0
  for (const [part] of shown.matchAll(new RegExp(`${sequence}|[^]`, "gu"))) {
    const [, count = "", letter] = part.match(new RegExp(`^${sequence}$`, "u")) ?? []
    if (letter === "A") row = row - Number(count || 1)
    else if (letter === "J") {
      lines.length = row + 1
      lines[row] = (lines[row] ?? "").slice(0, column)
    } else if (letter !== undefined) continue
    else if (part === "\r") column = 0
    else if (part === "\n") lines[row = row + 1] ??= ""
    else {
      const line = lines[row] ?? ""
      lines[row] = line.slice(0, column) + part + line.slice(column + part.length)
      column = column + part.length
    }
  }
  return lines
}
