/** What a turn with two validated calls costs, and what it costs in longer and longer runs. */
import * as Contenders from "../contenders/index.ts"
import { raceRuns, type Size, table } from "../Measure.ts"

/** One contender after the other: those that share a library would slow each other's compiled code. */
export const turns = async (size: Size): Promise<void> => {
  const work = { turns: size.quick ? 10 : 200, thinks: 0 }
  const perTurn = new Map<string, number>()
  for (const contender of Contenders.all) {
    const times = await raceRuns([contender], work, size)
    perTurn.set(contender.name, (times.get(contender.name) ?? NaN) * 1000 / work.turns)
  }
  table(`A turn with two validated calls, in a run of ${work.turns}`, "µs", perTurn)
}

/** Runs of more and more turns. An exponent of 1 is a cost in proportion, of 2 one that grows as the square. */
export const growth = async (size: Size): Promise<void> => {
  const lengths = size.quick ? [10, 40] : [50, 200, 800, 3200]
  const exponents = new Map<string, number>()
  for (const contender of Contenders.all) {
    const perTurn = new Map<string, number>()
    const millis: Array<number> = []
    for (const length of lengths) {
      const isLong = (millis.at(-1) ?? 0) > 500
      const times = await raceRuns([contender], { turns: length, thinks: 0 }, { quick: size.quick || isLong })
      const time = times.get(contender.name) ?? NaN
      millis.push(time)
      perTurn.set(`${length} turns`, time * 1000 / length)
      // What grows as the square is not waited for.
      if (time > 5000) break
    }
    table(`A turn of ${contender.name}, in longer and longer runs`, "µs", perTurn, [`${lengths[0]} turns`])
    const [from, to] = size.quick ? [0, 1] : [1, millis.length - 1]
    const grown = Math.log((millis[to] ?? NaN) / (millis[from] ?? NaN))
    exponents.set(contender.name, grown / Math.log((lengths[to] ?? NaN) / (lengths[from] ?? NaN)))
  }
  table("How the cost of a run grows with its turns", "exponent", exponents, [])
}
