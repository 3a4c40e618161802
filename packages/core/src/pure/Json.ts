/**
 * JSON values, and the way any JavaScript value becomes one: what a tool returns and what a model asks with
 * are kept as JSON, so that a run can be kept, sent and read again.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

/** A JSON value: finite numbers, strings, booleans, null, arrays and plain objects of them. */
export type Json = Schema.Json

/** The Schema of `Json`. */
export const Json: Schema.Codec<Json> = Schema.Json

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** True for a JSON object: neither null, an array nor a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** One text for each value: two that differ in the order of their keys alone have the same. */
export const canonical = (json: Json): string => {
  if (Array.isArray(json)) return `[${json.map(canonical).join(",")}]`
  if (!isObject(json)) return JSON.stringify(json)
  const fields = Object.keys(json).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(json[key] ?? null)}`)
  return `{${fields.join(",")}}`
}

/** A JSON value in a sentence: a string as it is, anything else as it is written. */
export const word = (json: Json): string => typeof json === "string" ? json : JSON.stringify(json)

/**
 * Any value as JSON, without loss where JSON can hold it and in words where it cannot: a date as its ISO string, a
 * BigInt as its digits, `NaN` and the infinities by name, a negative zero as 0, a Map as pairs, a Set as a list, an error as its
 * line, bytes as their number, what knows how to write itself as what it writes. Undefined is null; as fields it, functions and
 * symbols are left out. Strings are well-formed. What contains itself, has no words (a function, a promise) or throws while it is read is a
 * failure that says where.
 */
export const fromUnknown = (value: unknown): Result.Result<Json, string> => {
  return isPlain(value, 0) ? Result.succeed(copy(value)) : convertAny(value)
}

/** Any value as the text of what `fromUnknown` makes of it. */
export const textOf = (value: unknown): Result.Result<string, string> =>
  isPlain(value, 0)
    ? Result.succeed(JSON.stringify(value))
    : Result.map(fromUnknown(value), (json) => JSON.stringify(json))

/** Whether it is JSON already, as nearly everything is. Where that is not sure it is not: then it takes the long way. */
const isPlain = (value: unknown, depth: number): value is Json => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value === "boolean" || value === null) return true
  if (typeof value !== "object" || depth === maxPlain) return false
  try {
    return Array.isArray(value) ? areItemsPlain(value, depth + 1) : areFieldsPlain(value, depth + 1)
  } catch {
    return false
  }
}

/** Deeper than this, a value may contain itself. */
const maxPlain = 32

const areItemsPlain = (list: ReadonlyArray<unknown>, depth: number): boolean => {
  if ("toJSON" in list) return false
  for (const item of list) if (!isPlain(item, depth)) return false
  return true
}

const areFieldsPlain = (value: object, depth: number): boolean => {
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value || !isObject(value)) return false
  const keys = Object.keys(value)
  for (const key of keys) {
    if (!key.isWellFormed() || key === "__proto__" || !isPlain(value[key], depth)) return false
  }
  return keys.length > 0
}

/** A copy that whoever made the value cannot change. */
const copy = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(copy)
  if (!isObject(json)) return json
  const fields: { [key: string]: Json } = {}
  for (const key of Object.keys(json)) fields[key] = copy(json[key] ?? null)
  return fields
}

const convertAny = (value: unknown): Result.Result<Json, string> =>
  Result.try({
    try: () => convert(value, { inside: [], path: [] }),
    catch: (error) => error instanceof NotJson ? error.why : broken(error)
  })

class NotJson {
  readonly why: string
  constructor(at: Place, why: string) {
    this.why = `it${at.path.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("")} ${why}`
  }
}

const broken = (error: unknown): string =>
  error instanceof RangeError && /call stack/i.test(error.message)
    ? "it is nested too deeply to write down"
    : `its own code threw ${line(error)} while it was read`

/** One line for anything thrown, never throwing itself: `Error: the till is offline`. */
export const line = (thrown: unknown): string =>
  Result.getOrElse(Result.try(() => String(thrown)), () => "a value that has no words")

/** Where in a value we are: the objects around us and the keys that led here. Both grow and shrink as we go. */
interface Place {
  readonly inside: Array<object>
  readonly path: Array<string | number>
}

const convert = (value: unknown, at: Place): Json => {
  switch (typeof value) {
    case "string":
      return Text.mend(value)
    case "number":
      if (!Number.isFinite(value)) return String(value)
      return value === 0 ? 0 : value
    case "boolean":
      return value
    case "bigint":
      return value.toString()
    case "undefined":
      return null
    case "function":
    case "symbol":
      throw new NotJson(at, `is a ${typeof value}`)
    case "object":
      return value === null ? null : convertObject(value, at)
  }
}

const convertObject = (value: object, at: Place): Json => {
  if (at.inside.includes(value)) throw new NotJson(at, "contains itself")
  at.inside.push(value)
  const json = convertParts(value, at)
  at.inside.pop()
  return json
}

const convertParts = (value: object, at: Place): Json => {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
    return Array.from(value, (item: unknown, i) => isSilent(item) ? null : convertAt(item, i, at))
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const own: unknown = value.toJSON()
    if (own === null && nameOf(value) === "[object Date]") return line(value)
    return own === value ? convertFields(value, at) : convert(own, at)
  }
  if (value instanceof Error) return Text.mend(line(value))
  if (boxes.has(nameOf(value))) return convert(value.valueOf(), at)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  if ("then" in value && typeof value.then === "function") throw new NotJson(at, "is a promise")
  return Object.keys(value).length === 0 ? convertFieldless(value, at) : convertFields(value, at)
}

/** What keeps all it holds out of sight: it may have words (a pattern), or items (headers); an iterator may have no end. */
const convertFieldless = (value: object, at: Place): Json => {
  if ("next" in value && typeof value.next === "function") throw new NotJson(at, "is an iterator")
  if (value.toString !== undefined && value.toString !== Object.prototype.toString) return Text.mend(line(value))
  return isIterable(value) ? convert(Array.from(value), at) : {}
}

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value

/** What an object calls itself, as in `[object Date]`. */
const nameOf = (value: object): string => Object.prototype.toString.call(value)

/** Objects around a string, a number and their like, by what they call themselves. */
const boxes: ReadonlySet<string> = new Set([
  "[object String]",
  "[object Number]",
  "[object Boolean]",
  "[object BigInt]"
])

const convertFields = (value: object, at: Place): Json =>
  Object.fromEntries(
    Object.entries(value).filter(([, field]) => !isSilent(field)).map(([key, field]) => [
      Text.mend(key),
      convertAt(field, key, at)
    ])
  )

const convertAt = (value: unknown, key: string | number, at: Place): Json => {
  at.path.push(key)
  const json = convert(value, at)
  at.path.pop()
  return json
}

/** What JSON leaves out of an object and writes as null in a list. */
const isSilent = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol"
