/**
 * A tool's input as the JSON Schema that strict tool use takes, or the keyword that keeps it from being sent. What a
 * provider cannot hold a model to (ranges, lengths, most formats and patterns) moves into the description: the model reads it and
 * the decoder holds it. The accepted subset is that of Anthropic's "Structured outputs" page, the narrowest of the field.
 */
import * as Result from "effect/Result"
import * as Json from "./Json.ts"
import * as SchemaWords from "./SchemaWords.ts"

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

/**
 * The strict form of somebody else's schema, with its definitions in it under either name that drafts have for them. An object that says nothing
 * of other fields is sent as one that has none: a model need not know more.
 */
export const fromForeign = (schema: JsonSchema): Result.Result<JsonSchema, Unsendable> => {
  const { $defs, $schema: _, definitions, ...root } = schema
  return fromDocument(closed(root), Object.fromEntries([...objectsIn(definitions), ...objectsIn($defs)]))
}

const objectsIn = (all: Json.Json | undefined): ReadonlyArray<readonly [string, JsonSchema]> =>
  Object.entries(Json.isObject(all) ? all : {}).flatMap(([name, one]) =>
    Json.isObject(one) ? [[name, closed(one)] as const] : []
  )

const closed = (node: JsonSchema): JsonSchema => {
  const all = mapped(node, (key, value) => {
    if (literal.has(key)) return value
    return key === "properties" && Json.isObject(value) ? mapped(value, (_, field) => closedIn(field)) : closedIn(value)
  })
  return all["properties"] !== undefined && all["additionalProperties"] === undefined
    ? { ...all, additionalProperties: false }
    : all
}

const mapped = (node: JsonSchema, change: (key: string, value: Json.Json) => Json.Json): JsonSchema =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(key, value)]))

const closedIn = (value: Json.Json): Json.Json => {
  if (Array.isArray(value)) return value.map(closedIn)
  return Json.isObject(value) ? closed(value) : value
}

/** What holds values, and no schemas. */
const literal: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"])

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
  const { flat, words } = SchemaWords.tell(node)
  const refused = Object.keys(flat).find((keyword) => !known.has(keyword))
  if (refused !== undefined) {
    return unsendable(place.path, refused, "No provider holds a model to it: write the field another way.")
  }
  const annotated = SchemaWords.describe(flat, words)
  const alternatives = flat["anyOf"] ?? flat["oneOf"]
  if (Array.isArray(alternatives)) return union(place, annotated, alternatives)
  const type = flat["type"]
  if (type === "object") return object(place, annotated, flat)
  if (type === "array") return array(place, annotated, flat)
  if (typeof type === "string" && scalars.has(type)) {
    return Result.succeed({ type, ...annotated, ...pick(flat, ["enum", "const", "default", ...SchemaWords.held]) })
  }
  return unsendable(place.path, "type", "The field takes anything: say what it takes, or take JSON as a string.")
}

const scalars: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null"])

const resolve = (place: Place, ref: string, node: JsonSchema): Strict => {
  const name = unescaped(ref.replace(/^#\/(?:\$defs|definitions)\//, ""))
  const definition = place.definitions[name]
  if (definition === undefined) {
    return unsendable(place.path, "$ref", `It points at ${ref}, which is not in this schema.`)
  }
  if (place.refs.includes(name)) return unsendable(place.path, "$ref", "It refers to itself: bound its depth by hand.")
  const { $ref: _, ...rest } = node
  return strict({ ...place, refs: [...place.refs, name] }, { ...definition, ...rest })
}

/** A name as it stands in a JSON pointer within a URI: percent-encoded, `~1` for a slash, `~0` for a tilde. */
const unescaped = (name: string): string =>
  Result.getOrElse(Result.try(() => decodeURIComponent(name)), () => name).replace(/~1/g, "/").replace(/~0/g, "~")

const object = (place: Place, annotated: JsonSchema, node: JsonSchema): Strict =>
  Result.gen(function*() {
    if (node["additionalProperties"] !== false) {
      return yield* unsendable(
        place.path,
        "additionalProperties",
        "Take a list of key and value pairs instead of a record."
      )
    }
    const declared = Json.isObject(node["properties"]) ? node["properties"] : {}
    const properties: Array<[string, JsonSchema]> = []
    for (const [key, field] of Object.entries(declared)) {
      if (!keyPattern.test(key)) {
        return yield* unsendable(
          `${place.path}.${key}`,
          "properties",
          "A field's name is 1 to 64 letters, digits, \"_\", \"-\" or \".\"."
        )
      }
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

/** What the API takes as a field's name (its 400 for others names this pattern). */
const keyPattern = /^[a-zA-Z0-9_.-]{1,64}$/

const array = (place: Place, annotated: JsonSchema, node: JsonSchema): Strict => {
  const { items, prefixItems } = node
  const isList = prefixItems === undefined ||
    Array.isArray(prefixItems) && prefixItems.every((item) => same(item, items))
  if (!isList) return unsendable(place.path, "prefixItems", "Take a struct of named fields, not a tuple.")
  return Result.map(
    strict({ ...place, path: `${place.path}[]` }, Json.isObject(items) ? items : {}),
    (strictItems) => ({ type: "array", ...annotated, items: strictItems, ...pick(node, SchemaWords.held) })
  )
}

/** Effect writes a list of at least one item as a tuple whose rest is of the same kind. */
const same = (a: Json.Json, b: Json.Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

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
  ...SchemaWords.keywords
])

const pick = (node: JsonSchema, keywords: ReadonlyArray<string>): JsonSchema =>
  Object.fromEntries(keywords.flatMap((keyword) => {
    const value = node[keyword]
    return value === undefined ? [] : [[keyword, value]]
  }))
