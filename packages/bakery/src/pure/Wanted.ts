/**
 * The items that a text names and how many of each, by its words alone. What it does not know to be an item it leaves out, and an
 * amount that is not clear stays so.
 */
import * as Amounts from "./Amounts.ts"
import * as Words from "./Words.ts"

/** An item a question names, in its words. `amount` is there when it says how many. */
export interface Wanted {
  readonly name: string
  readonly amount: Amounts.Amount | undefined
}

/** What is wanted, how many `of each` of whatever there is, and words that nothing was made of. */
export interface Reading {
  readonly items: ReadonlyArray<Wanted>
  readonly ofEach: Amounts.Amount | undefined
  readonly unread: ReadonlyArray<string>
}

/** What ends a phrase: a day, a time, or anything else that is no item. */
export const mark = "|"

/** Walks the words: a number opens an amount, the words after it that are no plain English are the item. */
export const readItems = (tokens: ReadonlyArray<string>): Reading => {
  const items: Array<Found> = []
  const unread: Array<string> = []
  const heads = headsIn(tokens)
  let each: Amounts.Amount | undefined = undefined
  let ofEach: Amounts.Amount | undefined = undefined
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i] ?? ""
    if (/^[.;?!]$/.test(token)) each = undefined
    const opened = Amounts.read(tokens, i)
    if (opened.amount !== undefined && /^(?:each|everything)$/.test(tokens[opened.end] ?? "")) {
      ofEach = heads === undefined ? opened.amount : Amounts.times(opened.amount, heads)
      if (items.every(({ amount }) => amount !== undefined)) each = ofEach
      else items.splice(0, items.length, ...items.map((item) => ({ ...item, amount: item.amount ?? ofEach })))
      i = opened.end + (/^(?:of|:)$/.test(tokens[opened.end + 1] ?? "") ? 2 : 1)
      continue
    }
    const phrase = readPhrase(tokens, opened.end)
    const said = isRefused(tokens, i) ? undefined : opened.amount
    if (isItem(phrase, said, tokens, i)) {
      const item = readAmounts(tokens, phrase, said, Words.articles.has(token), heads)
      items.push({ ...item, amount: item.amount ?? each })
      i = item.end
      continue
    }
    const last = items.pop()
    if (last !== undefined) items.push(mended(last, tokens, i, opened))
    unread.push(...phrase.words.filter((word) => !Words.uncounted.has(word) && !Words.people.has(word)))
    i = Math.max(phrase.words.length > 0 ? phrase.end : opened.end, i + 1)
  }
  return { items: merge(items, tokens), ofEach, unread }
}

interface Found extends Wanted {
  /** Its amount is a share that was multiplied by heads. */
  readonly shared?: boolean
  /** Its amount was read one way and could be read another, so no amount beside it is safe either. */
  readonly muddled?: boolean
}

/** The item of a phrase with the amount before or behind it. Two amounts are a muddle: `rolls 12 buns 6 rye 2`. */
const readAmounts = (
  tokens: ReadonlyArray<string>,
  phrase: Phrase,
  said: Amounts.Amount | undefined,
  article: boolean,
  heads: Amounts.Amount | undefined
): Found & { readonly end: number } => {
  const after = readTrailing(tokens, phrase.end)
  const bare = said === undefined || article
  const amount = bare ? after.amount ?? said : said
  const shared = amount !== undefined && isShare(tokens, phrase.end)
  const muddled = !bare && after.amount !== undefined
  return {
    name: phrase.words.join(" ").replace(/ of$/, "").replace(/'s\b/g, "s"),
    amount: muddled ? "unclear" : shared ? Amounts.times(amount, heads ?? "unclear") : amount,
    shared,
    muddled,
    end: after.end
  }
}

/** The last item with a number that stands alone after it, as its amount or as a correction of that. */
const mended = (last: Found, tokens: ReadonlyArray<string>, at: number, { amount, end }: Amounts.Read): Found => {
  if (amount === undefined || !standsAlone(tokens, at, end)) return last
  if (last.amount === undefined) return { ...last, amount }
  return isCorrection(tokens.slice(Math.max(0, at - 7), at)) && !isRefused(tokens, at)
    ? { ...last, amount, muddled: true }
    : last
}

const isCorrection = (tokens: ReadonlyArray<string>): boolean =>
  /\b(?:make (?:that|it)|change|changed|instead|rather|no,? wait|sorry|i mean|i meant|actually|correction|scratch that)\b/
    .test(tokens.join(" "))

/** `12 rolls or 18 rolls`, `12 rolls? 18 rolls?` */
const isDoubtful = (tokens: ReadonlyArray<string>): boolean =>
  tokens.some((token) => /^(?:or|maybe|perhaps|either)$/.test(token)) ||
  tokens.filter((token) => token === "?").length > 1

/** `instead of 12`, `not 12`, `rather than 12`. */
const isRefused = (tokens: ReadonlyArray<string>, start: number): boolean =>
  /\b(?:instead of|not|rather than)$/.test(tokens.slice(Math.max(0, start - 2), start).join(" "))

interface Phrase {
  readonly words: ReadonlyArray<string>
  readonly end: number
}

/**
 * The words that name a thing, up to the last food where there is one: asides are left out, an `of` between two of them stays, and
 * `the` or `your` begins another one. At most five, as no item is longer.
 */
const readPhrase = (tokens: ReadonlyArray<string>, start: number): Phrase => {
  const words: Array<string> = []
  let food: Phrase | undefined = undefined
  let end = start
  while (end < tokens.length && words.length < 5) {
    const token = tokens[end] ?? ""
    if (Words.determiners.has(token) && words.length > 0 && words.at(-1) !== "of") break
    if (token === "of" && words.length > 0) words.push(token)
    else if (!Words.asides.has(token) && !Words.determiners.has(token) && !Words.traits.has(token)) {
      if (!/^\p{L}/u.test(token) || Amounts.read(tokens, end).amount !== undefined) break
      const occasion = Words.occasions.has(token) && Words.foods.has(tokens[end + 1] ?? "")
      if (
        (Words.plain.has(token) && !occasion) || Words.topics.has(token) || Words.containers.has(token) || token === "x"
      ) break
      words.push(token)
      if (Words.isFood(token)) food = { words: [...words], end: end + 1 }
    }
    end = end + 1
  }
  return food ?? { words, end }
}

/** An amount behind the item: `rye loaf x 3`, `rolls - 24`, `buns: 12`, `rolls 6, …`, `rolls (24)`, `rolls 24 pieces`. */
const readTrailing = (tokens: ReadonlyArray<string>, start: number): Amounts.Read => {
  const at = /^[-–:x×(=]$/.test(tokens[start] ?? "") ? start + 1 : start
  const amount = Amounts.read(tokens, at)
  const times = /^[x×]$/.test(tokens[start] ?? "")
  const ends = times || /^(?:[.,;:|!?)]|and|please)?$/.test(tokens[amount.end] ?? "")
  return amount.amount !== undefined && !Words.articles.has(tokens[at] ?? "") && ends
    ? amount
    : { amount: undefined, end: start }
}

/** A number by itself that can only mean the item before it: `…, 20 of them`, `I'll take 8`, `make that eighteen`. */
const standsAlone = (tokens: ReadonlyArray<string>, start: number, end: number): boolean =>
  !Words.articles.has(tokens[start] ?? "") &&
  /^(?:[,:-]|get|take|want|need|like|have|reserve|that|it|to|mean|meant|actually|sorry|wait|about|around)$/.test(
    tokens[start - 1] ?? ""
  ) &&
  /^(?:[.,;|!?)]|of|please|them|for|instead|on)?$/.test(tokens[end] ?? "")

/** `2 per person`, `one each`, `a roll a head`. */
const isShare = (tokens: ReadonlyArray<string>, end: number): boolean =>
  /^(?:each|apiece|per \p{L}+|a (?:person|head|guest|kid|child)|for (?:each|every))(?: |$)/u
    .test(tokens.slice(end, end + 2).join(" "))

/** The people that a text counts. */
const headsIn = (tokens: ReadonlyArray<string>): Amounts.Amount | undefined => {
  const heads: Array<Amounts.Amount> = []
  for (let i = 0; i < tokens.length;) {
    const count = Amounts.read(tokens, i)
    const people = Words.people.has(tokens[count.end] ?? "") && !Words.articles.has(tokens[i] ?? "")
    if (people && count.amount !== undefined) heads.push(count.amount)
    i = Math.max(count.end, i + 1)
  }
  const andI = /\b(?:me|myself|us) and\b|\band (?:me|myself|i)\b/.test(tokens.join(" "))
  return heads.length > 1 || (andI && heads.length > 0) ? "unclear" : heads[0]
}

/** Whether a phrase names an item: a food, or what is counted, asked for, or all that the text says. */
const isItem = (
  phrase: Phrase,
  amount: Amounts.Amount | undefined,
  tokens: ReadonlyArray<string>,
  start: number
): boolean => {
  const { words } = phrase
  const before = tokens[start - 1] ?? ""
  if (
    before === "no" || words.length === 0 || Words.uncounted.has(words[0] ?? "") || Words.people.has(words.at(-1) ?? "")
  ) return false
  const counted = amount !== undefined && !Words.articles.has(tokens[start] ?? "")
  const ingredient = words.every((word) => Words.ingredients.has(word))
  if (ingredient) return Words.selling.has(before) || counted
  if (words.some(Words.isFood)) return true
  const alone = tokens.length < 12 &&
    tokens.filter((token) => /^[\p{L}\p{N}]/u.test(token) && !Words.asides.has(token)).length <= words.length
  const ofTopic = Words.topics.has(tokens[phrase.end] ?? "")
  return !ofTopic && (alone || (counted && amount !== 1) || Words.triggers.has(before))
}

/** Who each has a share, said before it. */
const forEach = /\beach (?:of (?:us|you|them)|person|guest|kid|child)\b/

/**
 * One entry a name: of two, the amounts add up, or the last one counts where the text corrects itself. Where it
 * is in doubt between two, and beside a share that was
 * multiplied, or a muddle, other amounts are not clear.
 */
const merge = (items: ReadonlyArray<Found>, tokens: ReadonlyArray<string>): ReadonlyArray<Wanted> => {
  const corrected = isCorrection(tokens)
  const doubtful = isDoubtful(tokens)
  const muddled = items.length > 1 && items.some((item) => item.muddled === true)
  const shared = items.some((item) => item.shared === true) || forEach.test(tokens.join(" "))
  const byName = new Map<string, Wanted>()
  for (const { amount, name, shared: own } of items) {
    const said = muddled || (shared && own !== true && amount !== undefined) ? "unclear" : amount
    const known = byName.get(name)?.amount
    const both = known !== undefined && said !== undefined
    byName.set(name, {
      name,
      amount: !both || corrected ? said ?? known : doubtful ? "unclear" : Amounts.plus(known, said)
    })
  }
  return [...byName.values()]
}
