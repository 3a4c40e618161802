/** effect/ai: a conversation with a toolkit, whose calls the library decodes, runs and encodes; the loop around it is the user's. */
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Work from "../Work.ts"
import { Day, Hours, Item, Price } from "./schemas.ts"

const finish = (reason: Response.FinishReason): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: Work.tokens.input, total: Work.tokens.input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: Work.tokens.output, text: Work.tokens.output, reasoning: 0 }
  },
  response: undefined
})

const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) => {
  let turn = 0
  const reply = Effect.sync((): Array<Response.PartEncoded> => {
    tally.replies++
    tally.asked?.()
    if (turn === turns) return [{ type: "text", text: Work.answer }, finish("stop")]
    const calls = Work.callsOf(turn++).map(({ id, input, name }) => ({
      type: "tool-call" as const,
      id,
      name,
      params: input
    }))
    return [...calls, finish("tool-calls")]
  })
  return LanguageModel.make({
    generateText: () => thinks > 0 ? Effect.tap(reply, () => Effect.sleep(thinks)) : reply,
    streamText: () => Stream.empty
  })
}

const toolkit = Toolkit.make(
  Tool.make("menu_item", { description: Work.descriptions.menu_item, parameters: Item, success: Price }),
  Tool.make("opening_hours", { description: Work.descriptions.opening_hours, parameters: Day, success: Hours })
)

const toolsOf = (tally: Work.Tally) =>
  toolkit.toLayer({
    menu_item: (item) => Effect.sync(() => Work.menuItem(tally, item)),
    opening_hours: (day) => Effect.sync(() => Work.openingHours(tally, day))
  })

export const effectAi: Work.Contender = {
  name: "effect/ai",
  prepare: async (tally) => {
    const tools = await Effect.runPromise(Effect.provide(toolkit, toolsOf(tally)))
    return (work) =>
      Effect.gen(function*() {
        const chat = yield* Chat.fromPrompt([
          { role: "system", content: Work.instructions },
          { role: "user", content: [{ type: "text", text: Work.task }] }
        ])
        while (true) {
          const response = yield* chat.generateText({ prompt: [], toolkit: tools, concurrency: "unbounded" })
          if (response.finishReason !== "tool-calls") return
        }
      }).pipe(
        Effect.provideServiceEffect(LanguageModel.LanguageModel, modelOf(work, tally)),
        Effect.orDie,
        Effect.runPromise
      )
  }
}
