/**
 * A model that needs no key and no network: plain rules for questions about a bakery, and nothing cleverer. It asks the
 * tools for every item and day a question names, in one turn, and drafts an answer from what they say. Like any model it keeps
 * nothing between two requests. It costs nothing, and its tokens are an estimate that lets limits be tried: one for every four
 * characters of the newest turn and of the reply.
 */
import { Model, type Reply, type ToolCall, Transcript, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Draft from "./pure/Draft.ts"
import { Day, days, Hours } from "./pure/Hours.ts"
import { Item } from "./pure/Menu.ts"
import * as Question from "./pure/Question.ts"

/** The offline model, for the bakery's tools `menu_item` and `opening_hours`. */
export const layer: Layer.Layer<Model.Model> = Layer.succeed(
  Model.Model,
  Model.Model.of({
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
  const rounds = request.transcript.slice(begin + 1)
  const text = task?._tag === "Task" && task.text !== Transcript.emptyTask ? task.text : ""
  const question = Question.read(text)
  const offered = new Set(request.tools.map((tool) => tool.name))
  const lookUps = plan(question).filter((lookUp) => offered.has(lookUp.name))
  const usage = estimate(request.transcript.at(-1))
  if (rounds.length === 0) {
    const refusal = cannotRead(question, lookUps)
    return refusal === undefined ? ask(lookUps, called(request.transcript), usage) : answer(refusal, usage)
  }
  const findings = findingsOf(rounds)
  const menu = wholeMenu(question, findings, rounds)
  return menu.length > 0
    ? ask(menu, called(request.transcript), usage)
    : answer(Draft.write(question, withAmounts(question, findings)), usage)
}

interface LookUp {
  readonly name: "menu_item" | "opening_hours"
  readonly input: { readonly name: string } | { readonly day: Day }
}

/** Every look-up that a question calls for. */
const plan = (question: Question.Question): ReadonlyArray<LookUp> => [
  ...question.items.map(({ name }): LookUp => ({ name: "menu_item", input: { name } })),
  ...(question.asksMenu && question.items.length === 0 ? [menuLookUp] : []),
  ...daysToAsk(question).map((day): LookUp => ({ name: "opening_hours", input: { day } }))
]

/** No item has this name, so the tool says which there are. */
const menuLookUp: LookUp = { name: "menu_item", input: { name: "whole menu" } }

const daysToAsk = (question: Question.Question): ReadonlyArray<Day> => {
  if (question.days.length > 0) return question.days
  return question.asksHours || question.times.length > 0 || question.relativeDay !== undefined ? days : []
}

const cannotRead = (question: Question.Question, lookUps: ReadonlyArray<LookUp>): string | undefined => {
  if (question.language === "nothing") return `There is no question here. ${Draft.canAnswer}`
  if (question.language === "foreign") return `I can read English only. ${Draft.canAnswer}`
  return lookUps.length === 0
    ? `I cannot answer that from the menu or the opening hours. ${Draft.canAnswer}`
    : undefined
}

/** Once the menu is known and nothing else was asked about, its items are looked up too. */
const wholeMenu = (
  question: Question.Question,
  findings: ReadonlyArray<Draft.Finding>,
  rounds: Transcript.Transcript
): ReadonlyArray<LookUp> => {
  if (!question.asksMenu || question.items.length > 0 || rounds.length > 2) return []
  const [menu] = findings.flatMap((finding) => finding._tag === "Missing" ? [finding.menu] : [])
  return (menu ?? []).map((name) => ({ name: "menu_item", input: { name } }))
}

const isMenuQuestion = (call: ToolCall.ToolCall): boolean =>
  JSON.stringify(call.input) === JSON.stringify(menuLookUp.input)

const findingsOf = (rounds: Transcript.Transcript): ReadonlyArray<Draft.Finding> => {
  const listed = rounds.length > 2
  const calls = rounds.flatMap((message) => message._tag === "ToolCalls" ? message.calls : [])
  const results = rounds.flatMap((message) => message._tag === "Results" ? message.results : [])
  return calls.flatMap((call, i) => {
    const result = results[i]
    return result === undefined || (listed && isMenuQuestion(call)) ? [] : [findingOf(call, result)]
  })
}

const fromJson = <A>(schema: Schema.ConstraintCodec<A, unknown>) =>
  Schema.decodeUnknownOption(Schema.fromJsonString(schema))
const decodeItem = fromJson(Item)
const decodeHours = fromJson(Schema.Struct({ day: Day, hours: Hours }))
const decodeInput = Schema.decodeUnknownOption(
  Schema.Struct({ name: Schema.optionalKey(Schema.String), day: Schema.optionalKey(Schema.String) })
)

const findingOf = (call: ToolCall.ToolCall, result: ToolCall.ToolResult): Draft.Finding => {
  const content = typeof result.content === "string" ? result.content : ""
  const input = Option.getOrElse(decodeInput(call.input), () => ({}))
  const what = "name" in input ? input.name : "day" in input ? input.day : call.name
  const item = decodeItem(content)
  if (Option.isSome(item)) return { _tag: "Found", item: item.value, amount: undefined }
  const hours = decodeHours(content)
  if (Option.isSome(hours)) return { _tag: "Hours", ...hours.value }
  const menu = content.match(/^notFound: .* It has: (.+)\.$/s)?.[1]
  if (call.name === "menu_item" && menu !== undefined) {
    return { _tag: "Missing", name: what ?? "", menu: menu.split(", ") }
  }
  return { _tag: "Failed", what: what ?? call.name, why: content }
}

/** The question's amounts, in the order its items were looked up: they come first in the plan. */
const withAmounts = (
  question: Question.Question,
  findings: ReadonlyArray<Draft.Finding>
): ReadonlyArray<Draft.Finding> =>
  findings.map((finding, i) => finding._tag === "Found" ? { ...finding, amount: question.items[i]?.amount } : finding)

/** How many calls were asked for so far: the next one's number in the conversation. */
const called = (transcript: Transcript.Transcript): number =>
  transcript.reduce((sum, message) => sum + (message._tag === "ToolCalls" ? message.calls.length : 0), 0)

const ask = (lookUps: ReadonlyArray<LookUp>, before: number, usage: Usage.Usage): Reply.ModelReply => {
  const [first, ...rest] = lookUps.map((lookUp, i): ToolCall.ToolCall => ({ id: `c${before + i + 1}`, ...lookUp }))
  return first === undefined
    ? answer(Draft.canAnswer, usage)
    : { _tag: "ToolCalls", calls: [first, ...rest], usage: spoken(usage, JSON.stringify(lookUps)) }
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
