/** The process of one crowd: `node crowd-of.ts NAME RUNS ROUNDS`, which prints what it measured as JSON. */
import * as Contenders from "../contenders/index.ts"
import { median } from "../Measure.ts"
import * as Work from "../Work.ts"

const [name, runs, rounds] = process.argv.slice(2)
const many = Number(runs)
const work: Work.Work = { turns: 10, thinks: 10 }

const contender = Contenders.all.find((one) => one.name === name)
if (contender === undefined) throw new Error(`nobody is named ${name}`)

const used = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Measured by what is asked, so that all wait for the same reply. */
let waiting = 0
let watched = false
const heap = { first: 0, sixth: 0 }
const tally = Work.tally(() => {
  waiting++
  if (!watched) return
  if (waiting === many) heap.first = used()
  if (waiting === many * 6) heap.sixth = used()
})
const run = await contender.prepare(tally)

const together = async (): Promise<number> => {
  tally.replies = 0
  tally.calls = 0
  waiting = 0
  const start = performance.now()
  await Promise.all(Array.from({ length: many }, () => run(work)))
  const millis = performance.now() - start
  Work.proved(tally, work, many)
  return millis
}

await together()
const times: Array<number> = []
for (let round = 0; round < Number(rounds); round++) times.push(await together())
const before = used()
watched = true
await together()
console.log(JSON.stringify({
  millis: median(times),
  heap: { first: (heap.first - before) / many, sixth: (heap.sixth - before) / many }
}))
