/** A draft for the customer, written from what the tools said and from nothing else. */
import { type Day, days, type Hours } from "./Hours.ts"
import type { Item } from "./Menu.ts"
import type { Question } from "./Question.ts"
import type { Time } from "./Times.ts"

/** What was looked up, and what came back. */
export type Finding =
  | { readonly _tag: "Found"; readonly item: Item; readonly amount: number | undefined }
  | { readonly _tag: "Missing"; readonly name: string; readonly menu: ReadonlyArray<string> }
  | { readonly _tag: "Hours"; readonly day: Day; readonly hours: Hours }
  | { readonly _tag: "Failed"; readonly what: string; readonly why: string }

/** What the offline model can be asked. */
export const canAnswer =
  "I can tell you what an item on our menu costs, how many days' notice it needs, and when we are open. " +
  "For example: \"Can I pick up two dozen sourdough rolls on Saturday at 9?\""

/** The draft. Says what was found, what was not, and what could not be looked up. */
export const write = (question: Question, findings: ReadonlyArray<Finding>): string => {
  const found = sameItemOnce(findings.flatMap((finding) => finding._tag === "Found" ? [finding] : []))
  const hours = findings.flatMap((finding) => finding._tag === "Hours" ? [finding] : [])
  const sentences = [
    ...found.map((finding) => itemSentence(finding, pickupDay(question, hours))),
    ...totalSentence(found, findings),
    ...missingSentence(findings),
    ...hoursSentences(question, hours),
    ...relativeSentence(question),
    ...findings.flatMap((finding) =>
      finding._tag === "Failed" ? [`I could not look up ${finding.what}: ${finding.why}`] : []
    ),
    ...untoldSentence(question),
    ...whichDay(question, found)
  ]
  return sentences.length === 0 ? canAnswer : sentences.join(" ")
}

type Found = Extract<Finding, { readonly _tag: "Found" }>
type OnDay = Extract<Finding, { readonly _tag: "Hours" }>

const sameItemOnce = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  found.filter((finding, i) => {
    const first = found.findIndex(({ item }) => item.name === finding.item.name)
    return first === i
  }).map((finding) => {
    const amounts = found.flatMap(({ amount, item }) =>
      item.name === finding.item.name && amount !== undefined ? [amount] : []
    )
    return { ...finding, amount: amounts.length === 0 ? undefined : amounts.reduce((a, b) => a + b) }
  })

const itemSentence = ({ amount, item }: Found, day: Day | undefined): string => {
  const one = amount === 1
  const subject = amount === undefined
    ? capital(plural(item.name))
    : one
    ? `One ${singular(item.name)}`
    : `${amount} ${plural(item.name)}`
  const price = amount === undefined
    ? `${money(item.priceCents)} each`
    : money(item.priceCents * amount) + (one ? "" : ` (${money(item.priceCents)} each)`)
  return `${subject} ${one ? "is" : "are"} ${price} and ${one ? "needs" : "need"} ${notice(item.noticeDays)}${
    orderBy(item.noticeDays, day)
  }.`
}

const notice = (count: number): string =>
  count === 0 ? "no notice" : count === 1 ? "1 day's notice" : `${count} days' notice`

const orderBy = (count: number, day: Day | undefined): string => {
  if (day === undefined || count === 0 || count >= 7) return ""
  const by = days[(days.indexOf(day) - count + 7) % 7]
  return by === undefined ? "" : `, so please order by ${capital(by)}`
}

/** The one day that is named, if the bakery is open on it. */
const pickupDay = (question: Question, hours: ReadonlyArray<OnDay>): Day | undefined => {
  const [day, ...others] = question.days
  const open = hours.some((on) => on.day === day && on.hours !== "closed")
  return others.length === 0 && open ? day : undefined
}

const totalSentence = (found: ReadonlyArray<Found>, findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const counted = found.flatMap(({ amount, item }) => amount === undefined ? [] : [amount * item.priceCents])
  const whole = found.length >= 2 && counted.length === found.length &&
    findings.every(({ _tag }) => _tag !== "Missing" && _tag !== "Failed")
  return whole ? [`Together that is ${money(counted.reduce((a, b) => a + b, 0))}.`] : []
}

const missingSentence = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const missing = findings.flatMap((finding) => finding._tag === "Missing" ? [finding] : [])
  const [first] = missing
  if (first === undefined) return []
  const menu = first.menu.length === 0 ? "" : `; our menu has ${series(first.menu, "and")}`
  return [`We don't have ${series(missing.map(({ name }) => name), "or")}${menu}.`]
}

const hoursSentences = (question: Question, hours: ReadonlyArray<OnDay>): ReadonlyArray<string> => {
  if (hours.length > 2) return [weekSentence(hours), ...question.times.map((time) => weekTimeSentence(time, hours))]
  return hours.map(({ day, hours: on }) => {
    if (on === "closed") return `On ${capital(day)} we are closed.`
    return `On ${capital(day)} we are open from ${on.opens} to ${on.closes}${timesClause(question.times, on)}.`
  })
}

type Open = Exclude<Hours, "closed">

const timesClause = (times: ReadonlyArray<Time>, open: Open): string => {
  const judged = times.map((time) => judge(time, open))
  const [first, ...rest] = judged
  return first === undefined ? "" : `, so ${series([first, ...rest], "and")}`
}

const judge = (time: Time, open: Open): string => {
  const minutes = meant(time, open)
  if (minutes === toMinutes(open.closes)) return `${clock(minutes)} is closing time (please come before it)`
  return isWithin(minutes, open) ? `${clock(minutes)} works` : `${clock(minutes)} is outside our hours`
}

/** An hour said without morning or afternoon is the one the bakery is open at; before 7 it is of the afternoon. */
const meant = (time: Time, open: Open): number => {
  const later = (time.minutes + 720) % 1440
  if (time.sure || time.minutes >= 780) return time.minutes
  if (isWithin(time.minutes, open)) return time.minutes
  return isWithin(later, open) || time.minutes < 420 ? later : time.minutes
}

const isWithin = (minutes: number, open: Open): boolean =>
  minutes >= toMinutes(open.opens) && minutes < toMinutes(open.closes)

const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const clock = (minutes: number): string => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`

const pad = (n: number): string => String(n).padStart(2, "0")

const weekSentence = (hours: ReadonlyArray<OnDay>): string => {
  const groups = new Map<string, Array<Day>>()
  for (const { day, hours: on } of hours) {
    const key = on === "closed" ? "closed" : `from ${on.opens} to ${on.closes}`
    groups.set(key, [...groups.get(key) ?? [], day])
  }
  const open = [...groups].flatMap(([when, on]) => when === "closed" ? [] : [`${spans(on)} ${when}`])
  const closed = groups.get("closed")
  const shut = closed === undefined
    ? ""
    : `${open.length === 0 ? "We are" : ", and"} closed on ${series(closed.map(capital), "and")}`
  return `${open.length === 0 ? "" : `We are open ${series(open, "and")}`}${shut}.`
}

const weekTimeSentence = (time: Time, hours: ReadonlyArray<OnDay>): string => {
  const on = hours.flatMap(({ day, hours: open }) =>
    open !== "closed" && isWithin(meant(time, open), open) ? [{ day, open }] : []
  )
  const [first] = on
  if (first === undefined) {
    const anyOpen = hours.map(({ hours: open }) => open).find((open) => open !== "closed")
    return `${
      clock(anyOpen === undefined ? time.minutes : meant(time, anyOpen))
    } is outside our hours on every day asked about.`
  }
  return `${clock(meant(time, first.open))} is within our hours on ${spans(on.map(({ day }) => day))}.`
}

/** Days in a row as `Tuesday to Friday`. */
const spans = (on: ReadonlyArray<Day>): string => {
  const runs: Array<Array<Day>> = []
  for (const day of on) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && days.indexOf(day) === days.indexOf(last) + 1) run.push(day)
    else runs.push([day])
  }
  return series(
    runs.flatMap((run) =>
      run.length > 2 ? [`${capital(run[0] ?? "")} to ${capital(run.at(-1) ?? "")}`] : run.map(capital)
    ),
    "and"
  )
}

const relativeSentence = (question: Question): ReadonlyArray<string> =>
  question.relativeDay === undefined || question.days.length > 0
    ? []
    : [
      `I have no calendar, so these are our usual hours: please tell us which day of the week you mean by "${question.relativeDay}".`
    ]

const untoldSentence = ({ untold }: Question): ReadonlyArray<string> =>
  untold.length === 0
    ? []
    : [`Our menu and hours say nothing about "${series(untold, "and")}": please ask a person here.`]

const whichDay = (question: Question, found: ReadonlyArray<Found>): ReadonlyArray<string> =>
  found.some(({ amount }) => amount !== undefined) && question.days.length === 0 && question.times.length === 0 &&
    question.relativeDay === undefined && !question.asksHours && !question.asksPrice
    ? ["Tell us the day you would like to come, and we can say when we are open."]
    : []

const money = (cents: number): string => cents % 100 === 0 ? `$${cents / 100}` : `$${(cents / 100).toFixed(2)}`

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

const series = (parts: ReadonlyArray<string>, joint: "and" | "or"): string => {
  const last = parts.at(-1) ?? ""
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${joint} ${last}`
}

const plural = (name: string): string => {
  if (name.endsWith("s")) return name
  if (name.endsWith("loaf")) return `${name.slice(0, -1)}ves`
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

const singular = (name: string): string => {
  if (name.endsWith("loaves")) return `${name.slice(0, -3)}f`
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`
  return name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name
}
