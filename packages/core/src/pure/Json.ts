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

/** A JSON value in a sentence: a string as it is, anything else as it is written. */
export const word = (json: Json): string => typeof json === "string" ? json : JSON.stringify(json)

/**
 * Any value as JSON, without loss where JSON can hold it and in words where it cannot: a date as its ISO string, a
 * BigInt as its digits, `NaN` and the infinities by name, a negative zero as 0, a Map as pairs, a Set as a list, an error as its line. Functions,
 * symbols and undefined fields are left out; undefined itself is null. Strings are well-formed. A value that contains itself,
 * or whose own code throws, is a failure that says where.
 */
export const fromUnknown = (value: unknown): Result.Result<Json, string> =>
  Result.try({
    try: () => convert(value, "it", []),
    catch: (error) => error instanceof NotJson ? error.why : broken(error)
  })

class NotJson {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

const broken = (error: unknown): string =>
  error instanceof RangeError
    ? "it is nested too deeply to write down"
    : `its own code threw ${line(error)} while it was read`

/** One line for anything thrown, never throwing itself: `Error: the till is offline`. */
export const line = (thrown: unknown): string =>
  Result.getOrElse(Result.try(() => String(thrown)), () => "a value that has no words")

const convert = (value: unknown, path: string, above: ReadonlyArray<object>): Json => {
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
    case "function":
    case "symbol":
      return null
    case "object":
      return value === null ? null : convertObject(value, path, above)
  }
}

const convertObject = (value: object, path: string, above: ReadonlyArray<object>): Json => {
  if (above.includes(value)) throw new NotJson(`${path} contains itself`)
  const inside = [...above, value]
  const list = (items: Iterable<unknown>): Json =>
    Array.from(items, (item, i) => convert(item, `${path}[${i}]`, inside))
  if (Array.isArray(value)) return list(value)
  if ("toJSON" in value && typeof value.toJSON === "function") return convertToJson(value, value.toJSON, path, inside)
  if (value instanceof Map || value instanceof Set) return list(value)
  if (value instanceof Error) return Text.mend(line(value))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => typeof field !== "undefined" && typeof field !== "function" && typeof field !== "symbol")
      .map(([key, field]) => [Text.mend(key), convert(field, `${path}.${key}`, inside)])
  )
}

const convertToJson = (value: object, toJSON: Function, path: string, inside: ReadonlyArray<object>): Json => {
  if (value instanceof Date && Number.isNaN(value.getTime())) return "Invalid Date"
  const own: unknown = toJSON.call(value)
  return own === value ? null : convert(own, path, inside)
}
