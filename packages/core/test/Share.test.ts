import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { Limits, Spent } from "../src/pure/Limits.ts"
import * as Share from "../src/pure/Share.ts"
import * as Usage from "../src/pure/Usage.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
const SmallSpent = Schema.Struct({ tokens: Small, cost: Small, elapsed: Small })
const Called = Schema.Struct({
  ...SmallSpent.fields,
  share: Schema.Struct({ tokens: Small, cost: Small, time: Small })
})

const spentOf = ({ cost, elapsed, tokens }: typeof SmallSpent.Type): Spent => ({
  turns: 1,
  usage: Usage.make({ output: tokens, cost }),
  elapsed
})

const limits: Limits = { maxTurns: 9, maxTokens: 1000, maxCost: 1000, maxDuration: 1000 }
const runs = { arbitrary: { runs: 300 } }

describe("Share", () => {
  it.prop(
    "never gives more than is left, what others at work may still spend included",
    [SmallSpent, Schema.NonEmptyArray(SmallSpent), Schema.Array(Called)],
    ([current, starting, atWork]) => {
      const called = starting.map((spent) => ({ spent: spentOf(spent) }))
      const shares = Share.divide(
        spentOf(current),
        limits,
        called,
        atWork.map(({ share, ...spent }) => ({ share, spent: spentOf(spent) }))
      )
      for (const [key, spent] of [["tokens", current.tokens], ["cost", current.cost]] as const) {
        const given = shares.reduce((sum, share, i) => sum + (share[key] ?? NaN) - (starting[i]?.[key] ?? 0), 0)
        const held = atWork.reduce((sum, one) => sum + Math.max(0, one.share[key] - one[key]), 0)
        const left = Math.max(0, 1000 - spent - held)
        expect(given).toBeLessThanOrEqual(left + 1e-6)
        expect(given).toBeGreaterThan(left - starting.length)
      }
      shares.forEach((share, i) =>
        expect(share.time).toBe((starting[i]?.elapsed ?? 0) + Math.max(0, 1000 - current.elapsed))
      )
    },
    runs
  )

  it.prop("is its own Schema's, whatever was spent and whatever the limits", [Spent, Limits, Schema.Array(Spent)], ([
    current,
    any,
    starting
  ]) => {
    const shares = Share.divide(current, any, starting.map((spent) => ({ spent })), [{ share: {}, spent: current }])
    for (const share of shares) {
      expect(Schema.is(Share.Share)(share)).toBe(true)
      const own = Share.within(any, share)
      if (own !== undefined) expect(Schema.is(Limits)(own)).toBe(true)
    }
  }, runs)

  it("a cost that is not known leaves nothing", () => {
    const unknown = { turns: 1, usage: Usage.make({ output: 1 }), elapsed: 0 }
    expect(Share.divide(unknown, { maxTurns: 1, maxCost: 1 }, [{}], [])).toEqual([{ cost: 0 }])
    expect(Share.within(limits, { cost: 0 })).toBeUndefined()
  })
})
