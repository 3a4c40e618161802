/** Whatever the SDK, the network or a proxy throws, as the one `ModelError`. It branches on status, type and code, never on wording. */
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError
} from "@anthropic-ai/sdk/core/error"
import { Json, Model, type Usage } from "@levain/core"

/** Makes one. `now` is the time in milliseconds since 1970, for servers that say until when to wait. */
export const fromUnknown = (thrown: unknown, now: number): Model.ModelError => {
  const error = rootOf(thrown)
  if (error instanceof Model.ModelError) return error
  if (error instanceof APIConnectionTimeoutError) return make("timeout", "the API took too long to answer")
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) {
    return make("connection", `the API cannot be reached: ${deepestLine(error)}`)
  }
  if (error instanceof APIError) return fromApi(error, now)
  if (error instanceof SyntaxError) return make("malformed", `the API's answer is not JSON: ${error.message}`)
  return make("connection", `the API's answer broke off: ${deepestLine(error)}`)
}

/** An answer that is no message. */
export const malformed = (why: string): Model.ModelError =>
  make("malformed", `the API's answer is no message: ${short(why)}`)

/** The answer ended before the message did. */
export const cutOff = (): Model.ModelError => make("connection", "the API's answer broke off before its end")

/** Nothing came for `wait`. */
export const stalled = (wait: string): Model.ModelError => make("timeout", `nothing came from the API for ${wait}`)

/** The same error, with what the attempt cost and with no secret in its message. */
export const complete = (
  error: Model.ModelError,
  details: {
    readonly secret: string
    readonly requestId?: string | undefined
    readonly usage?: Usage.Usage | undefined
  }
): Model.ModelError =>
  Model.amend(error, {
    message: withoutSecret(error.message, details.secret),
    requestId: withoutSecret(error.requestId ?? details.requestId, details.secret),
    usage: details.usage
  })

/** A key so short is none, and would be found in every word. */
const shortestKey = 8

const withoutSecret = <T extends string | undefined>(text: T, secret: string): T | string =>
  text === undefined || secret.length < shortestKey
    ? text
    : text.replaceAll(secret, "(the key)").replaceAll(JSON.stringify(secret).slice(1, -1), "(the key)")

type Details = Partial<Pick<Model.ModelError, "requestId" | "retryAfter" | "retryable">>

const make = (reason: Model.ModelErrorReason, what: string, details: Details = {}): Model.ModelError =>
  new Model.ModelError({ reason, message: `Claude: ${what}.${hints[reason] ?? ""}`, ...details })

/** What a person can do about it, where they can. */
const hints: { readonly [reason in Model.ModelErrorReason]?: string } = {
  authentication: " Check ANTHROPIC_API_KEY.",
  permission: " This key may not use this model or feature.",
  notFound: " Check the model's name and the base URL.",
  spendLimit: " Raise the limit in the provider's console, or wait until it starts anew.",
  tooLarge: " Shorten the task or what the tools return."
}

/** The SDK wraps what it does not know in errors of its own and keeps it as their cause. */
const rootOf = (thrown: unknown): unknown => {
  if (!(thrown instanceof Error) || thrown instanceof APIError || thrown.cause === undefined) return thrown
  return rootOf(thrown.cause)
}

const deepestLine = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause !== undefined
    ? deepestLine(thrown.cause)
    : short(Json.line(thrown).replace(/^\w*Error: /, ""))

/** One line of what somebody else wrote, and not too long a one. */
const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line.replace(/\.$/, "")
}

const fromApi = (error: APIError, now: number): Model.ModelError => {
  const { apiMessage, headers, status } = error
  const told = apiMessage === null ? "" : `: ${short(apiMessage)}`
  return make(reasonOf(error), `the API answered ${status ?? error.type ?? "with an error"}${told}`, {
    requestId: error.requestID ?? headers?.get("request-id") ?? undefined,
    retryAfter: waitOf(headers, now),
    retryable: retryableBy(headers, isSpendLimit(error))
  })
}

/** A spend limit stays reached, whatever the header says. */
const retryableBy = (headers: Headers | undefined, isSpent: boolean): boolean | undefined => {
  const told = headers?.get("x-should-retry")
  if (told === "false") return false
  return told === "true" && !isSpent ? true : undefined
}

const spendLimits: ReadonlySet<string | null> = new Set([
  "enforced_spend_limit_reached",
  "contract_spend_limit_reached"
])

const isSpendLimit = ({ errorCode, type }: APIError): boolean => spendLimits.has(errorCode) || type === "billing_error"

const reasonOf = (error: APIError): Model.ModelErrorReason => {
  const { status, type } = error
  if (isSpendLimit(error)) return "spendLimit"
  if (status === undefined) return byType[type ?? ""] ?? "server"
  return byStatus[status] ?? (status >= 500 ? "server" : byType[type ?? ""] ?? "badRequest")
}

const byStatus: { readonly [status: number]: Model.ModelErrorReason } = {
  401: "authentication",
  402: "spendLimit",
  403: "permission",
  404: "notFound",
  408: "timeout",
  // A conflict with another request passes by itself.
  409: "server",
  413: "tooLarge",
  429: "rateLimited",
  499: "connection",
  503: "overloaded",
  504: "timeout",
  529: "overloaded"
}

/** For errors that come in the middle of a stream, where the status was 200. */
const byType: { readonly [type: string]: Model.ModelErrorReason } = {
  invalid_request_error: "badRequest",
  authentication_error: "authentication",
  permission_error: "permission",
  not_found_error: "notFound",
  request_too_large: "tooLarge",
  rate_limit_error: "rateLimited",
  overloaded_error: "overloaded",
  timeout_error: "timeout",
  api_error: "server"
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, in milliseconds. Nothing for what is no wait. */
const waitOf = (headers: Headers | undefined, now: number): number | undefined => {
  const exact = headers?.get("retry-after-ms") ?? ""
  const told = headers?.get("retry-after") ?? ""
  const seconds = toNumber(told)
  const waits = [toNumber(exact), Number.isNaN(seconds) ? Date.parse(told) - now : seconds * 1000]
  const wait = waits.find((millis) => millis > 0)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), Number.MAX_SAFE_INTEGER)
}

const toNumber = (text: string): number => text.trim() === "" ? NaN : Number(text)
