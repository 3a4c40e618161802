/** Building the body of a request to Claude, in a conversation of 800 turns. */
import { Decider, type Reply, RunEvent, Usage } from "@levain/core"
import * as Request from "../../../claude/src/pure/Request.ts"
import { defaults } from "../../../claude/src/pure/Settings.ts"
import { race, type Size, table } from "../Measure.ts"
import * as Work from "../Work.ts"

const usage = Usage.make(Work.tokens)

const transcriptOf = (turns: number) => {
  const begun = RunEvent.stampFact({
    _tag: "RunStarted",
    runId: "body",
    agent: "bench",
    instructions: Work.instructions,
    task: Work.task,
    limits: { maxTurns: turns + 1 }
  }, 0)
  const events = Array.from({ length: turns }, (_, i): ReadonlyArray<RunEvent.RunEvent> => {
    const calls = Work.callsOf(i)
    const reply: Reply.ModelReply = { _tag: "ToolCalls", calls, usage }
    return [
      RunEvent.stampFact({ _tag: "Replied", reply }, 0),
      ...calls.map(({ id }, index) =>
        RunEvent.stampFact({
          _tag: "ToolFinished",
          place: { turn: i + 1, index },
          result: { callId: id, content: "{\"opens\":8,\"closes\":14}", isError: false }
        }, 0)
      )
    ]
  })
  return Decider.fold([begun, ...events.flat()]).transcript
}

export const body = async (size: Size): Promise<void> => {
  const turns = size.quick ? 20 : 800
  const transcript = transcriptOf(turns)
  const build = () => Request.body({ runId: "body", instructions: Work.instructions, tools: [], transcript }, defaults)
  const { messages } = build()
  if (messages.length !== transcript.length) throw new Error(`${messages.length} messages were built`)
  const times = await race([
    { name: "the body as text", go: () => JSON.stringify(messages) },
    { name: "building the body", go: build }
  ], size)
  table(`The body of a request to Claude after ${turns} turns`, "ms", times, ["the body as text"])
}
