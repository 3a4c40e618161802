/**
 * How a model's input is read: with patience, as `lenient` undoes what models do to a good input, without holes, as `misfit` finds
 * what the decoders would let pass, and without delay, as `exact` knows what they need not look for.
 */
import * as Json from "./Json.ts"
import type { JsonSchema } from "./StrictSchema.ts"

/** Reads an input before it is decoded. Returns the same value where nothing had to change. */
export type Reader = (input: unknown) => unknown

/**
 * A reader that leaves out an optional field sent as null and writes enum values as the schema does, whatever their case:
 * providers promise neither. Takes the strict schema, in which no reference is left.
 */
export const lenient = (schema: JsonSchema): Reader => compile(schema) ?? ((input) => input)

const compile = (schema: JsonSchema): Reader | undefined => {
  const alternatives = schema["anyOf"]
  if (Array.isArray(alternatives)) return compileUnion(alternatives.filter(Json.isObject))
  const values = schema["enum"]
  if (Array.isArray(values)) return (input) => sameInAnyCase(values, input)
  const items = schema["items"]
  if (Json.isObject(items)) {
    const read = compile(items)
    return read && ((input) => Array.isArray(input) ? input.map(read) : input)
  }
  const properties = schema["properties"]
  if (!Json.isObject(properties)) return undefined
  return isFieldless(schema) ? copyFieldless : compileObject(properties, schema["required"])
}

/** Effect's `Schema.Struct({})` takes anything but null and gives back the very same value: `misfit` refuses the rest. */
const isFieldless = ({ properties, type }: JsonSchema): boolean =>
  type === "object" && Json.isObject(properties) && Object.keys(properties).length === 0

const copyFieldless: Reader = (input) => Json.isObject(input) ? { ...input } : input

const compileObject = (properties: Json.JsonObject, required: Json.Json | undefined): Reader | undefined => {
  const fields = Object.entries(properties).flatMap(([key, field]) => {
    if (!Json.isObject(field)) return []
    const dropsNull = !(Array.isArray(required) && required.includes(key)) && !fits(field, null)
    const read = compile(field)
    return read === undefined && !dropsNull ? [] : [{ key, read, dropsNull }]
  })
  if (fields.length === 0) return undefined
  return (input) => {
    if (!Json.isObject(input)) return input
    const copy: { [key: string]: unknown } = { ...input }
    for (const { dropsNull, key, read } of fields) {
      if (!Object.hasOwn(copy, key)) continue
      if (dropsNull && copy[key] === null) delete copy[key]
      else if (read !== undefined) copy[key] = read(copy[key])
    }
    return copy
  }
}

/** What fits an alternative as it is stays. Else the first one that it fits once it is read decides; where none does the decoder will say so. */
const compileUnion = (alternatives: ReadonlyArray<JsonSchema>): Reader | undefined => {
  const readers = alternatives.map((schema) => ({ schema, read: compile(schema) }))
  if (readers.every(({ read }) => read === undefined)) return undefined
  return (input) => {
    if (alternatives.some((schema) => fits(schema, input))) return input
    for (const { read, schema } of readers) {
      const value = read === undefined ? input : read(input)
      if (fits(schema, value)) return value
    }
    return input
  }
}

const sameInAnyCase = (values: ReadonlyArray<Json.Json>, input: unknown): unknown => {
  if (typeof input !== "string" || values.includes(input)) return input
  const wanted = input.toLowerCase()
  return values.find((value) => typeof value === "string" && value.toLowerCase() === wanted) ?? input
}

/** Whether a value has the shape a strict schema asks for: types, enums and fields, and nothing finer. */
const fits = (schema: JsonSchema, value: unknown): boolean => {
  const { anyOf, enum: values, items, properties, required, type } = schema
  if (Array.isArray(anyOf)) return anyOf.some((member) => Json.isObject(member) && fits(member, value))
  if (Array.isArray(values)) return values.some((allowed) => allowed === value)
  if (type === "null") return value === null
  if (type === "integer") return Number.isInteger(value)
  if (type === "array") {
    return Array.isArray(value) && (!Json.isObject(items) || value.every((item) => fits(items, item)))
  }
  if (type === "object") {
    return Json.isObject(value) && fieldsFit(Json.isObject(properties) ? properties : {}, required, value)
  }
  return typeof value === type
}

const fieldsFit = (properties: Json.JsonObject, required: Json.Json | undefined, value: Json.JsonObject): boolean =>
  (!Array.isArray(required) || required.every((key) => typeof key === "string" && Object.hasOwn(value, key))) &&
  Object.entries(value).every(([key, field]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return Json.isObject(schema) && fits(schema, field)
  })

/**
 * What is wrong with an input that Effect's decoders would let pass though its schema does not: something else for an object
 * without fields, the name of a number that is none for a number. Nothing for a schema where that cannot be.
 */
export const misfit = (schema: JsonSchema): ((input: unknown) => string | undefined) | undefined => {
  const check = compileMisfit(schema, "")
  return check && ((input) => check(input))
}

const compileMisfit = (schema: JsonSchema, path: string): ((input: unknown) => string | undefined) | undefined => {
  const field = path === "" ? "the input" : path
  const { items, properties, type } = schema
  if (type === "number") return (input) => typeof input === "string" ? `${field} must be a number.` : undefined
  if (isFieldless(schema)) {
    return (input) =>
      Json.isObject(input) && Object.keys(input).length === 0 ? undefined : `${field} must be an object without fields.`
  }
  if (Json.isObject(items)) {
    const check = compileMisfit(items, `${path}[]`)
    return check && ((input) => Array.isArray(input) ? firstOf(input, check) : undefined)
  }
  const fields = Object.entries(Json.isObject(properties) ? properties : {}).flatMap(([key, value]) => {
    const check = Json.isObject(value) ? compileMisfit(value, path === "" ? key : `${path}.${key}`) : undefined
    return check === undefined ? [] : [{ key, check }]
  })
  return fields.length === 0 ? undefined : (input) =>
    Json.isObject(input)
      ? firstOf(fields, ({ check, key }) => Object.hasOwn(input, key) ? check(input[key]) : undefined)
      : undefined
}

const firstOf = <A>(items: ReadonlyArray<A>, check: (item: A) => string | undefined): string | undefined => {
  for (const item of items) {
    const wrong = check(item)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/**
 * Whether an input surely has no field that its schema does not name, so that a decoder need not look for one, which takes longer than all
 * else it does. Undefined for a schema with alternatives, where it depends.
 */
export const exact = (schema: JsonSchema): ((input: unknown) => boolean) | undefined => {
  if (schema["anyOf"] !== undefined) return undefined
  const { items, properties } = schema
  if (Json.isObject(items)) {
    const check = exact(items)
    return check && ((input) => Array.isArray(input) && input.every(check))
  }
  if (!Json.isObject(properties)) return () => true
  const fields = new Map<string, (input: unknown) => boolean>()
  for (const [key, field] of Object.entries(properties)) {
    const check = Json.isObject(field) ? exact(field) : undefined
    if (check === undefined) return undefined
    fields.set(key, check)
  }
  return (input) => Json.isObject(input) && Object.keys(input).every((key) => fields.get(key)?.(input[key]) === true)
}
