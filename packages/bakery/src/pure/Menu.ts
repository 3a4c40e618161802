/** The menu, and how an item is found under the words a customer used for it. */
import * as Schema from "effect/Schema"
import { isSlipOf } from "./Spelling.ts"
import { isFood } from "./Words.ts"

/** An item: its price in cents, for one, and how many days ahead it must be ordered. */
export const Item = Schema.Struct({
  name: Schema.NonEmptyString,
  priceCents: Schema.Natural,
  noticeDays: Schema.Natural
})
export type Item = typeof Item.Type

export type Menu = ReadonlyArray<Item>

/**
 * The item a customer means: the one of that name, singular or plural, or the only one whose name has all the words, slips of
 * spelling forgiven. `undefined` when none has, or when more than one has.
 */
export const find = <A extends Named>(menu: ReadonlyArray<A>, wanted: string): A | undefined => {
  const words = wordsOf(wanted)
  if (words.length === 0) return undefined
  const named = menu.find((item) =>
    wordsOf(item.name).length === words.length && hasAll(item, words, (a, b) => a === b)
  )
  return named ?? onlyOne(menu, words, (a, b) => a === b) ?? onlyOne(menu, words, isSlipOf)
}

/**
 * The name on a menu that the last words of another one mean: `rye loaf` for `wholesome rye loaves`. None where a word before
 * them is a food itself, since that makes it another item: `cinnamon rolls`.
 */
export const nearest = (names: ReadonlyArray<string>, wanted: string): string | undefined => {
  const menu = names.map((name) => ({ name }))
  const words = wanted.split(/[\s-]+/)
  for (let dropped = 1; dropped < words.length; dropped++) {
    const before = words[dropped - 1] ?? ""
    if (isFood(before) || find(menu, before) !== undefined) return undefined
    const found = find(menu, words.slice(dropped).join(" "))
    if (found !== undefined) return found.name
  }
  return undefined
}

interface Named {
  readonly name: string
}

const onlyOne = <A extends Named>(
  menu: ReadonlyArray<A>,
  words: ReadonlyArray<string>,
  same: (a: string, b: string) => boolean
): A | undefined => {
  const [only, ...others] = menu.filter((item) => hasAll(item, words, same))
  return others.length === 0 ? only : undefined
}

const hasAll = (item: Named, words: ReadonlyArray<string>, same: (a: string, b: string) => boolean): boolean => {
  const names = wordsOf(item.name)
  return words.every((word) => names.some((name) => same(word, name)))
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().replace(/\bbread (?=rolls?\b)/, "").match(/[\p{L}\p{N}]+/gu) ?? [])
    .map(singular)
    .filter((word) => !small.has(word))

const small: ReadonlySet<string> = new Set(["a", "an", "the", "of", "your", "some", "any"])

/** One rule a line, enough for a menu: `loaves` is `loaf`; `berries` and `berry`, `cookies` and `cookie` end alike; `buns` is `bun`. */
const singular = (word: string): string => {
  if (word === "bread" || word === "loaves" || word === "breads") return "loaf"
  if (/.(ies|ie|y)$/u.test(word)) return word.replace(/(ies|ie|y)$/u, "i")
  if (/(ss|x|sh)es$/u.test(word)) return word.slice(0, -2)
  return word.endsWith("s") && !word.endsWith("ss") && word.length > 2 ? word.slice(0, -1) : word
}
