/**
 * How many: an amount as its words stand in a text. An amount that is said but not clear (`a few`, `10-12`, `2 bags`, `half a
 * loaf`) is never turned into a number that could be priced.
 */
import * as Words from "./Words.ts"

/** A whole number above zero, or that the words for it are not clear. */
export type Amount = number | "unclear"

/** An amount and the place behind its words; without an amount, the place where it was looked for. */
export interface Read {
  readonly amount: Amount | undefined
  readonly end: number
}

/** Reads an amount that begins at a token, with the containers, pieces and multiplications that belong to it. */
export const read = (tokens: ReadonlyArray<string>, start: number): Read => {
  const found = alone(tokens, readWhole(tokens, start))
  if (found === undefined) return { amount: undefined, end: start }
  const clear = Number.isInteger(found.value) && found.value > 0
  return { amount: clear ? found.value : "unclear", end: skip(tokens, found.end, ofs) }
}

/** The product of two amounts, as long as both are clear. */
export const times = (a: Amount, b: Amount): Amount => a === "unclear" || b === "unclear" ? "unclear" : a * b

/** The sum of two amounts, as long as both are clear. */
export const plus = (a: Amount, b: Amount): Amount => a === "unclear" || b === "unclear" ? "unclear" : a + b

/** Inside, what is not clear is not a number: it stays so through all arithmetic. */
interface Value {
  readonly value: number
  readonly end: number
}

const unclear = (end: number): Value => ({ value: NaN, end })

const ofs: ReadonlySet<string> = new Set(["of"])
const joints: ReadonlySet<string> = new Set(["-", "–", "to", "or", "maybe", "perhaps"])
const commas: ReadonlySet<string> = new Set([","])
const crosses: ReadonlySet<string> = new Set(["x", "×", "*"])

const skip = (tokens: ReadonlyArray<string>, at: number, words: ReadonlySet<string>): number =>
  words.has(tokens[at] ?? "") ? at + 1 : at

/** Numbers in a row that no rule joins are no clear number: `2 500`. */
const alone = (tokens: ReadonlyArray<string>, found: Value | undefined): Value | undefined => {
  let run = found
  while (run !== undefined && !Words.articles.has(tokens[run.end] ?? "")) {
    const next = readOne(tokens, run.end)
    if (next === undefined) break
    run = unclear(next.end)
  }
  return run
}

const readWhole = (tokens: ReadonlyArray<string>, start: number): Value | undefined => {
  if (tokens[start] === "minus") {
    const below = readOne(tokens, start + 1)
    return below === undefined ? undefined : unclear(below.end)
  }
  const between = tokens[start] === "between"
  const first = readOne(tokens, between ? start + 1 : start)
  if (first === undefined) return undefined
  const joint = between ? first.end : skip(tokens, first.end, commas)
  const joined = between ? tokens[joint] === "and" : joints.has(tokens[joint] ?? "")
  const second = joined ? readOne(tokens, joint + 1) : undefined
  if (second !== undefined) return readPacked(tokens, unclear(second.end))
  return between ? undefined : readPacked(tokens, readRepeated(tokens, first))
}

/** `12 (twelve)` says a number twice. */
const readRepeated = (tokens: ReadonlyArray<string>, first: Value): Value => {
  if (tokens[first.end] !== "(") return first
  const again = readOne(tokens, first.end + 1)
  if (again === undefined || tokens[again.end] !== ")") return first
  return { value: again.value === first.value ? first.value : NaN, end: again.end + 1 }
}

/** `3 x 12`, `3 bags of 6`, `two 12-packs`, `24 pieces`, `2 x`; a bag of no number holds nobody knows how many. */
const readPacked = (tokens: ReadonlyArray<string>, first: Value): Value => {
  const next = tokens[first.end] ?? ""
  if (Words.pieces.has(next)) return { ...first, end: first.end + 1 }
  if (crosses.has(next)) {
    const second = readOne(tokens, first.end + 1)
    return second === undefined ? { ...first, end: first.end + 1 } : multiply(first, second)
  }
  if (Words.containers.has(next)) {
    const inside = readOne(tokens, skip(tokens, first.end + 1, withs))
    if (inside !== undefined) return multiply(first, inside)
    return { value: next === "pack" && first.value > 1 ? first.value : NaN, end: first.end + 1 }
  }
  const packed = Words.articles.has(next) ? undefined : readOne(tokens, first.end)
  return packed !== undefined && Words.containers.has(tokens[packed.end] ?? "")
    ? multiply(first, { ...packed, end: packed.end + 1 })
    : first
}

const withs: ReadonlySet<string> = new Set(["of", "with"])

const multiply = (first: Value, second: Value): Value => ({ value: first.value * second.value, end: second.end })

/** One quantity: `24`, `two dozen`, `half a dozen`, `three quarters of a dozen`, `a dozen and a half`, `a few`. */
const readOne = (tokens: ReadonlyArray<string>, start: number): Value | undefined => {
  const article = Words.articles.has(tokens[start] ?? "")
  const at = article ? start + 1 : start
  const word = tokens[at] ?? ""
  const part = readPart(tokens, at)
  if (part !== undefined) return part
  if (Words.vague.has(word)) return unclear(afterMultiples(tokens, at + 1))
  if (Words.multiples.has(word)) {
    const bare = !article && word.endsWith("s")
    return bare ? unclear(afterMultiples(tokens, at)) : readMultiples(tokens, { value: 1, end: at })
  }
  const number = readNumber(tokens, at)
  if (number !== undefined) return readMultiples(tokens, number)
  return article ? { value: 1, end: at } : undefined
}

/** `half a dozen`, `half dozen`, `quarter of a dozen`, `three quarters of a dozen`; without a dozen it is a part of one. */
const readPart = (tokens: ReadonlyArray<string>, at: number): Value | undefined => {
  const counted = Words.parts.has(tokens[at] ?? "") ? undefined : readNumber(tokens, at)
  const place = counted?.end ?? at
  const part = Words.parts.get(tokens[place] ?? "")
  if (part === undefined) return undefined
  const value = part * (counted?.value ?? 1)
  const dozen = dozenAt(tokens, place + 1)
  return dozen === undefined
    ? { value, end: skip(tokens, skip(tokens, place + 1, ofs), Words.articles) }
    : readMultiples(tokens, { value, end: dozen })
}

/** A number of one or two words: `24`, `twenty four`, `twenty-four`. `10-12`, `1.000` and `1e3` are no clear number. */
const readNumber = (tokens: ReadonlyArray<string>, at: number): Value | undefined => {
  const value = numberOf(tokens[at] ?? "")
  if (value === undefined) return undefined
  const unit = Words.numbers.get(tokens[at + 1] ?? "")
  const joins = value >= 20 && value % 10 === 0 && unit !== undefined && unit > 0 && unit < 10
  return joins && !/^\d/.test(tokens[at] ?? "")
    ? { value: value + unit, end: at + 2 }
    : { value, end: at + 1 }
}

const numberOf = (token: string): number | undefined => {
  if (/^\d+(st|nd|rd|th)$/.test(token)) return undefined
  if (/^\d+(\.\d{1,2})?$/.test(token)) return Number.parseFloat(token)
  if (/^\d/.test(token)) return NaN
  const [tens, unit, ...rest] = token.split("-").map((part) => Words.numbers.get(part))
  if (tens === undefined || rest.length > 0) return undefined
  if (!token.includes("-")) return tens
  return unit === undefined ? undefined : tens >= 20 && unit < 10 ? tens + unit : NaN
}

/**
 * What multiplies a number, and what joins it behind: `two and a half dozen`, `a hundred and twenty`, `a dozen and a half`. Only
 * smaller ones join a hundred.
 */
const readMultiples = (tokens: ReadonlyArray<string>, number: Value, below = Infinity): Value => {
  const half = afterHalf(tokens, number.end)
  const halved = half === undefined ? number : { value: number.value + 0.5, end: half }
  const at = skip(tokens, halved.end, ofs)
  const multiple = Words.multiples.get(tokens[at] ?? "")
  if (multiple === undefined || multiple >= below) return halved
  const whole = { value: halved.value * multiple, end: at + 1 }
  const more = afterHalf(tokens, whole.end)
  const own = more === undefined ? undefined : dozenAt(tokens, more)
  if (own !== undefined) return unclear(own + 1)
  if (more !== undefined) return { value: whole.value + multiple / 2, end: more }
  const again = Words.multiples.get(tokens[whole.end] ?? "")
  if (again !== undefined) return { value: whole.value * again, end: whole.end + 1 }
  const added = multiple < 100 ? undefined : readNumber(tokens, skip(tokens, whole.end, ands))
  const rest = added === undefined ? undefined : readMultiples(tokens, added, multiple)
  return rest !== undefined && rest.value < multiple ? { value: whole.value + rest.value, end: rest.end } : whole
}

const ands: ReadonlySet<string> = new Set(["and"])

/** The place behind `and a half`. */
const afterHalf = (tokens: ReadonlyArray<string>, at: number): number | undefined => {
  if (tokens[at] !== "and") return undefined
  const half = skip(tokens, at + 1, Words.articles)
  return tokens[half] === "half" ? half + 1 : undefined
}

/** The place of the dozen that a part is of: `half (of) (a) dozen`. */
const dozenAt = (tokens: ReadonlyArray<string>, at: number): number | undefined => {
  const dozen = skip(tokens, skip(tokens, at, ofs), Words.articles)
  return Words.multiples.has(tokens[dozen] ?? "") ? dozen : undefined
}

const afterMultiples = (tokens: ReadonlyArray<string>, start: number): number => {
  const at = skip(tokens, start, ofs)
  return Words.multiples.has(tokens[at] ?? "") ? at + 1 : start
}
