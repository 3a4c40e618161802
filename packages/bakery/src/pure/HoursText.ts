/** What a draft says of opening hours, and of the times that were asked about. */
import { type Day, days, type Hours } from "./Hours.ts"
import { capital, series } from "./Text.ts"
import type { Time } from "./Times.ts"

/** A day's hours, as the tool told them. */
export interface OnDay {
  readonly day: Day
  readonly hours: Hours
}

/** A sentence a day; more than two days are one sentence, and each time one of its own. */
export const hoursSentences = (
  said: ReadonlyArray<Time>,
  hours: ReadonlyArray<OnDay>
): ReadonlyArray<string> => {
  const times = eachOnce(said)
  if (hours.length > 2) return [weekSentence(hours), ...times.map((time) => weekTimeSentence(time, hours))]
  return hours.map(({ day, hours: on }) => {
    if (on === "closed") return `On ${capital(day)} we are closed.`
    return `On ${capital(day)} we are open from ${on.opens} to ${on.closes}${timesClause(times, on)}.`
  })
}

const eachOnce = (times: ReadonlyArray<Time>): ReadonlyArray<Time> =>
  times.filter((time, i) =>
    times.findIndex(({ minutes, side, sure }) =>
      minutes === time.minutes && side === time.side && sure === time.sure
    ) === i
  )

type Open = Exclude<Hours, "closed">

const timesClause = (times: ReadonlyArray<Time>, open: Open): string =>
  times.length === 0 ? "" : `, so ${series([...new Set(times.map((time) => judge(time, open)))], "and")}`

const judge = (time: Time, open: Open): string => {
  const said = named(time, open)
  if (time.side !== undefined) return works(time, open) ? `${said} works` : `${said} we are closed`
  if (meant(time, open) === toMinutes(open.closes)) return `${said} is closing time (please come before it)`
  return works(time, open) ? `${said} works` : `${said} is outside our hours`
}

/** The time as the draft writes it. */
const named = (time: Time, open: Open): string =>
  `${time.side === undefined ? "" : `${time.side} `}${clock(meant(time, open))}`

/** Whether the bakery is open then, or at all before or after then. */
const works = (time: Time, open: Open): boolean => {
  const minutes = meant(time, open)
  if (time.side === "before") return minutes > toMinutes(open.opens)
  return time.side === "after" ? minutes < toMinutes(open.closes) : isWithin(minutes, open)
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
  const open = hours.flatMap(({ day, hours: on }) => on === "closed" ? [] : [{ day, on }])
  const fit = open.filter(({ on }) => works(time, on))
  const [first] = fit.length > 0 ? fit : open
  if (first === undefined) return `${clock(time.minutes)} is outside our hours on every day asked about.`
  const said = capital(named(time, first.on))
  if (time.side !== undefined) {
    return fit.length === 0
      ? `${said} we are closed on every day asked about.`
      : `${said} we are open on ${spans(fit.map(({ day }) => day))}.`
  }
  const closing = open.filter(({ on }) => meant(time, on) === toMinutes(on.closes))
  if (fit.length === 0 && closing.length > 0) {
    return `${clock(meant(time, first.on))} is closing time on ${
      spans(closing.map(({ day }) => day))
    }, and outside our hours on other days.`
  }
  return fit.length === 0
    ? `${said} is outside our hours on every day asked about.`
    : `${said} is within our hours on ${spans(fit.map(({ day }) => day))}.`
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
