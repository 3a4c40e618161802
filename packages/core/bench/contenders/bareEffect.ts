/** The floor of Effect: a bare loop that decodes each input by its Schema and encodes each result, and keeps nothing but the transcript. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Work from "../Work.ts"
import { Day, Hours, Item, Price } from "./schemas.ts"

const decodeItem = Schema.decodeUnknownEffect(Item)
const decodeDay = Schema.decodeUnknownEffect(Day)
const encodePrice = Schema.encodeEffect(Schema.fromJsonString(Price))
const encodeHours = Schema.encodeEffect(Schema.fromJsonString(Hours))

interface Reply {
  readonly calls: ReadonlyArray<Work.Call>
  readonly text: string
}

const modelOf = ({ thinks, turns }: Work.Work, tally: Work.Tally) => (turn: number): Effect.Effect<Reply> => {
  const reply = Effect.sync((): Reply => {
    tally.replies++
    tally.asked?.()
    return turn < turns ? { calls: Work.callsOf(turn), text: "" } : { calls: [], text: Work.answer }
  })
  return thinks > 0 ? Effect.tap(reply, () => Effect.sleep(thinks)) : reply
}

const toolsOf = (tally: Work.Tally) => ({
  menu_item: (input: unknown) => Effect.flatMap(decodeItem(input), (item) => encodePrice(Work.menuItem(tally, item))),
  opening_hours: (input: unknown) =>
    Effect.flatMap(decodeDay(input), (day) => encodeHours(Work.openingHours(tally, day)))
})

export const bareEffect: Work.Contender = {
  name: "bare Effect loop",
  prepare: async (tally) => (work) => {
    const model = modelOf(work, tally)
    const tools = toolsOf(tally)
    return Effect.gen(function*() {
      const transcript: Array<unknown> = [Work.task]
      for (let turn = 0;; turn++) {
        const reply = yield* model(turn)
        transcript.push(reply)
        if (reply.calls.length === 0) return
        transcript.push(
          yield* Effect.forEach(
            reply.calls,
            ({ id, input, name }) => Effect.map(tools[name](input), (content) => ({ id, content })),
            { concurrency: "unbounded" }
          )
        )
      }
    }).pipe(Effect.orDie, Effect.runPromise)
  }
}
