/** Runs that are kept, in words: a line each for a list, or the whole story of one. */
import { Limits, type RunEvent, type RunState, Usage } from "@levain/core"
import * as Render from "./Render.ts"
import * as Text from "./Text.ts"

/** `1f2e3d4c  answered  2 turns  431 tokens  Are you open on Sunday?` */
export const runLine = (
  runId: string,
  state: RunState.RunState,
  events: ReadonlyArray<RunEvent.RunEvent>
): string => {
  const { turns, usage } = state.spent
  const task = state.transcript.findLast((message) => message._tag === "Task")
  return columns(
    runId,
    statusOf(state, events),
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    `${Usage.total(usage)} tokens`,
    task?.text ?? ""
  )
}

/** A run that cannot be read. */
export const brokenLine = (runId: string, why: string): string => columns(runId, "unreadable", "", "", why)

const columns = (runId: string, status: string, turns: string, tokens: string, task: string): string =>
  `${runId}  ${status.padEnd(13)}  ${turns.padStart(8)}  ${tokens.padStart(13)}  ${Text.oneLine(task)}`.trimEnd()

const statusOf = ({ stop }: RunState.RunState, events: ReadonlyArray<RunEvent.RunEvent>): string => {
  switch (stop?._tag) {
    case undefined: {
      const last = events.at(-1)?._tag
      return last === "RunFailed" ? "failed" : last === "RunInterrupted" ? "interrupted" : "unfinished"
    }
    case "Answered":
      return "answered"
    case "OutOfTurns":
      return "out of turns"
    case "OutOfTokens":
      return "out of tokens"
    case "OutOfCost":
      return "over its cost"
    case "OutOfTime":
      return "out of time"
    case "Repeating":
      return "repeating"
    case "AwaitingApproval":
      return "waiting"
    case "ModelStopped":
      return stop.reason
  }
}

/** Everything that happened, as it was printed when it did, with what people said between. */
export const story = (events: ReadonlyArray<RunEvent.RunEvent>, style: Render.Style): ReadonlyArray<string> => {
  let screen = Render.empty
  return events.flatMap((event) => {
    const [next, lines] = Render.show(screen, event, style)
    screen = next
    return [...heading(event, style), ...lines]
  })
}

const heading = (event: RunEvent.RunEvent, style: Render.Style): ReadonlyArray<string> => {
  switch (event._tag) {
    case "RunStarted":
    case "FollowedUp":
      return [style.dim(`> ${Text.oneLine(event.task)}`)]
    case "RunResumed":
      return [style.dim(`(taken up again, with ${limitsInWords(event.limits)})`)]
    case "RunFailed":
      return [`${style.bad("failed")}: ${Text.oneLine(event.message)}`]
    case "Replied":
    case "ApprovalAsked":
    case "ApprovalAnswered":
    case "BudgetShared":
    case "ToolSpent":
    case "ToolStarted":
    case "ToolFinished":
    case "LimitReached":
    case "RunStopped":
    case "RunInterrupted":
      return []
  }
}

const limitsInWords = ({ maxCost, maxDuration, maxRepeats, maxTokens, maxTurns }: Limits.Limits): string => {
  const parts = [
    `${maxTurns} turns`,
    ...(maxTokens === undefined ? [] : [`${maxTokens} tokens`]),
    ...(maxCost === undefined ? [] : [`$${maxCost}`]),
    ...(maxDuration === undefined ? [] : [`${maxDuration / 1000} seconds`]),
    ...(maxRepeats === undefined ? [] : [`${maxRepeats} of the same call`])
  ]
  return `at most ${parts.slice(0, -1).join(", ")}${parts.length > 1 ? " and " : ""}${parts.at(-1)}`
}
