/** What a draft says of items: prices, notice, what there is none of, and amounts that are not clear. */
import { type Amount, plus } from "./Amounts.ts"
import type { Reading } from "./Days.ts"
import { type Day, days } from "./Hours.ts"
import type { Item } from "./Menu.ts"
import { capital, money, plural, series, singular } from "./Text.ts"
import * as Words from "./Words.ts"

/** An item that the menu has, and how many of it are wanted. `instead` is how the customer wrote it, where that is not its name. */
export interface Found {
  readonly item: Item
  readonly amount: Amount | undefined
  readonly instead?: string
}

/** A name that the menu does not have, and what it has. */
export interface Missing {
  readonly name: string
  readonly menu: ReadonlyArray<string>
}

/** One entry an item: amounts of the same one add up. */
export const eachOnce = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const byName = new Map<string, Found>()
  for (const finding of found) {
    const known = byName.get(finding.item.name)
    byName.set(
      finding.item.name,
      known === undefined ? finding : { ...known, amount: add(known.amount, finding.amount) }
    )
  }
  return [...byName.values()]
}

const add = (a: Amount | undefined, b: Amount | undefined): Amount | undefined =>
  a === undefined || b === undefined ? a ?? b : plus(a, b)

/** The price of an item and its notice, held against the days of the question. `open` is false where the day is closed. */
export const itemSentence = ({ amount, instead, item }: Found, when: Reading, open: boolean): string => {
  const count = amount === "unclear" ? undefined : amount
  const one = count === 1
  const subject = count === undefined
    ? capital(plural(item.name))
    : one
    ? `One ${singular(item.name)}`
    : `${count} ${plural(item.name)}`
  const price = count === undefined
    ? `${money(item.priceCents)} each`
    : money(item.priceCents * count) + (one ? "" : ` (${money(item.priceCents)} each)`)
  const nearest = instead === undefined
    ? ""
    : `I do not find "${instead}" under that name; the nearest on our menu is ${item.name}. `
  return `${nearest}${subject} ${one ? "is" : "are"} ${price} and ${one ? "needs" : "need"} ${notice(item.noticeDays)}${
    inTime(item.noticeDays, when, open)
  }.`
}

const notice = (count: number): string =>
  count === 0 ? "no notice" : count === 1 ? "1 day's notice" : `${count} days' notice`

/** Whether the order is in time, where both days are known; else the last day to order, where one day to come on is. */
const inTime = (count: number, when: Reading, open: boolean): string => {
  const { gap, ordered, pickup, relative } = when
  if (gap !== undefined) {
    const order = ordered === undefined ? "today" : `on ${capital(ordered)}`
    const come = pickup === undefined ? (relative ?? "then").replace(/^day after/, "the day after") : capital(pickup)
    return `, so an order ${order} is ${gap < count ? "too late" : "in time"} for ${
      come.startsWith("in ") ? "then" : come
    }`
  }
  if (pickup === undefined && ordered !== undefined && count > 0 && count < 7) {
    return `, so an order on ${capital(ordered)} is in time from ${capital(daysBefore(ordered, 7 - count))} on`
  }
  if (pickup === undefined || !open || count === 0 || count >= 7) return ""
  return `, so please order by ${capital(daysBefore(pickup, count))}`
}

const daysBefore = (day: Day, count: number): Day => days[(days.indexOf(day) - count + 7) % 7] ?? day

/** The sum, when it is of all that was asked for. */
export const totalSentence = (found: ReadonlyArray<Found>, whole: boolean): ReadonlyArray<string> => {
  const counted = found.flatMap(({ amount, item }) => typeof amount === "number" ? [amount * item.priceCents] : [])
  return whole && found.length >= 2 && counted.length === found.length
    ? [`Together that is ${money(counted.reduce((a, b) => a + b, 0))}.`]
    : []
}

/** Asks for a number where the words for it are not clear. */
export const unclearSentence = (found: ReadonlyArray<Found>): ReadonlyArray<string> => {
  const unclear = found.flatMap(({ amount, item }) => amount === "unclear" ? [plural(item.name)] : [])
  return unclear.length === 0
    ? []
    : [`I am not sure how many ${series(unclear, "and")} you would like: please tell us the number.`]
}

/** What the menu does not have. A name that is no food may not have been meant as an item at all, and the draft says so. */
export const missingSentences = (missing: ReadonlyArray<Missing>): ReadonlyArray<string> => {
  const [first] = missing
  if (first === undefined) return []
  const has = first.menu.length === 0 ? "" : series(first.menu, "and")
  const foods = missing.filter(({ name }) => name.split(" ").some(Words.isFood)).map(({ name }) => name)
  const others = missing.map(({ name }) => name).filter((name) => !foods.includes(name))
  return [
    ...(foods.length === 0
      ? []
      : [`We don't have ${series(foods, "or")}${has === "" ? "" : `; our menu has ${has}`}.`]),
    ...(others.length === 0 ? [] : [
      `We don't have ${series(others, "or")} on our menu${
        has === "" || foods.length > 0 ? "" : `, which has ${has}`
      }; if you meant something else, please ask a person here.`
    ])
  ]
}
