/** An agent whose name breaks whatever reads it. */
import greeter from "./greeter.ts"

export default {
  ...greeter,
  agent: {
    instructions: "Break.",
    limits: greeter.agent.limits,
    get name(): string {
      throw new Error("a wheel came off")
    }
  }
}
