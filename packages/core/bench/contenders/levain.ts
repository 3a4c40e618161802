/** Levain: the agent as a user writes one, with its inputs decoded, its results encoded and every step recorded. */
import { Agent, Model, type Reply, Tool, Toolset, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Work from "../Work.ts"
import { Day, Hours, Item, Price } from "./schemas.ts"

const usage = Usage.make(Work.tokens)

/** Stateless, as every model is: the turn is read from the transcript. */
export const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) =>
  Layer.succeed(Model.Model, {
    reply: ({ transcript }) => {
      const reply = Effect.sync((): Reply.ModelReply => {
        tally.replies++
        tally.asked?.()
        const turn = (transcript.length - 1) / 2
        return turn < turns
          ? { _tag: "ToolCalls", calls: Work.callsOf(turn), usage }
          : { _tag: "Answer", text: Work.answer, usage }
      })
      return thinks > 0 ? Effect.tap(reply, () => Effect.sleep(thinks)) : reply
    }
  })

export const toolsOf = (tally: Work.Tally) =>
  Toolset.layer(
    Tool.make("menu_item", {
      description: Work.descriptions.menu_item,
      input: Item,
      output: Price,
      run: (item) => Effect.sync(() => Work.menuItem(tally, item))
    }),
    Tool.make("opening_hours", {
      description: Work.descriptions.opening_hours,
      input: Day,
      output: Hours,
      run: (day) => Effect.sync(() => Work.openingHours(tally, day))
    })
  )

export const agentOf = ({ turns }: Work.Work) =>
  Agent.make("bench", { instructions: Work.instructions, limits: { maxTurns: turns + 1 } })

export const levain: Work.Contender = {
  name: "Levain",
  run: async (work, tally) => {
    const { stop } = await Agent.run(agentOf(work), Work.task).pipe(
      Effect.provide([modelOf(work, tally), toolsOf(tally)]),
      Effect.runPromise
    )
    if (stop._tag !== "Answered") throw new Error(`the run ended with ${stop._tag}`)
  }
}
