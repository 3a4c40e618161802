/** An order for pickup: what a customer wants on which day, and what it comes to. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Day } from "./Hours.ts"
import * as Menu from "./Menu.ts"

/** An item as the menu names it, and how many of it. */
export const Line = Schema.Struct({ item: Schema.NonEmptyString, count: Schema.Int.check(Schema.isGreaterThan(0)) })
export type Line = typeof Line.Type

export const Order = Schema.Struct({
  day: Day,
  lines: Schema.Array(Line).check(Schema.isNonEmpty()),
  totalCents: Schema.Natural
})
export type Order = typeof Order.Type

/** Prices an order. Fails with the first name that the menu does not have. */
export const price = (
  menu: Menu.Menu,
  day: Day,
  wanted: ReadonlyArray<Line>
): Result.Result<Order, string> =>
  Result.map(Result.all(wanted.map((line) => priced(menu, line))), (lines) => ({
    day,
    lines: lines.map(([line]) => line),
    totalCents: lines.reduce((sum, [, cents]) => sum + cents, 0)
  }))

const priced = (menu: Menu.Menu, { count, item }: Line): Result.Result<readonly [Line, number], string> => {
  const found = Menu.find(menu, item)
  return found === undefined
    ? Result.fail(item)
    : Result.succeed([{ item: found.name, count }, found.priceCents * count])
}
