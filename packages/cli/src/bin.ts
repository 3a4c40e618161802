/** The `levain` command. The only place that runs anything. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { main } from "./Cli.ts"

/** A reader that has seen enough (`levain ask … | head -1`) ends the command, and is no error; a full disk is one. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  console.error(`levain: the output cannot be written: ${error.message}.`)
  process.exit(1)
})

/** Ctrl-C once interrupts the run, which is kept; twice ends the command at once. */
process.once("SIGINT", () => process.once("SIGINT", () => process.exit(130)))

/** Of all that Node's services offer, the command starts no process: those that do would be loaded for nothing. */
const services = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  NodeTerminal.layer,
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => Effect.die("the command starts no process"))
  ),
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
)

main(process.argv.slice(2)).pipe(
  Effect.tap((code) => Effect.sync(() => process.exitCode = code)),
  Effect.provide(services),
  NodeRuntime.runMain
)
