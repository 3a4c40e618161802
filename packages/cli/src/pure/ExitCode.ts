/** What the command's exit code says. */
import type { Stop } from "@levain/core"

/** The run ended on an error: no model could be reached, or something broke. */
export const failed = 1

/** The command was used wrongly, and nothing ran. */
export const usage = 2

const codes: { readonly [Tag in Stop.Stop["_tag"]]: number } = {
  Answered: 0,
  OutOfTurns: 3,
  OutOfTokens: 4,
  ModelStopped: 5,
  OutOfCost: 6,
  OutOfTime: 7,
  Repeating: 8,
  AwaitingApproval: 9
}

/** The code of a run that stopped: 0 only for an answer. */
export const ofStop = ({ _tag }: Stop.Stop): number => codes[_tag]

/** The codes in words, for the help text. */
export const help =
  "Exit codes: 0 answered, 1 the run failed, 2 wrong usage, 3 out of turns, 4 out of tokens, 5 the model stopped " +
  "without an answer, 6 over its cost, 7 out of time, 8 repeating itself, 9 waiting for a person, 130 interrupted."
