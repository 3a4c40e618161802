/** Many runs at once, each contender in a process of its own, whose memory is measured while all of its runs wait for the model. */
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Contenders from "../contenders/index.ts"
import { type Size, table } from "../Measure.ts"

const Crowd = Schema.Struct({
  millis: Schema.Finite,
  /** Bytes of heap a run, while it waits for its first reply, and for its sixth. */
  heap: Schema.Struct({ first: Schema.Finite, sixth: Schema.Finite })
})
type Crowd = typeof Crowd.Type

const decode = Schema.decodeSync(Schema.fromJsonString(Crowd))

const script = fileURLToPath(new URL("crowd-of.ts", import.meta.url))

const crowdOf = (name: string, runs: number, rounds: number): Crowd => {
  const flags = ["--expose-gc", "--max-old-space-size=8000", ...process.execArgv]
  const { status, stderr, stdout } = spawnSync(process.execPath, [...flags, script, name, `${runs}`, `${rounds}`], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${name} with ${runs} runs at once: ${stderr}`)
  return decode(stdout)
}

/** Ten thousand runs of a peer would take minutes. */
export const crowd = async ({ quick }: Size): Promise<void> => {
  const sizes = quick
    ? [{ runs: 20, contenders: Contenders.all }]
    : [{ runs: 1000, contenders: Contenders.all }, { runs: 10_000, contenders: Contenders.ours }]
  for (const { contenders, runs } of sizes) {
    const crowds = contenders.map(({ name }) => [name, crowdOf(name, runs, quick ? 1 : 5)] as const)
    const rows = (of: (crowd: Crowd) => number) => new Map(crowds.map(([name, crowd]) => [name, of(crowd)]))
    table(
      `${runs} runs of 10 turns at once, with a model that thinks for 10 ms: wall time`,
      "ms",
      rows((one) => one.millis)
    )
    table(`${runs} runs at once: heap a run, before the first reply`, "KiB", rows(({ heap }) => heap.first / 1024))
    table(`${runs} runs at once: heap a run, after five turns`, "KiB", rows(({ heap }) => heap.sixth / 1024))
  }
}
