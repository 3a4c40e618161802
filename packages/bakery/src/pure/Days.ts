/**
 * The days that a text names: those to come on, the one to order on, and those that only a calendar knows. A day that is refused
 * (`not Friday`) or that is an occasion's (`a Sunday roast`) is none to come on.
 */
import { type Day, days } from "./Hours.ts"
import * as Words from "./Words.ts"

/** What a text says of days. */
export interface Reading {
  /** The days to look up, in the order of the week. */
  readonly days: ReadonlyArray<Day>
  /** The one day to come on, where one is named or follows from the day of the order. */
  readonly pickup: Day | undefined
  /** The day of the order, where the text says which it is: `today is Friday`, `if I order on Friday`. */
  readonly ordered: Day | undefined
  /** How many days lie between the order and coming for it, where the text says so. */
  readonly gap: number | undefined
  /** A day from now, in the text's words: `tomorrow`. The rules have no calendar. */
  readonly relative: string | undefined
  /** A date or a feast, in the text's words: `24 december`. */
  readonly date: string | undefined
}

/** Reads the days of a text. */
export const read = (text: string): Reading => {
  const tokens = withoutDates(text).match(token) ?? []
  const named = tokens.map((_, i) => dayAt(tokens, i))
  const away = furthest(text)
  const ordered = orderDay(tokens, named, nextDay.test(text), away !== undefined)
  const own = pickupDays(tokens, named)
  const refused = named.filter((day, i) => day !== undefined && isRefused(tokens, named, i) && !own.includes(day))
  const said = [...own, ...groupOfDays(text)]
  const wanted = inWeekOrder(said.length === 0 && refused.length > 0 ? days : said)
    .filter((day) => day !== ordered && !refused.includes(day))
  const date = text.match(dates)?.[0] ?? text.match(feasts)?.[0]
  const relative = text.match(relatives)?.at(-1)
  if (wanted.length > 0) {
    const pickup = wanted.length === 1 ? wanted[0] : undefined
    const near = pickup !== undefined && ordered !== undefined && !/\bnext \p{L}+|\bweeks?\b/u.test(text)
    const gap = near ? daysFrom(ordered, pickup) : undefined
    return { days: wanted, pickup, ordered, gap, relative: undefined, date }
  }
  if (ordered === undefined) return { days: [], pickup: undefined, ordered, gap: away, relative, date }
  const pickup = away === undefined ? undefined : days[(days.indexOf(ordered) + away) % 7]
  return { days: [pickup ?? ordered], pickup, ordered, gap: away, relative: undefined, date }
}

/** The text with each date replaced by a mark, since its numbers are no amounts. */
export const withoutDates = (text: string): string => text.replace(dates, " | ")

/** Words and signs, for all that reads a text by its words. */
export const token = /\d+\.\d+|[\p{L}\p{N}][\p{L}\p{N}\p{M}'-]*|[^\s\p{L}\p{N}]/gu

/** A short day name that is a word of its own (`sun`) is no day behind an article or a subject. */
export const dayAt = (tokens: ReadonlyArray<string>, i: number): Day | undefined => {
  const word = tokens[i] ?? ""
  const isWord = /^(?:sun|sat|wed)$/.test(word) &&
    /^(?:the|a|i|we|you|he|she|they|who|my|our|in)$/.test(tokens[i - 1] ?? "")
  return isWord ? undefined : Words.dayNamed(word)
}

const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"

const dates = new RegExp(
  `\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}\\b|\\b${month}\\.? (?:the )?\\d{1,2}(?:st|nd|rd|th)?\\b|` +
    "\\bthe \\d{1,2}(?:st|nd|rd|th)\\b|\\b\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?\\b|" +
    "\\b(?:january|february|april|june|july|august|september|october|november|december)\\b",
  "g"
)

const feasts =
  /\b(?:christmas(?: eve| day)?|xmas|easter|thanksgiving|new year'?s?(?: day| eve)?|(?:public |bank )?holidays?)\b/

const relatives =
  /\b(?:today|tonight|(?:day after )?tomorrow|(?:next|following) day|in (?:\w+) days?|in \w+ (?:hours|weeks?)|right now|open now|at the moment|next week)\b/g

const nextDay = /\bthe (?:next|following) day\b|\bthe day after\b(?! tomorrow)/

/** How far the furthest day is that the text counts from another. Today is no day to come on where it is the order's. */
const furthest = (text: string): number | undefined => {
  const found = (text.replace(/\btoday(?: is|'s)\b/g, "").match(relatives) ?? []).flatMap((words) =>
    daysAway(words) ?? []
  )
  if (nextDay.test(text)) found.push(1)
  const most = Math.max(...found)
  return found.length === 0 || (most === 0 && /\border/.test(text) && !/\bfor to(?:day|night)\b/.test(text))
    ? undefined
    : most
}

const daysAway = (words: string): number | undefined => {
  if (/^to(?:day|night)$|^right now$/.test(words)) return 0
  if (/^(?:tomorrow|next day|following day)$/.test(words)) return 1
  if (words === "day after tomorrow") return 2
  const [, count = "", unit = ""] = words.match(/^in (\w+) (day|hour|week)s?$/) ?? []
  const number = /^\d+$/.test(count) ? Number(count) : count === "a" ? 1 : Words.numbers.get(count)
  return number === undefined
    ? undefined
    : Math.floor(unit === "hour" ? number / 24 : unit === "week" ? number * 7 : number)
}

/** The day that is said to be today, or the one before tomorrow; else the one said to be the order's, if there is another to come on. */
const orderDay = (
  tokens: ReadonlyArray<string>,
  named: ReadonlyArray<Day | undefined>,
  beforeNext: boolean,
  counted: boolean
): Day | undefined => {
  const today = named.find((day, i) => day !== undefined && isToday(tokens, i))
  const tomorrow = named.find((day, i) => day !== undefined && isTomorrow(tokens, i))
  const order = named.find((day, i) => day !== undefined && isOrder(tokens, i))
  const comes = counted || named.some((day) => day !== undefined && day !== order) || asksWhen.test(tokens.join(" "))
  return today ?? (tomorrow === undefined ? undefined : days[(days.indexOf(tomorrow) + 6) % 7]) ??
    (comes ? order : undefined) ?? (beforeNext ? named.find((day) => day !== undefined) : undefined)
}

const asksWhen = /\bwhen (?:can|could|will|would)\b|\bearliest\b|\bhow soon\b/

const before = (tokens: ReadonlyArray<string>, i: number, count: number): string =>
  tokens.slice(Math.max(0, i - count), i).join(" ")

const isToday = (tokens: ReadonlyArray<string>, i: number): boolean =>
  /(?:^| )(?:today is|it is|it's|its|this is|today's|today|now)(?: now| already| currently)?(?: ,)?$/
    .test(before(tokens, i, 4)) || tokens[i + 1] === "today"

/** `tomorrow is Saturday`, `Saturday, tomorrow` */
const isTomorrow = (tokens: ReadonlyArray<string>, i: number): boolean =>
  /(?:^| )tomorrow(?: is| ,| \()?$/.test(before(tokens, i, 3)) ||
  /^(?:, |\( )?tomorrow\b/.test(tokens.slice(i + 1, i + 3).join(" "))

const isOrder = (tokens: ReadonlyArray<string>, i: number): boolean => {
  const said = before(tokens, i, 9)
  return /\border(?:ed|ing)?(?: (?:it|them|this|that))?(?: (?:on|by|this))*$/.test(said) ||
    /\b(?:if|when) (?:i|we) order(?:ed)? [^.?!;,]*\bon$/.test(said) ||
    (/\border(?:ed|ing)? [^.?!;,]*\bon$/.test(said) &&
      /^(?:for|to (?:pick|collect|get|fetch)|and (?:pick|collect|come|get|fetch))\b/
        .test(tokens.slice(i + 1, i + 3).join(" ")))
}

const daysFrom = (from: Day, to: Day): number => (days.indexOf(to) - days.indexOf(from) + 7) % 7

const inWeekOrder = (named: ReadonlyArray<Day>): ReadonlyArray<Day> => days.filter((day) => named.includes(day))

/** The days named, ranges filled in, without those refused (`not Friday`) and those of an occasion (`a Sunday roast`). */
const pickupDays = (tokens: ReadonlyArray<string>, named: ReadonlyArray<Day | undefined>): ReadonlyArray<Day> => {
  const found = named.flatMap((day, i) => {
    if (day === undefined || isRefused(tokens, named, i)) return []
    const from = /^(?:to|through|thru|till|until|-|–)$/.test(tokens[i - 1] ?? "") ? named[i - 2] : undefined
    const range = from === undefined ? [day] : daysBetween(from, day)
    return [{ range, occasion: Words.occasions.has(tokens[i + 1] ?? "") }]
  })
  const own = found.filter(({ occasion }) => !occasion)
  return (own.length > 0 ? own : found).flatMap(({ range }) => range)
}

/** `not Friday`, `any day but Friday`, `except Friday or Saturday`. */
const isRefused = (
  tokens: ReadonlyArray<string>,
  named: ReadonlyArray<Day | undefined>,
  i: number,
  chain: number = days.length
): boolean =>
  /\b(?:not|can't (?:do|make|come)|cannot (?:do|make|come)|except|except for|instead of|other than|apart from|(?:days?|week|time|anytime) but)(?: on)?$/
    .test(before(tokens, i, 4)) ||
  /^(?:is (?:no|not|out)|isn't|doesn't work|won't work|is no good)\b/.test(tokens.slice(i + 1, i + 4).join(" ")) ||
  (/^(?:and|or)$/.test(tokens[i - 1] ?? "") && named[i - 2] !== undefined && chain > 0 &&
    isRefused(tokens, named, i - 2, chain - 1))

const daysBetween = (from: Day, to: Day): ReadonlyArray<Day> => {
  const [a, b] = [days.indexOf(from), days.indexOf(to)]
  return days.filter((_, i) => a <= b ? i >= a && i <= b : i >= a || i <= b)
}

const groupOfDays = (text: string): ReadonlyArray<Day> => {
  if (/\b(?:every|any|each) ?days?\b|\ball (?:week|days)\b|\bthroughout the week\b|\bdaily\b/.test(text)) return days
  if (/\bweekdays?\b|\bworking days?\b/.test(text)) return days.slice(0, 5)
  return /\bweek-?ends?\b/.test(text) ? days.slice(5) : []
}
