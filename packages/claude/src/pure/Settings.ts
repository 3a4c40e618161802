/** What every request of a `ClaudeModel` has in common. */
import * as Schema from "effect/Schema"

/** How much work a reply is worth; `default` leaves it to the model. */
export const Effort = Schema.Literals(["low", "medium", "high", "xhigh", "max", "default"])
export type Effort = typeof Effort.Type

/** A model's name: no white space, nothing blank. */
const ModelName = Schema.String.check(Schema.isPattern(/^\S+$/u))

export const Settings = Schema.Struct({
  model: ModelName,
  effort: Effort,
  /** A hard cap on one reply's tokens, thinking included. */
  maxTokens: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  /** Whether the API holds the model to the tools' schemas, as far as it takes them: see `Tools`. */
  strict: Schema.Boolean,
  /** Which models answer what this one declines: the API's own choice, these in order (three at most), or none. */
  fallback: Schema.Union([
    Schema.Literals(["default", "off"]),
    Schema.NonEmptyArray(ModelName).check(Schema.isMaxLength(3))
  ]),
  /** How long the prompt's beginning is kept in the provider's cache. One hour costs more and survives a pause. */
  cache: Schema.Literals(["5m", "1h", "off"]),
  /** Whether watchers see a summary of what the model thinks. */
  thinking: Schema.Literals(["omitted", "summarized"])
})
export type Settings = typeof Settings.Type

export const defaults: Settings = {
  model: "claude-opus-5-5",
  effort: "medium",
  maxTokens: 16_000,
  strict: true,
  fallback: "default",
  cache: "5m",
  thinking: "omitted"
}
