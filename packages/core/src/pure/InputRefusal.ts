/** A decoder's issue in short sentences: each names a field and what it takes, and never the value that was sent. */
import * as SchemaIssue from "effect/SchemaIssue"
import * as Json from "./Json.ts"
import type { JsonSchema } from "./StrictSchema.ts"
import * as Text from "./Text.ts"

/** At most this many fields are named in one message. */
const maxSentences = 3

/** At most this many allowed values are listed. */
const maxListed = 24

/** What is wrong with an input and what each field takes: `day must be one of: monday, tuesday.` */
export const explain = (schema: JsonSchema, issue: SchemaIssue.Issue, input: unknown): string => {
  const all = [
    ...new Set(
      format(issue).issues.map(({ message, path = [] }) => sentence({ schema, input }, path.map(keyOf), message))
    )
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
        return isDefault(message) && issue.ast._tag !== "Declaration" ? byField : message
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

/** A schema and what was sent for it. */
interface Spot {
  readonly schema: JsonSchema
  readonly input: unknown
}

const sentence = (root: Spot, path: ReadonlyArray<PropertyKey>, message: string): string => {
  const name = path.reduce<string>(
    (before, key) =>
      typeof key === "number" ? `${before}[${key}]` : before === "" ? keyWord(key) : `${before}.${keyWord(key)}`,
    ""
  )
  const field = name === "" ? "the input" : name
  if (message === unknownField) {
    return `${field} is not a field. The fields are: ${fieldsOf(chosen(at(root, path.slice(0, -1))))}.`
  }
  const rule = message.match(/^Expected (an? .+)$/s)?.[1]
  if (rule !== undefined) return `${field} must be ${rule}.`
  if (message === byField || isDefault(message)) return whatItTakes(name, at(root, path), message)
  if (message.startsWith("must be ")) return `${field} ${message}.`
  const key = path.at(-1)
  return typeof key === "string" && message.includes(key) ? message : `${field}: ${message}`
}

const whatItTakes = (name: string, spot: Spot, message: string): string => {
  const field = name === "" ? "the input" : name
  if (message === unsaidRule) {
    const { description } = spot.schema
    return `${field} breaks a rule of the tool${
      typeof description === "string" ? `: ${description.replace(/\.$/, "")}` : ""
    }.`
  }
  const word = keyWordOf(spot.schema)
  return word === undefined || !Json.isObject(spot.input)
    ? `${field} must be ${describe(spot.schema)}.`
    : `${name === "" ? "" : `${name}.`}${word.key} must be ${list(word.values)}.`
}

/** What Effect says of a filter that says nothing of itself. */
const unsaidRule = "Expected <filter>"

const keyWord = (key: PropertyKey): string => Text.cutAt(String(key), 60)

/** The field by which the alternatives of a union are told apart, and the values it takes. */
const keyWordOf = (
  { anyOf }: JsonSchema
): { readonly key: string; readonly values: ReadonlyArray<Json.Json> } | undefined => {
  const members = Array.isArray(anyOf) ? anyOf.filter(Json.isObject) : []
  const key = Object.keys(literals(members[0] ?? {})).find((key) => members.every((member) => key in literals(member)))
  return key === undefined ? undefined : { key, values: members.flatMap((member) => literals(member)[key] ?? []) }
}

/** The fields of a struct that take fixed values, with the values. */
const literals = ({ properties }: JsonSchema): { readonly [key: string]: ReadonlyArray<Json.Json> } =>
  Object.fromEntries(
    Object.entries(Json.isObject(properties) ? properties : {}).flatMap(([key, field]) =>
      Json.isObject(field) && Array.isArray(field["enum"]) ? [[key, field["enum"]] as const] : []
    )
  )

/** Of a union, the alternative whose fixed values were sent; of anything else, itself. */
const chosen = ({ input, schema }: Spot): JsonSchema => {
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return schema
  const members = anyOf.filter(Json.isObject)
  return members.find((member) => {
    const fixed = Object.entries(literals(member))
    return Json.isObject(input) && fixed.length > 0 &&
      fixed.every(([key, values]) => values.includes(input[key] ?? null))
  }) ?? members.find(({ properties }) => properties !== undefined) ?? schema
}

const fieldsOf = (schema: JsonSchema): string => {
  const properties = schema["properties"]
  return (Json.isObject(properties) ? Object.keys(properties).join(", ") : "") || "none"
}

const at = (root: Spot, path: ReadonlyArray<PropertyKey>): Spot => path.reduce(child, root)

const child = (spot: Spot, key: PropertyKey): Spot => {
  const { items, properties } = chosen(spot)
  const { input } = spot
  if (typeof key === "number") {
    return { schema: Json.isObject(items) ? items : {}, input: Array.isArray(input) ? input[key] : undefined }
  }
  const field = typeof key === "string" && Json.isObject(properties) && Object.hasOwn(properties, key)
    ? properties[key]
    : {}
  return {
    schema: Json.isObject(field) ? field : {},
    input: typeof key === "string" && Json.isObject(input) ? input[key] : undefined
  }
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
