/**
 * What a JSON Schema asks for that no provider holds a model to, in words: they go into the description, where the model reads them, and
 * the decoder holds them.
 */
import * as Json from "./Json.ts"

type JsonSchema = Json.JsonObject

/** A node without its `allOf` and without what is said in words, and the words. */
export interface Told {
  readonly flat: JsonSchema
  readonly words: ReadonlyArray<string>
}

/** Where two parts of a node say the same keyword differently, the second one's is said in words. */
export const tell = ({ allOf, ...own }: JsonSchema): Told =>
  (Array.isArray(allOf) ? allOf.filter(Json.isObject) : []).map(tell).reduce(both, tellOne(own))

const tellOne = ({ [expectation]: expected, ...node }: JsonSchema): Told => {
  const unheld = Object.keys(node).filter((keyword) => keyword in inWords && !isHeld(node, keyword))
  const flat = without(node, unheld)
  const needed = unheld.length > 0 || Object.keys(node).every((keyword) => mute.has(keyword))
  return typeof expected === "string" && needed && !plainWords.has(expected)
    ? { flat, words: [expected] }
    : { flat, words: unheld.map((keyword) => say(node, keyword)) }
}

const both = (a: Told, b: Told): Told => {
  const twice = Object.keys(b.flat).filter((keyword) => keyword in inWords && keyword in a.flat)
  const description = [a.flat["description"], b.flat["description"]].filter((text) => typeof text === "string").join(
    " "
  )
  return {
    flat: { ...a.flat, ...without(b.flat, twice), ...(description === "" ? {} : { description }) },
    words: [...a.words, ...b.words, ...twice.map((keyword) => say(b.flat, keyword))]
  }
}

const without = (node: JsonSchema, keywords: ReadonlyArray<string>): JsonSchema =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)))

/** The description of a node: its own, and the words in brackets. */
export const describe = ({ description }: JsonSchema, words: ReadonlyArray<string>): JsonSchema => {
  const all = [
    ...(typeof description === "string" ? [description] : []),
    ...(words.length > 0 ? [`(${words.join(", ")})`] : [])
  ]
  return all.length === 0 ? {} : { description: all.join(" ") }
}

/** What a check or a conversion expects, in Effect's words. No keyword of JSON Schema: `withExpected` adds it, and it is never sent. */
const expectation = "x-expected"

/** Expectations that the type says already. */
const plainWords: ReadonlySet<string> = new Set(["an integer", "a finite number"])

/** Keywords that say nothing of the values a node takes but their type. */
const mute: ReadonlySet<string> = new Set(["type", "description", "title", "examples", "default"])

/**
 * A JSON Schema with what its nodes expect in words, as Effect knows in words what it cannot write as a keyword. `described` is `plain`
 * with descriptions generated where there were none: those are expectations.
 */
export const withExpected = (plain: Json.Json, described: Json.Json): Json.Json => {
  const own = new Set(descriptions(plain))
  const walk = (json: Json.Json): Json.Json => {
    if (Array.isArray(json)) return json.map(walk)
    if (!Json.isObject(json)) return json
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) =>
        key === "description" && typeof value === "string" && !own.has(value)
          ? [expectation, value]
          : [key, walk(value)]
      )
    )
  }
  return walk(described)
}

const descriptions = (json: Json.Json): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(descriptions)
  if (!Json.isObject(json)) return []
  const { description } = json
  return [...(typeof description === "string" ? [description] : []), ...Object.values(json).flatMap(descriptions)]
}

/** Words for the keywords a provider does not hold a model to. */
const inWords: { readonly [keyword: string]: (value: string) => string } = {
  minimum: (n) => `at least ${n}`,
  maximum: (n) => `at most ${n}`,
  exclusiveMinimum: (n) => `more than ${n}`,
  exclusiveMaximum: (n) => `less than ${n}`,
  multipleOf: (n) => `a multiple of ${n}`,
  minLength: (n) => n === "1" ? "not empty" : `at least ${n} characters`,
  maxLength: (n) => `at most ${n} characters`,
  minItems: (n) => `at least ${n} items`,
  maxItems: (n) => `at most ${n} items`,
  uniqueItems: () => "no item twice",
  pattern: (p) => `matching ${p}`,
  format: (f) => `in the format ${f}`
}

const say = (node: JsonSchema, keyword: string): string => inWords[keyword]?.(Json.word(node[keyword] ?? null)) ?? ""

/** True where a keyword needs no words: a provider holds the model to it, or it says nothing. */
const needsNoWords: { readonly [keyword: string]: (value: string) => boolean } = {
  minimum: (n) => n === String(Number.MIN_SAFE_INTEGER),
  maximum: (n) => n === String(Number.MAX_SAFE_INTEGER),
  minItems: (n) => n === "0" || n === "1",
  uniqueItems: (yes) => yes !== "true",
  pattern: (p) => isSimple(p),
  format: (f) => formats.has(f)
}

const formats: ReadonlySet<string> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid"
])

/** Providers take no look-around, back-reference, word boundary, Unicode class or Unicode escape. */
const isSimple = (pattern: string): boolean => !/\(\?|\\[1-9bBkpPu]/.test(pattern)

/** The keywords that a provider holds a model to, where their values allow it. */
export const held: ReadonlyArray<string> = ["pattern", "format", "minItems"]

/** The keywords that `tell` takes care of. */
export const keywords: ReadonlyArray<string> = [...Object.keys(inWords), expectation]

const isHeld = (node: JsonSchema, keyword: string): boolean => {
  const value = node[keyword]
  return value !== undefined && needsNoWords[keyword]?.(Json.word(value)) === true
}
