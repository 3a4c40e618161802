/**
 * Tools as the Messages API takes them. Its grammar for strict tools has room for so many tools, optional fields and unions a
 * request (Anthropic's "Structured outputs" page); the tools that no longer fit are sent unstrict, and decoding holds them all the same.
 */
import type { BetaTool } from "@anthropic-ai/sdk/resources/beta/messages/messages"
import { Json, type Tool } from "@levain/core"

export interface Definitions {
  readonly tools: Array<BetaTool>
  /** The tools that were to be strict and did not fit. */
  readonly unstrict: ReadonlyArray<string>
}

const room = { tools: 20, optional: 24, unions: 16 }

/** Strict in the order given, for as long as there is room. */
export const definitions = (specs: ReadonlyArray<Tool.ToolSpec>, strict: boolean): Definitions => {
  const tools: Array<BetaTool> = []
  const unstrict: Array<string> = []
  const left = { ...room }
  for (const { description, inputSchema, name, strict: canBeStrict } of specs) {
    const needs = { tools: 1, ...needsOf(inputSchema) }
    const fits = canBeStrict !== false && left.tools >= needs.tools && left.optional >= needs.optional &&
      left.unions >= needs.unions
    if (strict && fits) {
      left.tools -= needs.tools
      left.optional -= needs.optional
      left.unions -= needs.unions
    }
    if (strict && !fits) unstrict.push(name)
    tools.push({
      name,
      description,
      input_schema: { ...inputSchema, type: "object" },
      ...(strict && fits ? { strict: true } : {})
    })
  }
  return { tools, unstrict }
}

interface Needs {
  readonly optional: number
  readonly unions: number
}

const needsOf = (schema: Json.JsonObject): Needs => {
  const { anyOf, items, properties, required } = schema
  const fields = Json.isObject(properties) ? Object.keys(properties) : []
  const needed = Array.isArray(required) ? required : []
  const own = {
    optional: fields.filter((field) => !needed.includes(field)).length,
    unions: Array.isArray(anyOf) ? 1 : 0
  }
  return [
    ...(Json.isObject(properties) ? Object.values(properties) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items])
  ].filter(Json.isObject).map(needsOf).reduce(
    (sum, part) => ({ optional: sum.optional + part.optional, unions: sum.unions + part.unions }),
    own
  )
}
