/**
 * The request half of an adapter for the Claude Messages API. So far it has the tools alone: the messages, the client and the
 * `Model` Layer are not written yet.
 */
import type { Json, Tool } from "@levain/core"

/** A tool as the Messages API takes it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: Json.JsonObject
  readonly strict: true
}

/** Tools as the API takes them, strict: the schema of a spec is checked for that when its toolset is built. */
export const tools = (specs: ReadonlyArray<Tool.ToolSpec>): ReadonlyArray<ToolDefinition> =>
  specs.map(({ description, inputSchema, name }) => ({ name, description, input_schema: inputSchema, strict: true }))
