/** modelless: an agent that cannot be run. */
import greeter from "./greeter.ts"

export default { agent: greeter.agent, tools: greeter.tools }
