/** The times of day that a text names. */
import { days } from "./Hours.ts"

/**
 * A time of day in minutes. `sure` is false for an hour that may be of the morning or of the afternoon. `side` is there for a time
 * that is not the one meant but bounds it: `before 7`, `after 2`.
 */
export interface Time {
  readonly minutes: number
  readonly sure: boolean
  readonly side?: "before" | "after"
}

const hourWords = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
const hour = `(\\d{1,2}|${hourWords.join("|")})`
const half = "(am|pm|a\\.m\\.?|p\\.m\\.?)"
const dayNames = days.map((day) => day.slice(0, 3)).join("|")

/** A bare number is a time only where no counted thing can follow it: at an end, or before a word of plain English. */
const endOfTime =
  "(?![\\w:-])(?=\\s*(?:$|[|,;?!)]|\\.(?!\\d)|(?:on|and|or|for|to|if|this|that|in|at|please|with|would|is|are|be|then|today|tonight|okay|" +
  `work|works|until|till|when|next|tomorrow|i|we|ok|can|do|too|sharp|instead|exactly)\\b|(?:${dayNames})))`

/** What stands before a time. */
const onDay = `(?:${days.join("|")}|${dayNames}|tues|thurs|weds)(?:'?s)?(?: morning| afternoon| evening)?`
const opening =
  `(?:^|(?:${onDay}[,;:]?|\\b(?:at|by|from|around|about|between|until|till|come|say|open))(?: (?:at|about|around))? )`

type Groups = ReadonlyArray<string | undefined>

interface Clock {
  readonly pattern: RegExp
  readonly read: (found: Groups) => ReadonlyArray<Time | undefined>
}

const clock = (pattern: string, read: Clock["read"]): Clock => ({ pattern: new RegExp(pattern, "gu"), read })

const minuteWords: ReadonlyMap<string, number> = new Map([
  ["five", 5],
  ["ten", 10],
  ["fifteen", 15],
  ["quarter", 15],
  ["twenty", 20],
  ["twenty-five", 25],
  ["twenty five", 25],
  ["half", 30],
  ["thirty", 30],
  ["forty-five", 45],
  ["forty five", 45]
])

const minutesOf = (text: string | undefined): number => minuteWords.get(text ?? "") ?? Number(text)

const spoken = `${hour}(?:[:.](\\d{2}))?(?:\\s*(?:o'?clock|${half}(?!\\p{L})))?`

/** The ways a time is written, the longest first. Each leaves its words out of the text that is read for items. */
const clocks: ReadonlyArray<Clock> = [
  clock("\\b(?:noon(?:ish)?|midday|lunchtime)\\b", () => [{ minutes: 720, sure: true }]),
  clock("\\bmidnight\\b", () => [{ minutes: 0, sure: true }]),
  clock(
    `\\b(before|after) ${spoken}${endOfTime}`,
    ([side, h, m, ampm]) => {
      const time = timeOf(h, Number(m ?? 0), ampm)
      return [time === undefined ? undefined : { ...time, side: side === "before" ? "before" : "after" }]
    }
  ),
  clock(
    `\\b(?:a )?(half|quarter|five|ten|twenty(?:[- ]five)?|\\d{1,2})(?: minutes)? past ${hour}(?![\\w:-])(?:\\s*${half})?`,
    ([part, h, ampm]) => [timeOf(h, minutesOf(part), ampm)]
  ),
  clock(
    `\\b(?:a )?quarter to ${hour}(?![\\w:-])(?:\\s*${half})?`,
    ([h, ampm]) => [timeOf(h, -15, ampm)]
  ),
  clock(
    `\\b(?:at |by )?(five|ten|twenty(?:[- ]five)?)(?: minutes)? to ${hour}(?:\\s*${half})?${endOfTime}`,
    ([part, h, ampm]) => [timeOf(h, -minutesOf(part), ampm)]
  ),
  clock(
    `\\b(?:at|by) (5|10|20|25)(?: minutes)? to ${hour}(?:\\s*${half})?${endOfTime}`,
    ([part, h, ampm]) => [timeOf(h, -minutesOf(part), ampm)]
  ),
  clock(
    `(?<![$€£\\d.,])\\b(\\d{1,2})[:.](\\d{2})(?:\\s*${half})?(?!\\d)(?! dozen)`,
    ([h, m, ampm]) => [timeOf(h, Number(m), ampm)]
  ),
  clock(
    "\\b(0\\d|1\\d|2[0-3])([0-5]\\d)(?:h|\\s*hours)\\b|\\b(0\\d)([0-5]\\d)\\b",
    ([h, m, h0, m0]) => [timeOf(h ?? h0, Number(m ?? m0), "24h")]
  ),
  clock(`\\b(\\d{1,2})([0-5]\\d)\\s*${half}(?!\\p{L})`, ([h, m, ampm]) => [timeOf(h, Number(m), ampm)]),
  clock(`\\bat (?:like |about |around )?([1-9])([0-5]\\d)${endOfTime}`, ([h, m]) => [timeOf(h, Number(m), undefined)]),
  clock(`${opening}(1\\d|2[0-3])([0-5]\\d)${endOfTime}`, ([h, m]) => [timeOf(h, Number(m), "24h")]),
  clock(
    "\\b(\\d{1,2})h(\\d{2})\\b|\\b([6-9]|1\\d|2[0-3])h\\b",
    ([h, m, only]) => [timeOf(h ?? only, Number(m ?? 0), "24h")]
  ),
  clock(
    `\\b${hour}\\s*(?:-|–|to|and|or)\\s*${hour}\\s*${half}(?!\\p{L})`,
    ([from, to, ampm]) => [timeOf(from, 0, ampm), timeOf(to, 0, ampm)]
  ),
  clock(
    `\\b${hour}(?: o'?clock)?,? (?:(?:in the|this|tomorrow|${onDay}) (morning|afternoon|evening)|(tonight|at night))\\b`,
    ([h, part]) => [timeOf(h, 0, part === "morning" ? "am" : "pm")]
  ),
  clock(`\\b${hour}(?:\\s*${half}(?!\\p{L})|\\s*o'?clock)`, ([h, ampm]) => [timeOf(h, 0, ampm)]),
  clock(
    `\\b(?:at |around )?(${hourWords.join("|")}) (fifteen|thirty|forty[- ]five)\\b`,
    ([h, part]) => [timeOf(h, minutesOf(part), undefined)]
  ),
  clock(
    `\\b(?:is|does|would|will) ${hour} (?:be )?(?:too|ok|okay|work|fine|good|possible|alright)\\b`,
    ([h]) => [timeOf(h, 0, undefined)]
  ),
  clock(`\\b${hour}\\s*-?ish\\b`, ([h]) => [timeOf(h, 0, undefined)]),
  clock(`\\bhalf ${hour}${endOfTime}`, ([h]) => [timeOf(h, 30, undefined)]),
  clock(
    `${opening}${hour}\\s*(?:-|–|to|and|or|till|until) ?${hour}${endOfTime}`,
    ([from, to]) => [timeOf(from, 0, undefined), timeOf(to, 0, undefined)]
  ),
  clock(
    `(?:${onDay}[,;:]?|\\b(?:at|by|from|until|till|past))(?: (?:at|about|around))? ${hour}${endOfTime}`,
    ([h]) => [timeOf(h, 0, undefined)]
  ),
  clock(
    `\\b(?:around|about) (1[0-2]|[1-9]|${hourWords.join("|")})${endOfTime}`,
    ([h]) => [timeOf(h, 0, undefined)]
  ),
  clock("\\b(?:in the evenings?|evenings?|tonight|at night|after work)\\b", () => [evening])
]

/** An evening begins at five. */
const evening: Time = { minutes: 1020, sure: true, side: "after" }

/** A time from its parts; an hour written with a leading zero or above 12 is sure. */
const timeOf = (h: string | undefined, offset: number, ampm: string | undefined): Time | undefined => {
  const given = h === undefined ? NaN : hourWords.includes(h) ? hourWords.indexOf(h) + 1 : Number(h)
  if (!(given >= 0 && given <= 24) || !(offset >= -59 && offset <= 59)) return undefined
  const base = ampm === undefined || ampm === "24h" ? given : (given % 12) + (ampm.startsWith("p") ? 12 : 0)
  const sure = ampm !== undefined || given > 12 || given === 0 || h?.startsWith("0") === true
  return { minutes: (base * 60 + offset + 1440) % 1440, sure }
}

/** The times of a text in the order they stand there, and the text with each replaced by a mark that ends a phrase. */
export const readTimes = (
  text: string
): { readonly times: ReadonlyArray<Time>; readonly rest: string } => {
  const times: Array<{ readonly at: number; readonly time: Time }> = []
  const rest = clocks.reduce((text, { pattern, read }) =>
    [...text.matchAll(pattern)].reduce((left, found) => {
      const some = read(found.slice(1)).flatMap((time) => time ?? [])
      times.push(...some.map((time) => ({ at: found.index, time })))
      if (some.length === 0) return left
      const end = found.index + found[0].length
      return `${left.slice(0, found.index)}${"|".padEnd(found[0].length)}${left.slice(end)}`
    }, text), text)
  return { times: times.toSorted((a, b) => a.at - b.at).map(({ time }) => time), rest }
}
