/** How long the shipped command takes, beside Node alone: run `npm run build` first. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, type Size, table } from "../Measure.ts"

const command = fileURLToPath(new URL("../../../cli/bundle/levain.js", import.meta.url))

const commands = new Map([
  ["node -e \"\"", ["-e", ""]],
  ["levain --help", [command, "--help"]],
  ["levain ask, offline", [command, "ask", "--model", "offline", "Two rye loaves on Friday?"]]
])

export const startup = async ({ quick }: Size): Promise<void> => {
  if (!existsSync(command)) return console.log("\nThe command is not built: npm run build")
  const folder = mkdtempSync(join(tmpdir(), "levain-bench-"))
  const env = { ...process.env, LEVAIN_JOURNAL: folder, NODE_COMPILE_CACHE: join(folder, "cache") }
  const millis = (args: ReadonlyArray<string>): number => {
    const start = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" })
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
    return performance.now() - start
  }
  const times = new Map<string, Array<number>>(Array.from(commands.keys(), (name) => [name, []]))
  // The first two rounds fill the cache of compiled code.
  for (let round = 0; round < (quick ? 3 : 17); round++) {
    for (const [name, args] of commands) {
      const time = millis(args)
      if (round > 1) times.get(name)?.push(time)
    }
  }
  table("Starting the shipped command", "ms", new Map(Array.from(times, ([name, all]) => [name, median(all)])), [
    "node -e \"\""
  ])
  rmSync(folder, { recursive: true })
}
