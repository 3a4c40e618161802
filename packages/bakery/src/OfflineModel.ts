/**
 * A model that needs no key and no network: plain rules for questions about a bakery, and nothing cleverer. It asks the
 * tools for every item and day a question names, in one turn, and in a second one for what the menu then shows, places the order where it may and all of it is clear, and drafts an answer from what they say. Like any model it keeps
 * nothing between two requests. It costs nothing, and its tokens are an estimate that lets limits be tried: one for every four
 * characters of the newest turn and of the reply.
 */
import { Model, type Reply, type ToolCall, Transcript, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Amount } from "./pure/Amounts.ts"
import * as Draft from "./pure/Draft.ts"
import { Day, days, Hours } from "./pure/Hours.ts"
import * as Menu from "./pure/Menu.ts"
import * as Question from "./pure/Question.ts"

/** The offline model, for the bakery's tools `menu_item`, `opening_hours` and, where it is offered, `place_order`. */
export const layer: Layer.Layer<Model.Model> = Layer.succeed(
  Model.Model,
  Model.Model.of({
    info: { provider: "levain", model: "offline" },
    reply: (request, sink) =>
      Effect.suspend(() => {
        const said = reply(request)
        return said.text === undefined ? Effect.succeed(said) : Effect.as(sink({ _tag: "Text", text: said.text }), said)
      })
  })
)

/** The rules: the same request always gives the same reply. */
export const reply = (request: Model.ModelRequest): Reply.ModelReply => {
  const begin = request.transcript.findLastIndex((message) => message._tag === "Task")
  const task = request.transcript[begin]
  const rounds = roundsOf(request.transcript.slice(begin + 1))
  const text = task?._tag === "Task" && task.text !== Transcript.emptyTask ? task.text : ""
  const question = Question.read(text)
  const offered = new Set(request.isLast === true ? [] : request.tools.map((tool) => tool.name))
  const first = plan(question)
  const usage = estimate(request.transcript.at(-1))
  const placed = rounds.flatMap(([calls, results]) => calls[0]?.name === "place_order" ? results : [])[0]
  const [asked, again] = rounds.filter(([calls]) => calls[0]?.name !== "place_order")
  if (asked === undefined) {
    const lookUps = first.filter((lookUp) => offered.has(lookUp.name))
    const refusal = cannotRead(question, lookUps)
    return refusal === undefined ? ask(lookUps, called(request.transcript), usage) : answer(refusal, usage)
  }
  const findings = findingsOf(asked, first)
  const second = followUps(question, findings)
  if (again === undefined && second.length > 0 && offered.has("menu_item")) {
    return ask(second, called(request.transcript), usage)
  }
  const all = again === undefined ? findings : afterSecond(findings, second, findingsOf(again, second))
  const known = all.filter((finding) => !isWholeMenu(finding))
  if (placed !== undefined) return answer(Draft.afterOrder(placed, Draft.write(question, known)), usage)
  const order = offered.has("place_order") ? Draft.orderOf(question, known) : undefined
  return order === undefined
    ? answer(Draft.write(question, known), usage)
    : ask([{ name: "place_order", input: order }], called(request.transcript), usage)
}

/** A call, and what of the question it is for. */
interface LookUp {
  readonly name: "menu_item" | "opening_hours" | "place_order"
  readonly input: { readonly name: string } | { readonly day: Day } | Draft.OrderInput
  readonly amount?: Amount | undefined
  readonly instead?: string
}

/** Every look-up that a question calls for. */
const plan = (question: Question.Question): ReadonlyArray<LookUp> => [
  ...question.items.map(({ amount, name }): LookUp => ({ name: "menu_item", input: { name }, amount })),
  ...(question.asksMenu ? [menuLookUp] : []),
  ...daysToAsk(question).map((day): LookUp => ({ name: "opening_hours", input: { day } }))
]

/** No item has this name, so the tool says which there are. */
const wholeMenu = "whole menu"
const menuLookUp: LookUp = { name: "menu_item", input: { name: wholeMenu } }

const isWholeMenu = (finding: Draft.Finding): boolean => finding._tag === "Missing" && finding.name === wholeMenu

const daysToAsk = ({ asksHours, times, when }: Question.Question): ReadonlyArray<Day> => {
  if (when.days.length > 0) return when.days
  return asksHours || times.length > 0 || when.relative !== undefined || when.date !== undefined ? days : []
}

const cannotRead = (question: Question.Question, lookUps: ReadonlyArray<LookUp>): string | undefined => {
  if (question.language === "nothing") return `There is no question here. ${Draft.canAnswer}`
  if (question.language === "foreign") return `I can read English only. ${Draft.canAnswer}`
  return lookUps.length === 0
    ? `I cannot answer that from the menu or the opening hours: please ask a person here. ${Draft.canAnswer}`
    : undefined
}

/** What to look up once the menu is known: all of it where it was asked for, and the nearest to a name that it does not have. */
const followUps = (question: Question.Question, findings: ReadonlyArray<Draft.Finding>): ReadonlyArray<LookUp> =>
  findings.flatMap((finding, i): ReadonlyArray<LookUp> => {
    if (finding._tag !== "Missing") return []
    if (isWholeMenu(finding)) {
      const known = findings.flatMap((other) => other._tag === "Found" ? [other.item.name] : [])
      return finding.menu.filter((name) => !known.includes(name)).map((name) => ({
        name: "menu_item",
        input: { name },
        amount: question.ofEach
      }))
    }
    const name = Menu.nearest(finding.menu, finding.name)
    const amount = question.items[i]?.amount === undefined ? undefined : "unclear"
    return name === undefined ? [] : [{ name: "menu_item", input: { name }, amount, instead: finding.name }]
  })

/** A name for which another one was found is not missing any more. */
const afterSecond = (
  findings: ReadonlyArray<Draft.Finding>,
  second: ReadonlyArray<LookUp>,
  found: ReadonlyArray<Draft.Finding>
): ReadonlyArray<Draft.Finding> => [
  ...findings.filter((finding) =>
    finding._tag !== "Missing" || !second.some(({ instead }) => instead === finding.name)
  ),
  ...found
]

type Round = readonly [calls: ReadonlyArray<ToolCall.ToolCall>, results: ReadonlyArray<ToolCall.ToolResult>]

const roundsOf = (messages: Transcript.Transcript): ReadonlyArray<Round> =>
  messages.flatMap((message, i): ReadonlyArray<Round> => {
    const results = messages[i + 1]
    return message._tag === "ToolCalls" ? [[message.calls, results?._tag === "Results" ? results.results : []]] : []
  })

/** The look-ups of a round are those that were planned, so each finding takes its amount from there. */
const findingsOf = ([calls, results]: Round, planned: ReadonlyArray<LookUp>): ReadonlyArray<Draft.Finding> =>
  calls.flatMap((call, i) => {
    const result = results[i]
    return result === undefined ? [] : [findingOf(call, result, planned[i])]
  })

const fromJson = <A>(schema: Schema.ConstraintCodec<A, unknown>) =>
  Schema.decodeUnknownOption(Schema.fromJsonString(schema))
const decodeItem = fromJson(Menu.Item)
const decodeHours = fromJson(Schema.Struct({ day: Day, hours: Hours }))
const decodeInput = Schema.decodeUnknownOption(
  Schema.Struct({ name: Schema.optionalKey(Schema.String), day: Schema.optionalKey(Schema.String) })
)

const findingOf = (
  call: ToolCall.ToolCall,
  result: ToolCall.ToolResult,
  planned: LookUp | undefined
): Draft.Finding => {
  const content = typeof result.content === "string" ? result.content : ""
  const input = Option.getOrElse(decodeInput(call.input), () => ({}))
  const what = "name" in input ? input.name : "day" in input ? input.day : call.name
  const item = decodeItem(content)
  if (Option.isSome(item)) {
    const instead = planned?.instead === undefined ? {} : { instead: planned.instead }
    return { _tag: "Found", item: item.value, amount: planned?.amount, ...instead }
  }
  const hours = decodeHours(content)
  if (Option.isSome(hours)) return { _tag: "Hours", ...hours.value }
  const menu = content.match(/^notFound: .* It has: (.*)\.$/s)?.[1]
  if (menu === "" && what === wholeMenu) return { _tag: "Failed", what: "the menu", why: "it has no items." }
  if (call.name === "menu_item" && menu !== undefined) {
    return { _tag: "Missing", name: what ?? "", menu: menu === "" ? [] : menu.split(", ") }
  }
  return { _tag: "Failed", what: what ?? call.name, why: content }
}

/** How many calls were asked for so far: the next one's number in the conversation. */
const called = (transcript: Transcript.Transcript): number =>
  transcript.reduce((sum, message) => sum + (message._tag === "ToolCalls" ? message.calls.length : 0), 0)

const ask = (lookUps: ReadonlyArray<LookUp>, before: number, usage: Usage.Usage): Reply.ModelReply => {
  const [first, ...rest] = lookUps.map(({ input, name }, i): ToolCall.ToolCall => ({
    id: `c${before + i + 1}`,
    name,
    input
  }))
  return first === undefined
    ? answer(Draft.canAnswer, usage)
    : {
      _tag: "ToolCalls",
      calls: [first, ...rest],
      usage: spoken(usage, JSON.stringify([first, ...rest].map(({ input, name }) => ({ name, input }))))
    }
}

const answer = (text: string, usage: Usage.Usage): Reply.ModelReply => ({
  _tag: "Answer",
  text,
  usage: spoken(usage, text)
})

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

const estimate = (newest: Transcript.Message | undefined): Usage.Usage =>
  Usage.make({ input: tokensOf(JSON.stringify(newest ?? "")), cost: 0 })

const spoken = (usage: Usage.Usage, said: string): Usage.Usage => ({ ...usage, output: tokensOf(said) })
