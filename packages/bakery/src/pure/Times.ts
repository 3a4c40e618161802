/** The times of day that a text names. */
import { days } from "./Hours.ts"

/** A time of day in minutes. `sure` is false for an hour that may be of the morning or of the afternoon. */
export interface Time {
  readonly minutes: number
  readonly sure: boolean
}

const hourWords = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
const hour = `(\\d{1,2}|${hourWords.join("|")})`
const half = "(am|pm|a\\.m\\.?|p\\.m\\.?)"
const dayNames = days.map((day) => day.slice(0, 3)).join("|")

/** A bare number is a time only where no counted thing can follow it: at an end, or before a word of plain English. */
const endOfTime =
  "(?![\\w:-])(?=\\s*(?:$|[|.,;?!)]|(?:on|and|or|for|to|if|this|that|in|at|please|with|would|is|are|be|then|" +
  `when|next|tomorrow|today|i|we|ok|${dayNames})(?:\\b|\\p{L})))`

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

/** The ways a time is written, the longest first. Each leaves its words out of the text that is read for items. */
const clocks: ReadonlyArray<Clock> = [
  clock("\\b(?:noon|midday)\\b", () => [{ minutes: 720, sure: true }]),
  clock("\\bmidnight\\b", () => [{ minutes: 0, sure: true }]),
  clock(
    `\\b(?:a )?(half|quarter|five|ten|twenty(?:[- ]five)?|\\d{1,2})(?: minutes)? (past|to) ${hour}(?![\\w:-])(?:\\s*${half})?`,
    ([part, way, h, ampm]) => [timeOf(h, way === "to" ? -minutesOf(part) : minutesOf(part), ampm)]
  ),
  clock(
    `(?<![$€£\\d.,])\\b(\\d{1,2})[:.](\\d{2})(?:\\s*${half})?(?!\\d)(?! dozen)`,
    ([h, m, ampm]) => [timeOf(h, Number(m), ampm)]
  ),
  clock("\\b(0\\d|1\\d|2[0-3])([0-5]\\d)(?:h|\\s*hours)\\b|\\b(0\\d)([0-5]\\d)\\b", ([h, m, h0, m0]) => [
    timeOf((h ?? h0 ?? "").padStart(2, "0"), Number(m ?? m0), undefined)
  ]),
  clock("\\b(\\d{1,2})h\\b", ([h]) => [timeOf((h ?? "").padStart(2, "0"), 0, undefined)]),
  clock(
    `\\b${hour}\\s*(?:-|–|to|and|or)\\s*${hour}\\s*${half}(?!\\p{L})`,
    ([from, to, ampm]) => [timeOf(from, 0, ampm), timeOf(to, 0, ampm)]
  ),
  clock(`\\b${hour}(?:\\s*${half}(?!\\p{L})|\\s*o'?clock)`, ([h, ampm]) => [timeOf(h, 0, ampm)]),
  clock(
    `\\b${hour} in the (morning|afternoon|evening)`,
    ([h, part]) => [timeOf(h, 0, part === "morning" ? "am" : "pm")]
  ),
  clock(
    `\\b(?:at |around )?(${hourWords.join("|")}) (fifteen|thirty|forty[- ]five)\\b`,
    ([h, part]) => [timeOf(h, minutesOf(part), undefined)]
  ),
  clock(`\\bhalf ${hour}${endOfTime}`, ([h]) => [timeOf(h, 30, undefined)]),
  clock(`\\b(?:before|after|until|till|past) ${hour}${endOfTime}`, () => []),
  clock(
    `\\b(?:between|from|at) ${hour} (?:and|to|or) ${hour}${endOfTime}`,
    ([from, to]) => [timeOf(from, 0, undefined), timeOf(to, 0, undefined)]
  ),
  clock(
    `\\b(?:at|by|from|around|about|to)(?: (?:about|around))? ${hour}(?:ish)?${endOfTime}`,
    ([h]) => [timeOf(h, 0, undefined)]
  ),
  clock(
    `(?<=\\b(?:${days.join("|")}|${dayNames}|tues|thurs)s?,? )${hour}${endOfTime}`,
    ([h]) => [timeOf(h, 0, undefined)]
  )
]

/** A time from its parts; an hour written with a leading zero or above 12 is sure. */
const timeOf = (h: string | undefined, offset: number, ampm: string | undefined): Time | undefined => {
  const given = h === undefined ? NaN : hourWords.includes(h) ? hourWords.indexOf(h) + 1 : Number(h)
  if (!(given >= 0 && given <= 24) || !(offset >= -59 && offset <= 59)) return undefined
  const base = ampm === undefined ? given : (given % 12) + (ampm.startsWith("p") ? 12 : 0)
  const sure = ampm !== undefined || given > 12 || given === 0 || h?.startsWith("0") === true
  return { minutes: (base * 60 + offset + 1440) % 1440, sure }
}

/** The times of a text in the order they stand there, and the text with each replaced by a mark that ends a phrase. */
export const readTimes = (text: string): { readonly times: ReadonlyArray<Time>; readonly rest: string } => {
  const times: Array<{ readonly at: number; readonly time: Time }> = []
  const rest = clocks.reduce((text, { pattern, read }) =>
    [...text.matchAll(pattern)].reduce((left, found) => {
      const some = read(found.slice(1)).flatMap((time) => time ?? [])
      times.push(...some.map((time) => ({ at: found.index, time })))
      const end = found.index + found[0].length
      return `${left.slice(0, found.index)}${"|".padEnd(found[0].length)}${left.slice(end)}`
    }, text), text)
  return { times: times.toSorted((a, b) => a.at - b.at).map(({ time }) => time), rest }
}
