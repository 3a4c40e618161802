/** The API's JSON as the fake and its validator read it: loose, as it may be wrong. */

export interface Block {
  type: string
  text?: string
  thinking?: string
  signature?: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  content?: string | ReadonlyArray<Block>
  cache_control?: unknown
  [key: string]: unknown
}

export interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: ReadonlyArray<string>
  items?: JsonSchema
  anyOf?: ReadonlyArray<JsonSchema>
  additionalProperties?: unknown
}

interface Tool {
  name: string
  strict?: boolean
  input_schema: JsonSchema
  cache_control?: unknown
}

export interface Message {
  role: string
  content: string | ReadonlyArray<Block>
}

export interface Body {
  max_tokens?: number
  system?: ReadonlyArray<Block>
  tools?: ReadonlyArray<Tool>
  messages: ReadonlyArray<Message>
  tool_choice?: { type: string }
  thinking?: { type: string }
  output_config?: { effort?: unknown }
  fallbacks?: unknown
  [key: string]: unknown
}

/** The parts of an answer that a test names. */
export interface Answer {
  content: ReadonlyArray<Block>
  stop_reason?: string | null
  stop_details?: unknown
  usage?: Record<string, unknown>
  model?: string
}

/** One event of a stream. */
export interface Event {
  type: string
  index?: number
  content_block?: Block
  delta?: Partial<Block> & { partial_json?: string; stop_reason?: string | null }
  message?: unknown
  usage?: unknown
  error?: unknown
}
