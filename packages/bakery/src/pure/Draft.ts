/** A draft for the customer, written from what the tools said and from nothing else. */
import type { ToolCall } from "@levain/core"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { hoursSentences, type OnDay } from "./HoursText.ts"
import * as ItemText from "./ItemText.ts"
import { Order } from "./Order.ts"
import type { Question } from "./Question.ts"
import { capital, money, plural, series, singular } from "./Text.ts"

/** What was looked up, and what came back. */
export type Finding =
  | ({ readonly _tag: "Found" } & ItemText.Found)
  | ({ readonly _tag: "Missing" } & ItemText.Missing)
  | ({ readonly _tag: "Hours" } & OnDay)
  | { readonly _tag: "Failed"; readonly what: string; readonly why: string }

/** What the offline model can be asked. */
export const canAnswer =
  "I can tell you what an item on our menu costs, how many days' notice it needs, and when we are open. " +
  "For example: \"Can I pick up two dozen sourdough rolls on Saturday at 9?\""

/** The draft. Says what was found, what was not, what could not be looked up, and what only a person can tell. */
export const write = (question: Question, findings: ReadonlyArray<Finding>): string => {
  const { when } = question
  const found = ItemText.eachOnce(findings.flatMap((finding) => finding._tag === "Found" ? [finding] : []))
  const missing = findings.flatMap((finding) => finding._tag === "Missing" ? [finding] : [])
  const failed = findings.flatMap((finding) => finding._tag === "Failed" ? [finding] : [])
  const hours = findings.flatMap((finding) => finding._tag === "Hours" ? [finding] : [])
  const open = hours.some((on) => on.day === when.pickup && on.hours !== "closed")
  const sentences = [
    ...found.map((finding) => ItemText.itemSentence(finding, when, open)),
    ...ItemText.totalSentence(found, missing.length === 0 && failed.length === 0),
    ...ItemText.unclearSentence(found),
    ...(question.asksContents ? [] : ItemText.missingSentences(missing)),
    ...hoursSentences(question.times, hours),
    ...calendarSentence(question),
    ...failed.map(({ what, why }) => `I could not look up ${what}: ${why}`),
    ...untoldSentence(untoldOf(question, missing)),
    ...whichDay(question, found)
  ]
  return sentences.length === 0 ? canAnswer : sentences.join(" ")
}

/** What `place_order` takes. */
export type OrderInput = Pick<Order, "day" | "lines">

/** The order that a question comes to, where nothing of it is left to be asked: each item found, each amount and the day clear, and open then. */
export const orderOf = ({ when }: Question, findings: ReadonlyArray<Finding>): OrderInput | undefined => {
  const found = ItemText.eachOnce(findings.flatMap((finding) => finding._tag === "Found" ? [finding] : []))
  const lines = found.flatMap(({ amount, item }) =>
    typeof amount === "number" ? [{ item: item.name, count: amount }] : []
  )
  const day = when.pickup
  const isOpen = findings.some((finding) =>
    finding._tag === "Hours" && finding.day === day && finding.hours !== "closed"
  )
  const isClear = isOpen && lines.length > 0 && lines.length === found.length &&
    findings.every((finding) => finding._tag === "Found" || finding._tag === "Hours")
  return day !== undefined && isClear ? { day, lines } : undefined
}

/** What became of an order, and else the draft without one. */
export const afterOrder = ({ content, isError }: ToolCall.ToolResult, draft: string): string => {
  const order = typeof content === "string" && !isError ? Option.getOrUndefined(decodeOrder(content)) : undefined
  if (order === undefined) return `Your order is not placed: please ask a person here. ${draft}`
  const lines = order.lines.map(({ count, item }) => `${count} ${count === 1 ? singular(item) : plural(item)}`)
  return `Your order is placed: ${series(lines, "and")} for ${capital(order.day)}, ${money(order.totalCents)} in all.`
}

const decodeOrder = Schema.decodeUnknownOption(Schema.fromJsonString(Order))

/** The rules have no calendar: what they know of a date are the usual hours. */
const calendarSentence = ({ when: { date, days, relative } }: Question): ReadonlyArray<string> => {
  const said = date ?? relative
  if (said === undefined) return []
  if (days.length > 0) return [`These are our usual hours; please ask a person here whether they hold on "${said}".`]
  return [
    `I have no calendar, so these are our usual hours: please tell us which day of the week you mean by "${said}".`
  ]
}

/** A name the menu does not have, where the question is what is in an item, is one of the things it may be made with. */
const untoldOf = (
  { asksContents, untold }: Question,
  missing: ReadonlyArray<ItemText.Missing>
): ReadonlyArray<string> => {
  const all = asksContents ? [...untold, ...missing.map(({ name }) => name)] : untold
  return asksContents && all.length === 0 ? ["what is in it"] : all
}

/** What only a person can tell. */
const untoldSentence = (untold: ReadonlyArray<string>): ReadonlyArray<string> =>
  untold.length === 0
    ? []
    : [`Our menu and hours say nothing about ${
      series([...new Set(untold)].map((word) => `"${word}"`), "and")
    }: please ask a person here.`]

const whichDay = ({ asksHours, asksPrice, times, when }: Question, found: ReadonlyArray<ItemText.Found>) =>
  found.some(({ amount }) => amount !== undefined) && when.days.length === 0 && times.length === 0 &&
    when.relative === undefined && when.date === undefined && when.gap === undefined && !asksHours && !asksPrice
    ? ["Tell us the day you would like to come, and we can say when we are open."]
    : []
