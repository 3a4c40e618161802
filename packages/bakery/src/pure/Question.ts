/**
 * A customer's question as plain rules read it: which items and how many, which days, which times. The rules know English and
 * no menu: what the bakery has is for the tools to say.
 */
import { type Day, days } from "./Hours.ts"
import * as Words from "./Words.ts"

/** An item a question names, in its words. `amount` is there when it says how many. */
export interface Wanted {
  readonly name: string
  readonly amount: number | undefined
}

/** A time of day in minutes. `sure` is false for an hour that may be of the morning or the afternoon. */
export interface Time {
  readonly minutes: number
  readonly sure: boolean
}

export interface Question {
  readonly items: ReadonlyArray<Wanted>
  readonly days: ReadonlyArray<Day>
  readonly times: ReadonlyArray<Time>
  /** It names a day by where it stands from now: `tomorrow`. The rules have no calendar. */
  readonly relativeDay: string | undefined
  /** What it asks of an item that no tool tells: `vegan`. */
  readonly traits: ReadonlyArray<string>
  /** It asks what something costs. */
  readonly asksPrice: boolean
  /** It asks what there is. */
  readonly asksMenu: boolean
  /** It asks when the bakery is open. */
  readonly asksHours: boolean
  /** `nothing` holds no word at all; `foreign` is not English enough to be read. */
  readonly language: "english" | "foreign" | "nothing"
}

/** Reads a question. Total: any text is a question, if only one that asks nothing. */
export const read = (text: string): Question => {
  const lower = text.normalize("NFC").toLowerCase().replace(/[’`´]/g, "'")
  const timed = readTimes(lower)
  const tokens = timed.rest.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'-]*|[^\s\p{L}\p{N}]/gu) ?? []
  const named = tokens.flatMap((token) => Words.dayNamed(token) ?? [])
  const items = readItems(tokens.map((token) => Words.dayNamed(token) === undefined ? token : "|"))
  const language = languageOf(lower)
  return {
    items: language === "english" ? items : [],
    days: inWeekOrder([...named, ...groupOfDays(lower)]),
    times: timed.times,
    relativeDay: lower.match(/\b(today|tonight|tomorrow)\b/)?.[1],
    traits: [...new Set(tokens.filter((token) => Words.traits.has(token)))],
    asksPrice: /\bhow much\b|\bprices?\b|\bcosts?\b|\bcharge\b/.test(lower),
    asksMenu:
      /\bmenu\b|\bwhat (?:else )?(?:do|can|did) you (?:have|sell|bake|make|offer|got|do|serve)\b|\bwhat (?:kinds?|sorts?|types?)\b|\bwhat's (?:available|on offer|there)\b|\bprice list\b|\byour (?:prices|selection|range|products)\b/
        .test(lower),
    asksHours:
      /\bopen(?:ing|s)?\b|\bclos(?:e|es|ed|ing)\b|\bhours\b|\bshut\b|\b(?:what|which) days?\b|\bhow (?:late|early)\b/
        .test(lower),
    language
  }
}

const inWeekOrder = (named: ReadonlyArray<Day>): ReadonlyArray<Day> => days.filter((day) => named.includes(day))

const groupOfDays = (lower: string): ReadonlyArray<Day> => {
  if (/\bevery ?day\b|\ball week\b|\bthroughout the week\b|\beach day\b|\bdaily\b/.test(lower)) return days
  if (/\bweekdays?\b|\bworking days?\b/.test(lower)) return days.slice(0, 5)
  return /\bweek-?ends?\b/.test(lower) ? days.slice(5) : []
}

/** English when enough of the words are known to the rules. */
const languageOf = (lower: string): Question["language"] => {
  const words = lower.match(/[\p{L}\p{M}'-]+/gu) ?? []
  if (words.length === 0) return "nothing"
  const known = words.filter((word) =>
    Words.plain.has(word) || Words.foods.has(word) || Words.asides.has(word) || Words.numbers.has(word) ||
    Words.multiples.has(word) ||
    Words.triggers.has(word) || Words.traits.has(word) || Words.dayNamed(word) !== undefined
  )
  return known.length / words.length >= 0.4 ? "english" : "foreign"
}

const hourWords = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
const hour = `(\\d{1,2}|${hourWords.join("|")})`
const half = "(am|pm|a\\.m\\.?|p\\.m\\.?)"

/** A bare number is a time only where no counted thing can follow it: at an end, or before a word of plain English. */
const endOfTime =
  `(?![\\w:-])(?=\\s*(?:$|[.,;?!)]|(?:on|and|or|for|to|if|this|that|in|at|please|with|would|is|are|be|then|when|next|tomorrow|today|i|we|${
    days.map((day) => day.slice(0, 3)).join("|")
  })(?:\\b|\\p{L})))`

interface Clock {
  readonly pattern: RegExp
  readonly read: (found: ReadonlyArray<string | undefined>) => ReadonlyArray<Time | undefined>
}

const clock = (pattern: string, read: Clock["read"]): Clock => ({ pattern: new RegExp(pattern, "gu"), read })

/** The ways a time is written, the longest first. Each leaves its words out of the text that is read for items. */
const clocks: ReadonlyArray<Clock> = [
  clock("\\b(?:noon|midday)\\b", () => [{ minutes: 720, sure: true }]),
  clock("\\bmidnight\\b", () => [{ minutes: 0, sure: true }]),
  clock(`\\b(?:a )?(half|quarter) (past|to) ${hour}(?:\\s*${half})?`, ([part, way, h, ampm]) => {
    const minutes = part === "half" ? 30 : 15
    return [timeOf(h, way === "to" ? -minutes : minutes, ampm)]
  }),
  clock(
    `(?<![$€£\\d.,])\\b(\\d{1,2})[:.](\\d{2})(?:\\s*${half})?(?!\\d)`,
    ([h, m, ampm]) => [timeOf(h, Number(m), ampm)]
  ),
  clock(`\\b${hour}(?:\\s*${half}(?!\\p{L})|\\s*o'?clock)`, ([h, ampm]) => [timeOf(h, 0, ampm)]),
  clock(
    `\\b${hour} in the (morning|afternoon|evening)`,
    ([h, part]) => [timeOf(h, 0, part === "morning" ? "am" : "pm")]
  ),
  clock(
    `\\bbetween ${hour} and ${hour}${endOfTime}`,
    ([from, to]) => [timeOf(from, 0, undefined), timeOf(to, 0, undefined)]
  ),
  clock(
    `\\b(?:at|by|before|after|until|till|from|around|about|past|to)(?: (?:about|around))? ${hour}${endOfTime}`,
    ([h]) => [timeOf(h, 0, undefined)]
  )
]

const timeOf = (h: string | undefined, offset: number, ampm: string | undefined): Time | undefined => {
  const given = h === undefined ? NaN : hourWords.includes(h) ? hourWords.indexOf(h) + 1 : Number(h)
  if (!(given >= 0 && given <= 24) || offset > 59) return undefined
  const base = ampm === undefined ? given : (given % 12) + (ampm.startsWith("p") ? 12 : 0)
  const sure = ampm !== undefined || given > 12 || given === 0 || h?.startsWith("0") === true
  return { minutes: (base * 60 + offset + 1440) % 1440, sure }
}

/** The times of a text in the order they stand there, and the text with each replaced by a mark that ends a phrase. */
const readTimes = (lower: string): { readonly times: ReadonlyArray<Time>; readonly rest: string } => {
  const times: Array<{ readonly at: number; readonly time: Time }> = []
  const rest = clocks.reduce((text, { pattern, read }) =>
    [...text.matchAll(pattern)].reduce((left, found) => {
      const some = read(found.slice(1)).flatMap((time) => time ?? [])
      if (some.length === 0) return left
      times.push(...some.map((time) => ({ at: found.index, time })))
      return left.slice(0, found.index) + "|".padEnd(found[0].length) + left.slice(found.index + found[0].length)
    }, text), lower)
  return { times: times.toSorted((a, b) => a.at - b.at).map(({ time }) => time), rest }
}

/** Walks the words: a number opens an amount, the words after it that are no plain English are the item. */
const readItems = (tokens: ReadonlyArray<string>): ReadonlyArray<Wanted> => {
  const items: Array<Wanted> = []
  for (let i = 0; i < tokens.length;) {
    const amount = readAmount(tokens, i)
    const phrase = readPhrase(tokens, amount.end)
    const times = readTimesSign(tokens, phrase.end)
    const wanted = itemOf(phrase.words, amount, tokens[i - 1], times.amount)
    if (wanted !== undefined) items.push(wanted)
    i = Math.max(times.end, i + 1)
  }
  return merge(items)
}

interface Amount {
  readonly amount: number | undefined
  readonly end: number
}

/** `24`, `two dozen`, `half a dozen`, `a hundred and twenty`, `a dozen and a half`, `2 x`. */
const readAmount = (tokens: ReadonlyArray<string>, start: number): Amount => {
  let end = start
  let sum: number | undefined = undefined
  while (end < tokens.length) {
    const token = tokens[end] ?? ""
    if (token === "half" && tokens[end + 1] === "a" && tokens[end + 2] === "dozen") {
      return { amount: 6, end: skipOf(tokens, end + 3) }
    }
    if (token === "half" && tokens[end + 1] === "dozen") return { amount: 6, end: skipOf(tokens, end + 2) }
    if (
      token === "and" && sum !== undefined && tokens[end + 1] === "a" && tokens[end + 2] === "half" &&
      tokens[end - 1] === "dozen"
    ) {
      return { amount: sum + 6, end: skipOf(tokens, end + 3) }
    }
    const value = numberOf(token)
    const multiple = Words.multiples.get(token)
    if (multiple !== undefined) sum = (sum ?? 1) * multiple
    else if (value !== undefined) sum = token === "couple" || token === "pair" ? value : (sum ?? 0) + value
    else if (
      !(token === "and" && sum !== undefined && tokens[end - 1] === "hundred" &&
        numberOf(tokens[end + 1] ?? "") !== undefined)
    ) break
    end = end + 1
  }
  return {
    amount: sum,
    end: sum === undefined ? end : skipOf(tokens, tokens[end] === "x" || tokens[end] === "×" ? end + 1 : end)
  }
}

const skipOf = (tokens: ReadonlyArray<string>, end: number): number => tokens[end] === "of" ? end + 1 : end

const numberOf = (token: string): number | undefined => {
  if (/^\d+x?$/.test(token)) return Number.parseInt(token, 10)
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

/** The words that name a thing, asides left out. At most four, as no item is longer. */
const readPhrase = (tokens: ReadonlyArray<string>, start: number): Phrase => {
  const words: Array<string> = []
  let end = start
  while (end < tokens.length && words.length < 4) {
    const token = tokens[end] ?? ""
    if (Words.asides.has(token)) {
      end = end + 1
      continue
    }
    if (!/^\p{L}/u.test(token) || numberOf(token) !== undefined || Words.multiples.has(token)) break
    if (Words.plain.has(token) || token === "x") break
    words.push(token)
    end = end + 1
  }
  return { words, end }
}

/** `rye loaf x 3`, `rye loaf ×3`. */
const readTimesSign = (tokens: ReadonlyArray<string>, start: number): Amount => {
  const sign = tokens[start]
  const joined = sign?.match(/^x(\d+)$/)?.[1]
  if (joined !== undefined) return { amount: Number(joined), end: start + 1 }
  const next = tokens[start + 1]
  return (sign === "x" || sign === "×") && next !== undefined && /^\d+$/.test(next)
    ? { amount: Number(next), end: start + 2 }
    : { amount: undefined, end: start }
}

const itemOf = (
  phrase: ReadonlyArray<string>,
  { amount }: Amount,
  before: string | undefined,
  signed: number | undefined
): Wanted | undefined => {
  const words = phrase.slice(0, phrase.findLastIndex(isFood) + 1 || phrase.length)
  const first = words[0]
  if (first === undefined || Words.uncounted.has(first) || words.every((word) => Words.traits.has(word))) {
    return undefined
  }
  const counted = amount !== undefined && amount !== 1
  const asked = before !== undefined && Words.triggers.has(before)
  return words.some(isFood) || counted || asked || signed !== undefined
    ? { name: words.join(" "), amount: signed ?? amount }
    : undefined
}

const isFood = (word: string): boolean => Words.foods.has(word) || word.split("-").some((part) => Words.foods.has(part))

/** One entry a name: of two, the amounts add up. */
const merge = (items: ReadonlyArray<Wanted>): ReadonlyArray<Wanted> => {
  const byName = new Map<string, Wanted>()
  for (const item of items) {
    const known = byName.get(item.name)
    const amount = known?.amount === undefined ? item.amount : known.amount + (item.amount ?? 0)
    byName.set(item.name, { name: item.name, amount })
  }
  return [...byName.values()]
}
