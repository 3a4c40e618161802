/** What several commands take, in one place. What it says is read elsewhere: help and completions load no more than this. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

/** The run that a command is about. */
export const run = Argument.String("run").pipe(
  Argument.withDescription("A run's id, the beginning of one, or last")
)

export const agent = Flag.String("agent").pipe(
  Flag.withMetavar("agent"),
  Flag.withDefault("pickup"),
  Flag.withDescription(
    "Which agent answers: pickup drafts answers; order places orders too, each with a person's yes; ./agent.ts is one of your own, " +
      "by default export: { agent, tools, model? }"
  )
)

/** The same for a run that is taken up. */
export const agentOfRun = Flag.String("agent").pipe(
  Flag.withMetavar("file"),
  Flag.optional,
  Flag.withDescription("The file of the agent, where the run was begun with one of your own")
)

export const journal = Flag.String("journal").pipe(
  Flag.withMetavar("place"),
  Flag.optional,
  Flag.withDescription(
    "Where runs are kept: a folder, sqlite:FILE or a postgres:// URL (LEVAIN_JOURNAL, or levain/runs in your state folder)"
  )
)

export const noJournal = Flag.Boolean("no-journal").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Do not keep this run")
)

export const model = {
  model: Flag.Literals("model", ["offline", "claude"]).pipe(
    Flag.optional,
    Flag.withDescription(
      "Which model answers: claude needs a key in ANTHROPIC_API_KEY and is the default where there is one; offline is plain " +
        "rules for questions to the bakery"
    )
  ),
  claudeModel: Flag.String("claude-model").pipe(
    Flag.withMetavar("name"),
    Flag.optional,
    Flag.withDescription("Which Claude (claude-opus-5-5)")
  ),
  effort: Flag.Literals("effort", ["low", "medium", "high", "xhigh", "max", "default"]).pipe(
    Flag.optional,
    Flag.withDescription("How hard Claude works on a reply (medium)")
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withMetavar("url"),
    Flag.optional,
    Flag.withDescription("Where the Messages API is (ANTHROPIC_BASE_URL, or Anthropic's own)")
  )
}

export const otlp = {
  otlp: Flag.String("otlp").pipe(
    Flag.withMetavar("url"),
    Flag.optional,
    Flag.withDescription("Send spans and metrics to the OpenTelemetry collector there: http://localhost:4318")
  ),
  otlpContent: Flag.Boolean("otlp-content").pipe(
    Flag.withDefault(false),
    Flag.withDescription("With --otlp, send what was said too: instructions, messages, inputs and results")
  )
}

const limitFlag = (name: string, description: string, takes = "number") =>
  Flag.String(name).pipe(Flag.withMetavar(takes), Flag.optional, Flag.withDescription(description))

export const limit = {
  maxTurns: limitFlag("max-turns", "How often the model is asked at most (the agent's own limit: 6)"),
  maxTokens: limitFlag(
    "max-tokens",
    "After how many tokens the model is not asked again (the agent's own limit: 50000)"
  ),
  maxCost: limitFlag("max-cost", "After how many US dollars the model is not asked again (none)"),
  maxDuration: limitFlag(
    "max-duration",
    "After how long the model is not asked again: \"30 seconds\", or 30 (none)",
    "time"
  ),
  maxRepeats: limitFlag(
    "max-repeats",
    "How often the same call with the same input runs (as often as it is asked for)"
  ),
  finalAnswer: Flag.Boolean("final-answer").pipe(
    Flag.optional,
    Flag.withDescription("At a limit, ask the model once more for words, without tools")
  )
}

export const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print the run's events instead, one JSON object a line")
)

/** How a run is shown that a command plays. */
export const show = {
  json,
  quiet: Flag.Boolean("quiet").pipe(
    Flag.withAlias("q"),
    Flag.withDefault(false),
    Flag.withDescription("Print the answer alone, or why there is none (with --json, the events all the same)")
  )
}

export const mcp = Flag.String("mcp").pipe(
  Flag.withMetavar("command"),
  Flag.atLeast(0),
  Flag.withDescription(
    "Add the tools of an MCP server, by its command or its http:// address; may be given more than once"
  )
)
