/** The command tree, and what each ending prints. `main` never fails: its value is the exit code. */
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { approvals } from "./commands/approvals.ts"
import { approve, deny } from "./commands/approve.ts"
import { ask } from "./commands/ask.ts"
import { demo } from "./commands/demo.ts"
import { reply, resume } from "./commands/resume.ts"
import { runs } from "./commands/runs.ts"
import { show } from "./commands/show.ts"
import * as ExitCode from "./pure/ExitCode.ts"
import * as Render from "./pure/Render.ts"

/** The version that `levain --version` prints. */
const version = "0.1.0"

const levain = Command.make("levain").pipe(
  Command.withDescription("A functional agent runtime: ask the example agent of a bakery, and watch it run."),
  Command.withSubcommands([ask, runs, show, resume, reply, approvals, approve, deny, demo])
)

/** Runs the command on these arguments, without the names of the program and of Node. No arguments ask for help. */
export const main = (args: ReadonlyArray<string>) =>
  Command.runWith(levain, { version })(args.length === 0 ? ["--help"] : args).pipe(
    Effect.as(0),
    Effect.catch((error) => {
      if (CliError.isCliError(error)) return Effect.succeed(ExitCode.usage)
      switch (error._tag) {
        case "Ended":
          return Effect.succeed(error.code)
        case "UsageError":
          return Effect.as(complain(error.message), ExitCode.usage)
        case "Failed":
        case "InvalidTool":
        case "JournalError":
          return Effect.as(complain(error.message), ExitCode.failed)
      }
    }),
    Effect.provideService(CliOutput.Presenter, presenter)
  )

const complain = (message: string) => Console.error(`levain: ${Render.oneLine(message)}`)

/** Help as the library writes it; wrong usage as one line. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const [first] = event.errors
    const what = Render.oneLine(first?.message ?? "that is no command")
    return complain(`${what}${/[.?!]$/.test(what) ? "" : "."} See ${event.commandPath.join(" ")} --help.`)
  }
}
