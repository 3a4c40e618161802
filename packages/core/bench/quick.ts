import { plain } from "./contenders/plain.ts"
import { bareEffect } from "./contenders/bareEffect.ts"
import { levain } from "./contenders/levain.ts"
import * as Work from "./Work.ts"
const time = async (c: any, turns: number, runs: number) => {
  const work = { turns, thinks: 0 }; const t = Work.tally(); const s = performance.now()
  for (let i = 0; i < runs; i++) await c.run(work, t)
  const d = performance.now() - s; Work.proved(t, work, runs); return d * 1000 / runs / turns }
for (const turns of [50, 200, 800, 3200]) {
  const runs = Math.max(1, Math.round(Number(process.argv[2] ?? 6400) / turns))
  const res: any = {}
  for (const c of [plain, bareEffect, levain]) { await time(c, turns, Math.ceil(runs/2)); res[c.name] = [0,0,0,0,0].map(() => 0); for (let i = 0; i < 5; i++) res[c.name][i] = await time(c, turns, runs); res[c.name] = res[c.name].sort((a: number, b: number) => a - b)[2].toFixed(2) }
  console.log(turns, res)
}
