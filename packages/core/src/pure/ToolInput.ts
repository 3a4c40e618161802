/**
 * How a model's input is read with patience and refused in words. `lenient` undoes what models do to a good input; `explain`
 * turns a decoder's issue into one short sentence a field, naming the field and what it takes and never the value sent.
 */
import * as SchemaIssue from "effect/SchemaIssue"
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
  return Json.isObject(properties) ? compileObject(properties, schema["required"]) : undefined
}

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

/** The first alternative that the input fits once it is read decides; where none does the decoder will say so. */
const compileUnion = (alternatives: ReadonlyArray<JsonSchema>): Reader | undefined => {
  const readers = alternatives.map((schema) => ({ schema, read: compile(schema) }))
  if (readers.every(({ read }) => read === undefined)) return undefined
  return (input) => {
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

/** At most this many fields are named in one message. */
const maxSentences = 3

/** At most this many allowed values are listed. */
const maxListed = 24

/** What is wrong with an input and what each field takes: `day must be one of: monday, tuesday.` */
export const explain = (schema: JsonSchema, issue: SchemaIssue.Issue): string => {
  const all = [
    ...new Set(format(issue).issues.map(({ message, path = [] }) => sentence(schema, path.map(keyOf), message)))
  ]
  const more = all.length - maxSentences
  return all.slice(0, maxSentences).join(" ") + (more > 0 ? ` And ${more} more.` : "")
}

const byField = "the field's own schema says it best"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    const message = SchemaIssue.defaultLeafHook(issue)
    switch (issue._tag) {
      case "UnexpectedKey":
        return unknownField
      case "InvalidValue":
        return message
      case "InvalidType":
      case "MissingKey":
      case "Forbidden":
      case "OneOf":
        return isDefault(message) ? byField : message
    }
  }
})

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

const unknownField = "is not a field"

const isDefault = (message: string): boolean =>
  /^(Expected |Missing key$|Forbidden operation$|Invalid data )/.test(message)

const sentence = (root: JsonSchema, path: ReadonlyArray<PropertyKey>, message: string): string => {
  const name = path.reduce<string>(
    (before, key) =>
      typeof key === "number" ? `${before}[${key}]` : before === "" ? String(key) : `${before}.${String(key)}`,
    ""
  )
  const field = name === "" ? "the input" : name
  if (message === unknownField) {
    return `${field} is not a field. The fields are: ${fieldsOf(at(root, path.slice(0, -1)))}.`
  }
  const rule = message.match(/^Expected (an? .+)$/s)?.[1]
  if (rule !== undefined) return `${field} must be ${rule}.`
  if (message === byField || isDefault(message)) return `${field} must be ${describe(at(root, path))}.`
  if (message.startsWith("must be ")) return `${field} ${message}.`
  const key = path.at(-1)
  return typeof key === "string" && message.includes(key) ? message : `${field}: ${message}`
}

const fieldsOf = (schema: JsonSchema): string => {
  const properties = schema["properties"]
  return (Json.isObject(properties) ? Object.keys(properties).join(", ") : "") || "none"
}

const at = (root: JsonSchema, path: ReadonlyArray<PropertyKey>): JsonSchema =>
  path.reduce<JsonSchema>((schema, key) => child(schema, key) ?? {}, root)

const child = (schema: JsonSchema, key: PropertyKey): JsonSchema | undefined => {
  const { anyOf, items, properties } = schema
  if (typeof key === "number" && Json.isObject(items)) return items
  if (typeof key === "string" && Json.isObject(properties) && Object.hasOwn(properties, key)) {
    const field = properties[key]
    return Json.isObject(field) ? field : undefined
  }
  const members = Array.isArray(anyOf) ? anyOf.filter(Json.isObject) : []
  return members.map((member) => child(member, key)).find((found) => found !== undefined)
}

/** What a schema takes, in words that follow "must be". */
const describe = (schema: JsonSchema): string => {
  const { anyOf, enum: values, items, properties, type } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(Json.isObject).map(describe).join(", or ")
  if (Array.isArray(values)) return list(values)
  if (type === "array") {
    return Json.isObject(items) && typeof items["type"] === "string"
      ? `a list, each ${describe(items)}`
      : "a list"
  }
  if (type === "object") {
    return Json.isObject(properties) && Object.keys(properties).length > 0
      ? `an object with ${fieldsOf(schema)}`
      : "an object"
  }
  return typeof type === "string" ? scalarWords[type] ?? `a ${type}` : "what the tool's description says"
}

const scalarWords: { readonly [type: string]: string } = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number"
}

const list = (values: ReadonlyArray<Json.Json>): string => {
  if (values.length === 1) return JSON.stringify(values[0])
  const more = values.length - maxListed
  return `one of: ${values.slice(0, maxListed).map(Json.word).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}
