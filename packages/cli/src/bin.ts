/** The `levain` command. The only place that runs anything. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { main } from "./Cli.ts"

/** A reader that has seen enough (`levain ask … | head -1`) ends the command, and is no error; a full disk is one. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  console.error(`levain: the output cannot be written: ${error.message}.`)
  process.exit(1)
})

/** Ctrl-C once interrupts the run, which is kept; twice ends the command at once. */
process.once("SIGINT", () => process.once("SIGINT", () => process.exit(130)))

main(process.argv.slice(2)).pipe(
  Effect.tap((code) => Effect.sync(() => process.exitCode = code)),
  Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
  NodeRuntime.runMain
)
