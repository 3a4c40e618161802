/** Timings as a table: each contender in turn, round after round, so that a busy moment of the machine meets them all. */
import { measure } from "mitata"
import type { Contender, Work } from "./Work.ts"
import * as WorkOf from "./Work.ts"

/** How much is measured: `quick` proves that the work is done, and its ratios are rough. */
export interface Size {
  readonly quick: boolean
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** Milliseconds that each takes, by name: the median of the medians of so many rounds. */
export const race = async (
  racers: ReadonlyArray<{ readonly name: string; readonly go: () => unknown }>,
  { quick }: Size
): Promise<ReadonlyMap<string, number>> => {
  const times = new Map<string, Array<number>>(racers.map(({ name }) => [name, []]))
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    for (const { go, name } of racers) {
      const options = { min_samples: quick ? 2 : 3, min_cpu_time: quick ? 1 : 3e8, warmup_samples: quick ? 1 : 2 }
      const { p50 } = await measure(async () => await go(), options)
      times.get(name)?.push(p50 / 1e6)
    }
  }
  return new Map(Array.from(times, ([name, all]) => [name, median(all)]))
}

/** Milliseconds that a run of each contender takes. What it did is counted, and an error where that is not the work. */
export const raceRuns = async (
  contenders: ReadonlyArray<Contender>,
  work: Work,
  size: Size
): Promise<ReadonlyMap<string, number>> =>
  race(
    await Promise.all(contenders.map(async ({ name, prepare }) => {
      const tally = WorkOf.tally()
      const run = await prepare(tally)
      const go = async () => {
        tally.replies = 0
        tally.calls = 0
        await run(work)
        WorkOf.proved(tally, work)
      }
      return { name, go }
    })),
    size
  )

/** Prints rows with what each is of the first and of the second. */
export const table = (
  title: string,
  unit: string,
  rows: ReadonlyMap<string, number>,
  floors: ReadonlyArray<string> = [...rows.keys()].slice(0, 2)
): void => {
  const heads = ["", unit, ...floors.map((floor) => `of ${floor}`)]
  const lines = Array.from(rows, ([name, value]) => [
    name,
    value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0),
    ...floors.map((floor) => (value / (rows.get(floor) ?? NaN)).toFixed(2))
  ])
  const widths = heads.map((head, i) => Math.max(head.length, ...lines.map((line) => line[i]?.length ?? 0)))
  console.log(`\n${title}`)
  for (const line of [heads, ...lines]) {
    console.log(line.map((cell, i) => i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)).join("  "))
  }
}
