/** The parts of an export over OTLP, in JSON over HTTP. A module of its own, as only few commands load it. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"

const options = { resource: { serviceName: "levain" }, shutdownTimeout: "1 second" } as const

export const tracer = (url: string) => OtlpTracer.layer({ ...options, url: `${url}/v1/traces` })

export const metrics = (url: string) => OtlpMetrics.layer({ ...options, url: `${url}/v1/metrics` })

/** Sends, and says where that fails. */
export const client = (tell: Effect.Effect<void>) =>
  Layer.merge(
    OtlpSerialization.layerJson,
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (fetch) =>
        fetch.pipe(
          HttpClient.filterStatusOk,
          HttpClient.tapError(() => tell)
        ))
    ).pipe(Layer.provide(FetchHttpClient.layer))
  )
