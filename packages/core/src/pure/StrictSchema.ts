/**
 * A tool's input as the JSON Schema that strict tool use takes, or the keyword that keeps it from being sent. What a
 * provider cannot hold a model to (ranges, lengths, most formats and patterns) moves into the description: the model reads it and
 * the decoder holds it. The accepted subset is that of Anthropic's "Structured outputs" page, the narrowest of the field.
 */
import * as Result from "effect/Result"
import * as Json from "./Json.ts"

/** A JSON Schema object, draft 2020-12. */
export type JsonSchema = Json.JsonObject

/** Why a schema cannot be sent: the keyword, where it stands, and what to write in its place. */
export interface Unsendable {
  readonly keyword: string
  readonly path: string
  readonly advice: string
}

/** The strict form of a JSON Schema document. References are written out in place, so the result stands alone. */
export const fromDocument = (
  schema: JsonSchema,
  definitions: { readonly [name: string]: JsonSchema }
): Result.Result<JsonSchema, Unsendable> =>
  Result.gen(function*() {
    const root = yield* strict({ definitions, path: "input", refs: [] }, schema)
    if (root["type"] !== "object") {
      const keyword = root["anyOf"] === undefined ? "type" : "anyOf"
      return yield* unsendable("input", keyword, "A tool takes one object: give it a Schema.Struct.")
    }
    return root
  })

interface Place {
  readonly definitions: { readonly [name: string]: JsonSchema }
  readonly path: string
  readonly refs: ReadonlyArray<string>
}

type Strict = Result.Result<JsonSchema, Unsendable>

const unsendable = (path: string, keyword: string, advice: string) => Result.fail<Unsendable>({ path, keyword, advice })

const strict = (place: Place, node: JsonSchema): Strict => {
  const ref = node["$ref"]
  if (typeof ref === "string") return resolve(place, ref, node)
  if (isEmptyStruct(node)) return Result.succeed(emptyObject)
  const flat = flattenAllOf(node)
  const refused = Object.keys(flat).find((keyword) => !known.has(keyword))
  if (refused !== undefined) {
    return unsendable(place.path, refused, "No provider holds a model to it: write the field another way.")
  }
  const annotated = describe(flat)
  const alternatives = flat["anyOf"] ?? flat["oneOf"]
  if (Array.isArray(alternatives)) return union(place, annotated, alternatives)
  const type = flat["type"]
  if (type === "object") return object(place, annotated, flat)
  if (type === "array") return array(place, annotated, flat)
  if (typeof type === "string" && scalars.has(type)) {
    return Result.succeed({ type, ...annotated, ...pick(flat, ["enum", "const", "default", ...heldBy(flat)]) })
  }
  return unsendable(place.path, "type", "The field takes anything: say what it takes, or take JSON as a string.")
}

const scalars: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null"])

const resolve = (place: Place, ref: string, node: JsonSchema): Strict => {
  const name = ref.replace(/^#\/(?:\$defs|definitions)\//, "")
  const definition = place.definitions[name]
  if (definition === undefined) {
    return unsendable(place.path, "$ref", `It points at ${ref}, which is not in this schema.`)
  }
  if (place.refs.includes(name)) return unsendable(place.path, "$ref", "It refers to itself: bound its depth by hand.")
  const { $ref: _, ...rest } = node
  return strict({ ...place, refs: [...place.refs, name] }, { ...definition, ...rest })
}

const object = (place: Place, annotated: JsonSchema, node: JsonSchema): Strict =>
  Result.gen(function*() {
    if (Json.isObject(node["additionalProperties"]) || node["additionalProperties"] === true) {
      return yield* unsendable(
        place.path,
        "additionalProperties",
        "Take a list of key and value pairs instead of a record."
      )
    }
    const declared = Json.isObject(node["properties"]) ? node["properties"] : {}
    const properties: Array<[string, JsonSchema]> = []
    for (const [key, field] of Object.entries(declared)) {
      properties.push([
        key,
        yield* strict({ ...place, path: `${place.path}.${key}` }, Json.isObject(field) ? field : {})
      ])
    }
    return {
      type: "object",
      ...annotated,
      properties: Object.fromEntries(properties),
      required: node["required"] ?? [],
      additionalProperties: false
    }
  })

const array = (place: Place, annotated: JsonSchema, node: JsonSchema): Strict => {
  const items = node["items"]
  if (node["prefixItems"] !== undefined) {
    return unsendable(place.path, "prefixItems", "Take a struct of named fields, not a tuple.")
  }
  return Result.map(
    strict({ ...place, path: `${place.path}[]` }, Json.isObject(items) ? items : {}),
    (strictItems) => ({ type: "array", ...annotated, items: strictItems, ...pick(node, heldBy(node)) })
  )
}

const union = (place: Place, annotated: JsonSchema, alternatives: ReadonlyArray<Json.Json>): Strict =>
  Result.gen(function*() {
    const members: Array<JsonSchema> = []
    for (const member of alternatives) {
      if (!isNumberName(member)) members.push(yield* strict(place, Json.isObject(member) ? member : {}))
    }
    const [only, ...others] = members
    return only !== undefined && others.length === 0 ? { ...only, ...annotated } : { ...annotated, anyOf: members }
  })

/** Effect writes `Schema.Number` as a number or one of three names; JSON has only the number, so that is what is sent. */
const isNumberName = (member: Json.Json): boolean =>
  Json.isObject(member) && Array.isArray(member["enum"]) && member["enum"].join() === "Infinity,-Infinity,NaN"

/** Effect writes `Schema.Struct({})` as "not null". */
const isEmptyStruct = (node: JsonSchema): boolean => {
  const not = node["not"]
  return Json.isObject(not) && not["type"] === "null" &&
    Object.keys(node).every((key) => key === "not" || key === "description")
}

const emptyObject: JsonSchema = { type: "object", properties: {}, required: [], additionalProperties: false }

const flattenAllOf = (node: JsonSchema): JsonSchema => {
  const parts = node["allOf"]
  if (!Array.isArray(parts)) return node
  const { allOf: _, ...rest } = node
  return parts.reduce<JsonSchema>(
    (whole, part) => Json.isObject(part) ? { ...whole, ...flattenAllOf(part) } : whole,
    rest
  )
}

/** Words for the keywords a provider does not hold a model to; `undefined` where the value says nothing. */
const inWords: { readonly [keyword: string]: (value: string) => string | undefined } = {
  minimum: (n) => n === String(Number.MIN_SAFE_INTEGER) ? undefined : `at least ${n}`,
  maximum: (n) => n === String(Number.MAX_SAFE_INTEGER) ? undefined : `at most ${n}`,
  exclusiveMinimum: (n) => `more than ${n}`,
  exclusiveMaximum: (n) => `less than ${n}`,
  multipleOf: (n) => `a multiple of ${n}`,
  minLength: (n) => n === "1" ? "not empty" : `at least ${n} characters`,
  maxLength: (n) => `at most ${n} characters`,
  minItems: (n) => n === "0" || n === "1" ? undefined : `at least ${n} items`,
  maxItems: (n) => `at most ${n} items`,
  uniqueItems: (yes) => yes === "true" ? "no item twice" : undefined,
  pattern: (p) => isSimple(p) ? undefined : `matching ${p}`,
  format: (f) => formats.has(f) ? undefined : `in the format ${f}`
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

/** Providers take no look-around, back-reference, word boundary or Unicode class. */
const isSimple = (pattern: string): boolean => !/\(\?|\\[1-9bBkpP]/.test(pattern)

/** The keywords of a node that a provider does hold a model to. */
const heldBy = (node: JsonSchema): ReadonlyArray<string> =>
  ["pattern", "format", "minItems"].filter((keyword) => {
    const value = node[keyword]
    return value !== undefined && inWords[keyword]?.(Json.word(value)) === undefined
  })

const known: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "items",
  "prefixItems",
  "default",
  "description",
  "title",
  "examples",
  "$comment",
  ...Object.keys(inWords)
])

const describe = (node: JsonSchema): JsonSchema => {
  const moved = Object.entries(inWords).flatMap(([keyword, words]) => {
    const value = node[keyword]
    const said = value === undefined ? undefined : words(Json.word(value))
    return said === undefined ? [] : [said]
  })
  const own = typeof node["description"] === "string" ? [node["description"]] : []
  const all = moved.length === 0 ? own : [...own, `(${moved.join(", ")})`]
  return all.length === 0 ? {} : { description: all.join(" ") }
}

const pick = (node: JsonSchema, keywords: ReadonlyArray<string>): JsonSchema =>
  Object.fromEntries(keywords.flatMap((keyword) => {
    const value = node[keyword]
    return value === undefined ? [] : [[keyword, value]]
  }))
