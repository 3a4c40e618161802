/** `levain mcp`: an agent and its tools, served to other programs as an MCP server. */
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { loaded } from "../Handler.ts"

export const mcp = Command.make(
  "mcp",
  {
    agent: Flags.agent,
    journal: Flags.journal,
    noJournal: Flags.noJournal,
    ...Flags.model,
    ...Flags.limit
  },
  loaded(() => import("../handlers/mcp.ts").then((handler) => handler.mcp))
).pipe(
  Command.withDescription(
    "Serve an agent's tools, and the agent itself as one tool that takes a task, as an MCP server on standard input and output. A call that " +
      "needs a person's yes is refused."
  ),
  Command.withShortDescription("Serve an agent and its tools over MCP"),
  Command.withExamples([
    {
      command: "claude mcp add bakery -- levain mcp",
      description: "The bakery's agent, as a server of another program"
    }
  ])
)
