/** The items that a text names and how many of each, by its words alone. */
import * as Words from "./Words.ts"

/** An item a question names, in its words. `amount` is there when it says how many. */
export interface Wanted {
  readonly name: string
  readonly amount: number | undefined
}

/** What ends a phrase: a day, a time, or anything else that is no item. */
export const mark = "|"

/** Walks the words: a number opens an amount, the words after it that are no plain English are the item. */
export const readItems = (tokens: ReadonlyArray<string>): ReadonlyArray<Wanted> => {
  const items: Array<Wanted> = []
  let each: number | undefined = undefined
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i] ?? ""
    if (/^[.;?!]$/.test(token)) each = undefined
    const amount = readAmount(tokens, i)
    if (amount.amount !== undefined && tokens[amount.end] === "each" && tokens[amount.end + 1] === "of") {
      each = amount.amount
      i = amount.end + 2
      continue
    }
    const phrase = readPhrase(tokens, amount.end)
    const after = readTrailing(tokens, phrase.end)
    const wanted = itemOf(phrase.words, amount.amount, tokens[i - 1], after.amount)
    if (wanted !== undefined) {
      const perHead = tokens[phrase.end] === "each"
      items.push({ name: wanted.name, amount: perHead ? undefined : wanted.amount ?? each })
      i = Math.max(after.end, i + 1)
      continue
    }
    const last = items.at(-1)
    if (last !== undefined && last.amount === undefined && standsAlone(tokens, i, amount)) {
      items[items.length - 1] = { ...last, amount: amount.amount }
    }
    i = Math.max(phrase.words.length > 0 ? phrase.end : amount.end, i + 1)
  }
  const corrected = /\b(?:make (?:that|it)|change|changed|instead|rather)\b/.test(tokens.join(" "))
  return merge(items, corrected)
}

interface Amount {
  readonly amount: number | undefined
  readonly end: number
}

/** `24`, `two dozen`, `2.5 dozen`, `a hundred and twenty`, `a dozen and a half`, `three and a half dozen`, `2 x`. */
const readAmount = (tokens: ReadonlyArray<string>, start: number): Amount => {
  let end = start
  let sum: number | undefined = undefined
  while (end < tokens.length) {
    const token = tokens[end] ?? ""
    const value = numberOf(token)
    const multiple = Words.multiples.get(token)
    if (token === "and" && sum !== undefined && tokens[end + 1] === "a" && tokens[end + 2] === "half") {
      sum = tokens[end - 1] === "dozen" ? sum + 6 : sum + 0.5
      end = end + 3
      continue
    }
    if (multiple !== undefined) sum = (sum ?? 1) * multiple
    else if (Words.articles.has(token) && sum === undefined && numberOf(tokens[end + 1] ?? "") !== undefined) {
      sum = undefined
    } else if (value !== undefined) sum = (Words.articles.has(tokens[end - 1] ?? "") ? 0 : sum ?? 0) + value
    else if (!joinsHundred(tokens, end)) break
    end = end + 1
  }
  const times = tokens[end] === "x" || tokens[end] === "×"
  const whole = sum !== undefined && Number.isInteger(sum) && sum > 0 ? sum : undefined
  return { amount: whole, end: skipOf(tokens, sum !== undefined && times ? end + 1 : end) }
}

const joinsHundred = (tokens: ReadonlyArray<string>, at: number): boolean =>
  tokens[at] === "and" && /^(hundred|thousand)$/.test(tokens[at - 1] ?? "") &&
  numberOf(tokens[at + 1] ?? "") !== undefined

const skipOf = (tokens: ReadonlyArray<string>, end: number): number => tokens[end] === "of" ? end + 1 : end

const numberOf = (token: string): number | undefined => {
  if (/^\d+(\.\d+)?x?$/.test(token)) return Number.parseFloat(token)
  const parts = token.split("-").map((part) => Words.numbers.get(part))
  return parts.reduce<number | undefined>(
    (sum, part) => sum === undefined || part === undefined ? undefined : sum + part,
    0
  )
}

interface Phrase {
  readonly words: ReadonlyArray<string>
  readonly end: number
}

/** The words that name a thing: asides are left out, an `of` between two of them stays. At most five, as no item is longer. */
const readPhrase = (tokens: ReadonlyArray<string>, start: number): Phrase => {
  const words: Array<string> = []
  let end = start
  while (end < tokens.length && words.length < 5) {
    const token = tokens[end] ?? ""
    if (token === "of" && words.length > 0) words.push(token)
    else if (!Words.asides.has(token) && !Words.traits.has(token)) {
      if (!/^\p{L}/u.test(token) || numberOf(token) !== undefined || Words.multiples.has(token)) break
      if (Words.plain.has(token) || token === "x") break
      words.push(token)
    }
    end = end + 1
  }
  return { words, end }
}

/** An amount behind the item: `rye loaf x 3`, `rolls - 24`, `buns: 12`, `rolls 6, …`. */
const readTrailing = (tokens: ReadonlyArray<string>, start: number): Amount => {
  const at = /^[-–:x×(=]$/.test(tokens[start] ?? "") ? start + 1 : start
  const amount = readAmount(tokens, at)
  const times = /^[x×]$/.test(tokens[start] ?? "")
  const ends = times || /^(?:[.,;:|!?)]|and)?$/.test(tokens[amount.end] ?? "")
  return amount.amount !== undefined && !Words.articles.has(tokens[at] ?? "") && ends
    ? amount
    : { amount: undefined, end: start }
}

/** A number by itself that can only mean the item before it: `…, 20 of them`, `I'll take 8`. */
const standsAlone = (tokens: ReadonlyArray<string>, start: number, amount: Amount): boolean =>
  amount.amount !== undefined && amount.amount <= 500 && !Words.articles.has(tokens[start] ?? "") &&
  /^(?:[,:-]|get|take|want|need|like|have|reserve)$/.test(tokens[start - 1] ?? "") &&
  /^(?:[.,;|!?)]|of|please|them|for)?$/.test(tokens[amount.end] ?? "")

const itemOf = (
  phrase: ReadonlyArray<string>,
  amount: number | undefined,
  before: string | undefined,
  trailing: number | undefined
): Wanted | undefined => {
  const words = phrase.slice(0, phrase.findLastIndex(isFood) + 1 || phrase.length)
  const first = words[0]
  if (first === undefined || Words.uncounted.has(first)) return undefined
  const counted = amount !== undefined && amount !== 1
  const asked = before !== undefined && Words.triggers.has(before)
  if (!words.some(isFood) && !counted && !asked) return undefined
  return { name: words.join(" ").replace(/ of$/, ""), amount: amount ?? trailing }
}

const isFood = (word: string): boolean => Words.foods.has(word) || word.split("-").some((part) => Words.foods.has(part))

/** One entry a name: of two, the amounts add up, or the last one counts where the text corrects itself. */
const merge = (items: ReadonlyArray<Wanted>, corrected: boolean): ReadonlyArray<Wanted> => {
  const byName = new Map<string, Wanted>()
  for (const item of items) {
    const known = byName.get(item.name)
    const added = known?.amount === undefined ? item.amount : known.amount + (item.amount ?? 0)
    byName.set(item.name, { name: item.name, amount: corrected ? item.amount ?? known?.amount : added })
  }
  return [...byName.values()]
}
