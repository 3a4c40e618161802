/** Vercel's AI SDK: `generateText` with the same tools, whose loop is the library's. */
import { generateText, isStepCount, tool } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import * as z from "zod"
import * as Work from "../Work.ts"

const usage = {
  inputTokens: { total: Work.tokens.input, noCache: Work.tokens.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: Work.tokens.output, text: Work.tokens.output, reasoning: 0 }
}

/** What the test model would remember of every request is forgotten, as no other model remembers any. */
const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) => {
  let turn = 0
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      model.doGenerateCalls.length = 0
      tally.replies++
      tally.asked?.()
      if (thinks > 0) await new Promise((resolve) => setTimeout(resolve, thinks))
      if (turn === turns) {
        return {
          content: [{ type: "text", text: Work.answer }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: []
        }
      }
      return {
        content: Work.callsOf(turn++).map(({ id, input, name }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input)
        })),
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: []
      }
    }
  })
  return model
}

const toolsOf = (tally: Work.Tally) => ({
  menu_item: tool({
    description: Work.descriptions.menu_item,
    inputSchema: z.object({ name: z.string(), count: z.int() }),
    execute: async (item) => Work.menuItem(tally, item)
  }),
  opening_hours: tool({
    description: Work.descriptions.opening_hours,
    inputSchema: z.object({
      day: z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
    }),
    execute: async (day) => Work.openingHours(tally, day)
  })
})

export const vercel: Work.Contender = {
  name: "Vercel AI SDK",
  prepare: async (tally) => {
    const tools = toolsOf(tally)
    return async (work) => {
      await generateText({
        model: modelOf(work, tally),
        tools,
        instructions: Work.instructions,
        prompt: Work.task,
        stopWhen: isStepCount(work.turns + 1)
      })
    }
  }
}
