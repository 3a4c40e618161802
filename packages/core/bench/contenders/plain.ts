/** The floor: a loop of promises that checks nothing and keeps nothing but the transcript. */
import * as Work from "../Work.ts"

interface Reply {
  readonly calls: ReadonlyArray<Work.Call>
  readonly text: string
}

const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) => async (turn: number): Promise<Reply> => {
  tally.replies++
  tally.asked?.()
  if (thinks > 0) await new Promise((resolve) => setTimeout(resolve, thinks))
  return turn < turns ? { calls: Work.callsOf(turn), text: "" } : { calls: [], text: Work.answer }
}

const tools = {
  menu_item: async (tally: Work.Tally, item: Work.Item) => Work.menuItem(tally, item),
  opening_hours: async (tally: Work.Tally, day: Work.Day) => Work.openingHours(tally, day)
}

const answerTo = async (call: Work.Call, tally: Work.Tally) =>
  JSON.stringify(
    await (call.name === "menu_item" ? tools.menu_item(tally, call.input) : tools.opening_hours(tally, call.input))
  )

export const plain: Work.Contender = {
  name: "plain promises",
  prepare: async (tally) => async (work) => {
    const model = modelOf(work, tally)
    const transcript: Array<unknown> = [Work.task]
    for (let turn = 0;; turn++) {
      const reply = await model(turn)
      transcript.push(reply)
      if (reply.calls.length === 0) return
      transcript.push(
        await Promise.all(reply.calls.map(async (call) => ({ id: call.id, content: await answerTo(call, tally) })))
      )
    }
  }
}
