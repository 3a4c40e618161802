/**
 * `npm run bench`: what Levain costs, beside a plain loop of promises, a bare loop in Effect, and its peers, all on the same work in the
 * same run. `-- turns crowd` measures only these; `--quick` does little of all, to prove that the work is done. How to read it is in
 * docs/performance.md.
 */
import { type Size } from "./Measure.ts"
import { body } from "./sections/body.ts"
import { crowd } from "./sections/crowd.ts"
import { deltas } from "./sections/deltas.ts"
import { journals } from "./sections/journals.ts"
import { startup } from "./sections/startup.ts"
import { growth, turns } from "./sections/turns.ts"

const sections: { readonly [name: string]: (size: Size) => Promise<void> } = {
  turns,
  growth,
  crowd,
  deltas,
  journals,
  body,
  startup
}

const words = process.argv.slice(2)
const size = { quick: words.includes("--quick") }
const asked = words.filter((word) => word !== "--quick")
const unknown = asked.find((word) => !Object.hasOwn(sections, word))
if (unknown !== undefined) throw new Error(`there is no ${unknown}: there are ${Object.keys(sections).join(", ")}`)
for (const [name, section] of Object.entries(sections)) {
  if (asked.length === 0 || asked.includes(name)) await section(size)
}
