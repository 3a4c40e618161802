/** Levain: the agent as a user writes one, with its inputs decoded, its results encoded and every step recorded. */
import { Agent, Model, type Reply, Tool, Toolset, Usage } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Work from "../Work.ts"
import { Day, Hours, Item, Price } from "./schemas.ts"

const usage = Usage.make(Work.tokens)

/** Replies from a script, and reads no transcript: how long it takes to read one is the model's own. */
const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) => {
  let turn = 0
  const reply = Effect.sync((): Reply.ModelReply => {
    tally.replies++
    tally.asked?.()
    return turn < turns
      ? { _tag: "ToolCalls", calls: Work.callsOf(turn++), usage }
      : { _tag: "Answer", text: Work.answer, usage }
  })
  const thinking = thinks > 0 ? Effect.tap(reply, () => Effect.sleep(thinks)) : reply
  return Model.Model.of({ reply: () => thinking })
}

const toolsOf = (tally: Work.Tally) =>
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

export const levain: Work.Contender = {
  name: "Levain",
  prepare: async (tally) => {
    const toolset = await Effect.runPromise(Effect.scoped(Effect.provide(Toolset.Toolset, toolsOf(tally))))
    return async (work) => {
      const agent = Agent.make("bench", { instructions: Work.instructions, limits: { maxTurns: work.turns + 1 } })
      const { stop } = await Agent.run(agent, Work.task).pipe(
        Effect.provideService(Model.Model, modelOf(work, tally)),
        Effect.provideService(Toolset.Toolset, toolset),
        Effect.runPromise
      )
      if (stop._tag !== "Answered") throw new Error(`the run ended with ${stop._tag}`)
    }
  }
}
