/**
 * A customer's question as plain rules read it: which items and how many, which days, which times, and what else it asks. The
 * rules know English and no menu: what the bakery has is for the tools to say.
 */
import type { Amount } from "./Amounts.ts"
import * as Days from "./Days.ts"
import { type Language, languageOf } from "./Language.ts"
import { tidy } from "./Spelling.ts"
import { readTimes, type Time } from "./Times.ts"
import { mark, readItems, type Wanted } from "./Wanted.ts"
import * as Words from "./Words.ts"

export interface Question {
  readonly items: ReadonlyArray<Wanted>
  /** How many it asks for of everything there is: `one of each`. */
  readonly ofEach: Amount | undefined
  readonly when: Days.Reading
  readonly times: ReadonlyArray<Time>
  /** What it asks that neither the menu nor the hours tell: `vegan`, `delivery`. */
  readonly untold: ReadonlyArray<string>
  /** It asks what is in an item, so that a word the menu does not have is no item that is missing. */
  readonly asksContents: boolean
  /** It asks what something costs. */
  readonly asksPrice: boolean
  /** It asks what there is. */
  readonly asksMenu: boolean
  /** It asks when the bakery is open. */
  readonly asksHours: boolean
  readonly language: Language
}

/** Reads a question. Total: any text is a question, if only one that asks nothing. */
export const read = (text: string): Question => {
  const tidied = tidy(text)
  const { rest, times } = readTimes(Days.withoutDates(tidied))
  const tokens = rest.match(Days.token) ?? []
  const wanted = readItems(tokens.map((word, i) => Days.dayAt(tokens, i) === undefined ? word : mark))
  const language = languageOf(tidied)
  const english = language === "english"
  const untold = english ? untoldIn(tidied, new Set(wanted.unread)) : []
  const asksPrice = priceWords.test(tidied)
  const superlative = superlatives.test(tidied)
  const items = english ? wanted.items.filter(({ name }) => !(superlative && generic.test(name))) : []
  const ofEach = items.length === 0 && english ? wanted.ofEach : undefined
  return {
    items,
    ofEach,
    when: Days.read(tidied),
    times,
    untold,
    asksContents: contentWords.test(tidied),
    asksPrice,
    asksMenu: menuWords.test(tidied) || superlative || ofEach !== undefined ||
      ((asksPrice || noticeWords.test(tidied)) && items.length === 0 && untold.length === 0),
    asksHours: hoursWords.test(tidied.replace(/\d+ hours?/g, "")),
    language
  }
}

const priceWords =
  /\bhow much\b|\bhow many\b.*\bmoney\b|\bprices?\b|\bpriced\b|\bpricing\b|\bcosts?\b|\bcharge\b|\bmoney\b/

const noticeWords =
  /\bnotice\b|\bpre-?order\b|\bin advance\b|\bahead\b|\b(?:when|what day|which day) (?:should|do|must) (?:i|we) order\b/

const superlatives = /\bcheapest\b|\bpriciest\b|\b(?:most|least) expensive\b|\beverything\b/

/** What is not one item but a kind of them. */
const generic = /^(?:cheapest |priciest )?(?:breads?|loaf|loaves|rolls?|buns?|pastry|pastries|cakes?)$/

const menuWords =
  /\bmenu\b|\bwhat (?:else )?(?:do|can|did|are) you (?:have|sell|selling|bake|baking|make|offer|got|do|serve)\b|\bwhat (?:kinds?|sorts?|types?|breads?|pastries)\b|\bwhat (?:is )?(?:available|on offer|there)\b|\bprice list\b|\byour (?:prices|selection|range|products)\b|\b(?:which|what) (?:items?|things?)\b|\bwhat needs\b|\bwhat (?:can|could|should) (?:i|we) (?:still )?(?:get|buy|order|have)\b|\banything (?:available|left|ready)\b/

const hoursWords =
  /\bopen(?:ing|s)?\b|\bclos(?:e|es|ed|ing)\b|\bhours\b|\bshut\b|\b(?:what|which) (?:days?|times?)\b|\bhow (?:late|early)\b|\bwhen (?:can|could|may|should|do|are) (?:i|we|you)\b/

const contentWords =
  /\bcontain\w*|\bmade (?:with|of|from|using|out)\b|\bingredients?\b|\ballerg\w*|\bintoleran\w*|\bc(?:o)?eliac\b|\b(?:in|on|inside) (?:it|them|the|your|those|these) (?:\p{L}+ )?(?:rolls?|buns?|loaf|loaves|bread|rye|sourdough)\b|\b(?:rolls?|buns?|loaf|loaves|bread|rye|sourdough) (?:have|has|use|come with)\b|\b(?:do|does) (?:the|your|these|those) .*\b(?:have|use)\b/u

/** What it asks beyond items, days and times: words for that, what an item is made with, and what no rule reads. */
const untoldIn = (text: string, unread: ReadonlySet<string>): ReadonlyArray<string> => {
  const words = text.match(/\p{L}[\p{L}\p{M}'-]*/gu) ?? []
  const asked = (text.match(/[^.!?;,]+[.!?;,]*/g) ?? []).filter((clause) =>
    clause.includes("?") ||
    /^[ ,]*(?:\w+,? )?(?:do|does|can|could|is|are|will|would|how|what|which|why|who|where)\b/.test(clause)
  )
  const names = [...text.matchAll(/\bname(?: is| of)? (\p{L}+)/gu)].map(([, name]) => name)
  const isAsked = (word: string): boolean => !names.includes(word) && asked.some((clause) => clause.includes(word))
  const told = words.filter((word) =>
    Words.traits.has(word) || Words.topics.has(word) || word.endsWith("-free") ||
    (unread.has(word) && (Words.ingredients.has(word) || isAsked(word)))
  )
  const openers = text.match(
    /\b(?:why|who|where|how (?:long|old|far (?:away|is|are|from))|left|in stock|sold out)\b|\bhow many\b[^.?!]*\bdo you (?:have|make)\b|\bfresh ?\?/g
  ) ?? []
  return [
    ...new Set([
      ...told,
      ...openers.map((words) => words.startsWith("how many") ? "how many" : words.replace(/ ?\?/, ""))
    ])
  ]
}
