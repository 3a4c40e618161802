/** `--otlp URL`: sends the spans and metrics of what a command runs to an OpenTelemetry collector. */
import { Telemetry } from "@levain/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { UsageError } from "./Ending.ts"

/** The flags as they were written. */
export interface Flags {
  readonly otlp: Option.Option<string>
  readonly otlpContent: boolean
}

/**
 * A tracer and an exporter of metrics where a collector is named. All is sent before the command ends, which waits for that no longer than
 * a second; what cannot be sent is lost, and said once.
 */
export const choose = Effect.fnUntraced(function*(
  { otlp, otlpContent }: Flags
): Effect.fn.Return<Layer.Layer<never>, UsageError> {
  if (Option.isNone(otlp)) {
    return otlpContent
      ? yield* new UsageError({ message: "--otlp-content says what is sent, and --otlp URL where to: name that too." })
      : Layer.empty
  }
  const url = yield* Effect.mapError(Effect.fromNullishOr(urlOf(otlp.value)), () => new UsageError({ message: noUrl }))
  return Layer.merge(exporter(url), Telemetry.layer({ content: otlpContent }))
})

const noUrl = "--otlp takes the http:// or https:// address of a collector, such as http://localhost:4318."

const urlOf = (text: string): string | undefined =>
  URL.canParse(text) && /^https?:/i.test(text) ? text.replace(/\/+$/, "") : undefined

/** Loaded only when it is asked for: start-up is a feature. */
const exporter = (url: string): Layer.Layer<never> =>
  Layer.unwrap(Effect.gen(function*() {
    const { client, metrics, tracer } = yield* Effect.promise(() => import("./OtlpExporter.ts"))
    let isTold = false
    const tell = Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Console.error(`levain: spans and metrics could not be sent to the collector at ${new URL(url).host}.`)
    })
    return Layer.merge(tracer(url), metrics(url)).pipe(Layer.provide(client(tell)))
  }))
