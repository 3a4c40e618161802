/**
 * Spans and metrics of runs, in OpenTelemetry's names for generative AI. A span `invoke_agent` holds the turns of a run, a turn its request
 * `chat` and its calls `execute_tool`, and one of these the whole run of an agent that is called. All of it is on where the program has a
 * tracer, as any OpenTelemetry Layer gives one, and otherwise costs nothing.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

export interface Options {
  /** Whether spans hold what was said: instructions, tasks, replies, inputs and results. False by default. */
  readonly content?: boolean
  /** Whether runs are measured without a tracer too, for metrics alone. False by default. */
  readonly always?: boolean
}

/** How runs are traced and measured. */
export const Telemetry = Context.Reference<Options>("@levain/core/Telemetry", { defaultValue: () => ({}) })

/** Traces and measures the runs of a program so. */
export const layer = (options: Options): Layer.Layer<never> => Layer.succeed(Telemetry, options)

/** Tokens of a request, `gen_ai.token.type` says which: `input`, what the cache read and wrote included, or `output`. */
export const tokens = Metric.histogram("gen_ai.client.token.usage", {
  description: "Tokens of a request",
  attributes: { unit: "{token}" },
  boundaries: Array.from({ length: 14 }, (_, i) => 4 ** i)
})

/** How long requests, tool calls and whole runs took, in seconds; `gen_ai.operation.name` says which, `error.type` how it failed. */
export const duration = Metric.histogram("gen_ai.client.operation.duration", {
  description: "How long an operation took",
  attributes: { unit: "s" },
  boundaries: Array.from({ length: 14 }, (_, i) => 2 ** i / 100)
})

/** What requests cost, in US dollars, as far as that is known. */
export const cost = Metric.counter("levain.cost", {
  description: "What requests cost",
  attributes: { unit: "USD" },
  incremental: true
})

/** Calls whose result is a failure; `error.type` says which. */
export const toolFailures = Metric.counter("levain.tool.failures", {
  description: "Calls whose result is a failure",
  attributes: { unit: "{call}" },
  incremental: true
})
