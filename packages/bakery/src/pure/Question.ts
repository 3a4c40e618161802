/**
 * A customer's question as plain rules read it: which items and how many, which days, which times. The rules know English and
 * no menu: what the bakery has is for the tools to say.
 */
import { type Day, days } from "./Hours.ts"
import { tidy } from "./Spelling.ts"
import { readTimes, type Time } from "./Times.ts"
import { mark, readItems, type Wanted } from "./Wanted.ts"
import * as Words from "./Words.ts"

export interface Question {
  readonly items: ReadonlyArray<Wanted>
  readonly days: ReadonlyArray<Day>
  readonly times: ReadonlyArray<Time>
  /** It names a day by where it stands from now, or a date: `tomorrow`. The rules have no calendar. */
  readonly relativeDay: string | undefined
  /** What it asks that neither the menu nor the hours tell: `vegan`, `delivery`. */
  readonly untold: ReadonlyArray<string>
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
  const tidied = tidy(text)
  const { rest, times } = readTimes(tidied)
  const tokens = rest.replace(amountRange, " some ").match(token) ?? []
  const named = tokens.map((_, i) => dayAt(tokens, i))
  const language = languageOf(tidied)
  const english = language === "english"
  return {
    items: english ? readItems(tokens.map((word, i) => named[i] === undefined ? word : mark)) : [],
    days: inWeekOrder([...pickupDays(tokens, named), ...groupOfDays(tidied)]),
    times,
    relativeDay: tidied.match(relativeDays)?.[0],
    untold: english ? [...new Set(tidied.match(untoldWords) ?? [])] : [],
    asksPrice: priceWords.test(tidied),
    asksMenu: menuWords.test(tidied),
    asksHours: hoursWords.test(tidied),
    language
  }
}

const token = /\d+\.\d+|[\p{L}\p{N}][\p{L}\p{N}\p{M}'-]*|[^\s\p{L}\p{N}]/gu

/** `10-12 rolls` says no amount that can be priced. */
const amountRange = /\bbetween \d+ and \d+\b|\b\d+ ?(?:-|–|to|or) ?\d+\b/g

const relativeDays =
  /\b(?:today|tonight|tomorrow|christmas(?: eve)?|easter|thanksgiving|new year'?s?(?: day| eve)?|(?:public |bank )?holidays?)\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b(?: \d+\w*)?|\bthe \d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}\/\d{1,2}\b/

const untoldWords = new RegExp(
  `\\b(?:${
    [...Words.traits].join("|")
  }|allerg\\w*|contains?|nuts?|eggs|dairy|sesame|soy|deliver\\w*|shipping|discounts?|refunds?|parking|wifi|toilets?|bathroom|catering|hiring|jobs?|gift cards?|credit cards?|freez\\w*|keep)\\b`,
  "g"
)

const priceWords = /\bhow much\b|\bhow many\b.*\$|\bprices?\b|\bcosts?\b|\bcharge\b/

const menuWords =
  /\bmenu\b|\bwhat (?:else )?(?:do|can|did) you (?:have|sell|bake|make|offer|got|do|serve)\b|\bwhat (?:kinds?|sorts?|types?)\b|\bwhat's (?:available|on offer|there)\b|\bprice list\b|\byour (?:prices|selection|range|products)\b|\bcheapest\b|\bmost expensive\b|\beverything\b|\b(?:which|what) (?:items?|things?)\b|\bwhat needs\b|\bof each\b/

const hoursWords =
  /\bopen(?:ing|s)?\b|\bclos(?:e|es|ed|ing)\b|\bhours\b|\bshut\b|\b(?:what|which) days?\b|\bhow (?:late|early)\b/

const inWeekOrder = (named: ReadonlyArray<Day>): ReadonlyArray<Day> => days.filter((day) => named.includes(day))

/** Short day names that are words of their own count only where no article or subject stands before them. */
const dayAt = (tokens: ReadonlyArray<string>, i: number): Day | undefined => {
  const word = tokens[i] ?? ""
  const isWord = /^(?:sun|sat|wed)$/.test(word) &&
    /^(?:the|a|i|we|you|he|she|they|who|my|our|in)$/.test(tokens[i - 1] ?? "")
  return isWord ? undefined : Words.dayNamed(word)
}

/** The days named, ranges filled in, without those refused (`not Friday`) and those of an occasion (`a Sunday roast`). */
const pickupDays = (tokens: ReadonlyArray<string>, named: ReadonlyArray<Day | undefined>): ReadonlyArray<Day> => {
  const found = named.flatMap((day, i) => {
    if (day === undefined || isRefused(tokens, i)) return []
    const from = /^(?:to|through|thru|till|until|-|–)$/.test(tokens[i - 1] ?? "") ? named[i - 2] : undefined
    const range = from === undefined ? [day] : daysBetween(from, day)
    return [{ range, occasion: Words.occasions.has(tokens[i + 1] ?? "") }]
  })
  const own = found.filter(({ occasion }) => !occasion)
  return (own.length > 0 ? own : found).flatMap(({ range }) => range)
}

const isRefused = (tokens: ReadonlyArray<string>, i: number): boolean =>
  /\b(?:not|can't do|cannot do|except|instead of)(?: on)?$/.test(tokens.slice(Math.max(0, i - 3), i).join(" "))

const daysBetween = (from: Day, to: Day): ReadonlyArray<Day> => {
  const [a, b] = [days.indexOf(from), days.indexOf(to)]
  return days.filter((_, i) => a <= b ? i >= a && i <= b : i >= a || i <= b)
}

const groupOfDays = (text: string): ReadonlyArray<Day> => {
  if (/\bevery ?day\b|\ball week\b|\bthroughout the week\b|\bdaily\b/.test(text)) return days
  if (/\bweekdays?\b|\bworking days?\b/.test(text)) return days.slice(0, 5)
  return /\bweek-?ends?\b/.test(text) ? days.slice(5) : []
}

/** English when enough of the words are known to the rules. */
const languageOf = (text: string): Question["language"] => {
  const words = text.match(/[\p{L}\p{M}'-]+/gu) ?? []
  if (words.length === 0) return "nothing"
  const known = words.filter((word) => lexicon.some((list) => list.has(word)) || Words.dayNamed(word) !== undefined)
  return known.length / words.length >= 0.4 ? "english" : "foreign"
}

const lexicon = [
  Words.plain,
  Words.foods,
  Words.asides,
  Words.numbers,
  Words.multiples,
  Words.triggers,
  Words.traits,
  Words.uncounted
]
