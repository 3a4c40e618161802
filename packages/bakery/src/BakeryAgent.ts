/** The agent that drafts answers to customers' pickup questions. A person reads every draft before it is sent. */
import { Agent } from "@levain/core"

export const pickup = Agent.make("pickup", {
  instructions: "You draft answers to customers' questions about picking up from the bakery. " +
    "Hours, items and prices come from the tools, never from memory. A person reads every draft before it is sent.",
  limits: { maxTurns: 6, maxTokens: 50_000 }
})
