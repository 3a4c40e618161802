/**
 * A decoder of what somebody else's JSON Schema describes. The library reads draft 2020-12 and 07; where it cannot read a schema the input is taken
 * for an object and nothing more, as whoever wrote the schema will check it again.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type { JsonObject } from "../pure/Json.ts"

/** Never throws. Patterns are not held, as their dialects differ. */
export const make = (schema: JsonObject): Schema.Codec<unknown, unknown> =>
  Result.getOrElse(Result.try(() => read(schema)), () => anyObject)

const read = (schema: JsonObject): Schema.Codec<unknown, unknown> => {
  const { $schema = "" } = schema
  const isOld = "definitions" in schema || (typeof $schema === "string" && $schema.includes("draft-07"))
  const document = isOld ? JsonSchema.fromSchemaDraft07(schema) : JsonSchema.fromSchemaDraft2020_12(schema)
  const described = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
  return isCodec(described) ? described : anyObject
}

/** A schema of which nobody knows the type. What it asks of services is asked by whoever uses it. */
export const isCodec = (schema: unknown): schema is Schema.Codec<unknown, unknown> => Schema.isSchema(schema)

const anyObject: Schema.Codec<unknown, unknown> = Schema.Record(Schema.String, Schema.Unknown)
