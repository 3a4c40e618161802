/** The bakery's agents: one drafts answers to customers' pickup questions, the other takes orders too. */
import { Agent } from "@levain/core"

const limits = { maxTurns: 6, maxTokens: 50_000 }

/** A person reads every draft before it is sent. */
export const pickup = Agent.make("pickup", {
  instructions: "You draft answers to customers' questions about picking up from the bakery. " +
    "Hours, items and prices come from the tools, never from memory. A person reads every draft before it is sent.",
  limits
})

/** A person approves every order before it is placed. */
export const order = Agent.make("order", {
  instructions: "You take customers' orders for pickup from the bakery. " +
    "Hours, items and prices come from the tools, never from memory. Place an order once its items, amounts and day are clear, and " +
    "ask for what is not. A person approves each order, and reads every draft before it is sent.",
  limits
})
