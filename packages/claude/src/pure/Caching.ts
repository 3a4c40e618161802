/**
 * Cache markers, set when a request is sent and kept nowhere. Three of the API's four: the end of what stays the same for a run, and
 * the ends of the last two turns. The one before the newest is where the last request wrote, which a wide turn would otherwise put out
 * of reach of the API's look-back of 20 blocks (Anthropic's "Prompt caching" page).
 */
import type {
  BetaCacheControlEphemeral,
  BetaMessageParam,
  MessageCreateParamsStreaming
} from "@anthropic-ai/sdk/resources/beta/messages/messages"
import type { Settings } from "./Settings.ts"

export const mark = (body: MessageCreateParamsStreaming, cache: Settings["cache"]): MessageCreateParamsStreaming => {
  if (cache === "off") return body
  const marker: BetaCacheControlEphemeral = cache === "5m" ? { type: "ephemeral" } : { type: "ephemeral", ttl: cache }
  const turns = body.messages.flatMap(({ role }, i) => role === "user" ? [i] : []).slice(-2)
  return {
    ...body,
    ...fixedPart(body, marker),
    messages: body.messages.map((message, i) => turns.includes(i) ? markMessage(message, marker) : message)
  }
}

/** Tools come before the system prompt in what the API caches, so one marker at the end of both covers them. */
const fixedPart = (
  { system, tools }: MessageCreateParamsStreaming,
  marker: BetaCacheControlEphemeral
): Pick<MessageCreateParamsStreaming, "system" | "tools"> => {
  if (Array.isArray(system)) return { system: markLast(system, marker) }
  return tools === undefined ? {} : { tools: markLast(tools, marker) }
}

const markMessage = (message: BetaMessageParam, marker: BetaCacheControlEphemeral): BetaMessageParam =>
  message.role === "user" && Array.isArray(message.content)
    ? { ...message, content: markLast(message.content, marker) }
    : message

const markLast = <A extends object>(items: ReadonlyArray<A>, marker: BetaCacheControlEphemeral): Array<A> =>
  items.map((item, i) => i === items.length - 1 ? { ...item, cache_control: marker } : item)
