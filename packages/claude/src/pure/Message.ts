/** A message of the Messages API as it came over the wire: what we read of it is checked, the rest is kept as it is. */
import { Json } from "@levain/core"
import * as Result from "effect/Result"
import * as Native from "./Native.ts"

export interface Message {
  readonly model: string
  readonly content: ReadonlyArray<Native.Block>
  readonly stop_reason: string | null
  readonly stop_details: Json.JsonObject
  readonly usage: Json.JsonObject
}

/** Reads an answer's body, or says in words why it is no message. */
export const fromUnknown = (value: unknown): Result.Result<Message, string> =>
  Result.flatMap(Json.fromUnknown(value), (json) => {
    if (!Json.isObject(json)) return Result.fail("it is no JSON object")
    const { content, model, stop_details, stop_reason, usage } = json
    if (!Array.isArray(content) || !content.every(Native.isBlock)) return Result.fail("it has no content")
    if (stop_reason !== undefined && stop_reason !== null && typeof stop_reason !== "string") {
      return Result.fail("its stop_reason is no word")
    }
    return Result.succeed({
      model: typeof model === "string" ? model : "",
      content: content.filter(Native.isBlock),
      stop_reason: stop_reason ?? null,
      stop_details: Json.isObject(stop_details) ? stop_details : {},
      usage: Json.isObject(usage) ? usage : {}
    })
  })
