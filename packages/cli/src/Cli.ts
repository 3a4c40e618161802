/** The command tree, and what each ending prints. `main` never fails: its value is the exit code. */
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { approvals } from "./commands/approvals.ts"
import { approve, deny } from "./commands/approve.ts"
import { ask } from "./commands/ask.ts"
import { chat } from "./commands/chat.ts"
import { demo } from "./commands/demo.ts"
import { init } from "./commands/init.ts"
import { mcp } from "./commands/mcp.ts"
import { reply, resume } from "./commands/resume.ts"
import { runs } from "./commands/runs.ts"
import { show } from "./commands/show.ts"
import { trace } from "./commands/trace.ts"
import { Ended } from "./Ending.ts"
import * as ExitCode from "./pure/ExitCode.ts"
import * as Text from "./pure/Text.ts"

/** The version that `levain --version` prints. */
const version = "0.1.0"

/** Read from the arguments themselves, as what goes wrong may be their parsing. */
const Debug = GlobalFlag.Setting("debug")({
  flag: Flag.Boolean("debug").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Where something goes wrong, print its stack too")
  )
})

const levain = Command.make("levain").pipe(
  Command.withDescription("A functional agent runtime: ask the example agent of a bakery, and watch it run."),
  Command.withGlobalFlags([Debug]),
  Command.withSubcommands([ask, chat, runs, show, trace, resume, reply, approvals, approve, deny, mcp, init, demo])
)

/** Runs the command on these arguments, without the names of the program and of Node. No arguments ask for help. */
export const main = (args: ReadonlyArray<string>) =>
  Command.runWith(levain, { version })(args.length === 0 ? ["--help"] : args).pipe(
    Effect.as(0),
    Effect.tapCause((cause) =>
      args.includes("--debug") && isTold(cause) ? Console.error(Cause.pretty(cause)) : Effect.void
    ),
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
    Effect.catchDefect((defect) =>
      Effect.as(
        complain(`something in the command broke: ${String(defect)}. With --debug it says where.`),
        ExitCode.failed
      )
    ),
    Effect.provideService(CliOutput.Presenter, presenter)
  )

/** How a run ended is no error of the command, and wrong usage has no stack that helps. */
const isTold = (cause: Cause.Cause<unknown>): boolean =>
  !Cause.hasInterruptsOnly(cause) &&
  !Option.exists(Cause.findErrorOption(cause), (error) => CliError.isCliError(error) || isEnded(error))

const isEnded = Schema.is(Ended)

const complain = (message: string) => Console.error(`levain: ${Text.oneLine(message)}`)

/** Help as the library writes it; wrong usage as one line. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const [first] = event.errors
    const what = Text.oneLine(first?.message ?? "that is no command")
    return complain(`${what}${/[.?!]$/.test(what) ? "" : "."} See ${event.commandPath.join(" ")} --help.`)
  }
}
