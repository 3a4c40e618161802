import { bareEffect } from "./contenders/bareEffect.ts"
import { plain } from "./contenders/plain.ts"
import * as Work from "./Work.ts"
for (const c of [plain, bareEffect]) {
const turns = 200, N = 1500
for (let i = 0; i < 50; i++) await c.run({ turns, thinks: 0 }, Work.tally())
const s = performance.now()
for (let i = 0; i < N; i++) await c.run({ turns, thinks: 0 }, Work.tally())
console.log(c.name, "us/turn", ((performance.now() - s) * 1000 / N / turns).toFixed(2))
}
