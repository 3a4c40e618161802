/**
 * A run that is made to be killed: many turns of calls that read, write and write again, each write a line in a file outside. Takes up the
 * run where it is, begins it where it is not, and waits for a dead writer's lease to end, unless it is told not to.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Agent, Model, type Reply, Tool, Toolset } from "@levain/core"
import * as FileJournal from "@levain/core/FileJournal"
import * as SqlJournal from "@levain/core/SqlJournal"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as NodeSqlite from "../../packages/cli/src/NodeSqlite.ts"

const [place = "", outside = "", turns = "10", waits = "waits"] = process.argv.slice(2)

/** In a folder, or in a file of SQLite. */
const lease = "100 millis"
const Kept = place.endsWith(".db")
  ? SqlJournal.layer({ lease }).pipe(Layer.provide(NodeSqlite.layer(place)))
  : FileJournal.layer({ folder: place, lease })

/** Writes the call's key outside, after a while in which it may be killed. */
const line = (name: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const identity = yield* Tool.CurrentCall
    yield* Effect.sleep("2 millis")
    yield* fs.writeFileString(outside, `${name} ${identity === undefined ? "" : Tool.keyOf(identity)}\n`, { flag: "a" })
    yield* Effect.sleep("2 millis")
    return "done"
  }).pipe(Effect.orDie)

const tool = (name: string, options: { readonly access: Tool.Access; readonly idempotent?: boolean }) =>
  Tool.make(name, { description: name, input: Schema.Struct({}), run: () => line(name), ...options })

const Tools = Toolset.layer(
  tool("reads", { access: "reads" }),
  tool("writes", { access: "writes" }),
  tool("puts", { access: "writes", idempotent: true })
)

/** Stateless, as every model is: the transcript says which turn it is. It writes outside what it was asked for. */
const Scripted = Layer.effect(
  Model.Model,
  Effect.map(FileSystem.FileSystem, (fs) =>
    Model.Model.of({
      reply: ({ transcript }) =>
        Effect.gen(function*() {
          const turn = transcript.filter(({ _tag }) => _tag === "Results").length + 1
          yield* Effect.orDie(fs.writeFileString(outside, `asked ${turn}\n`, { flag: "a" }))
          const usage = { input: 1, cacheWrite: 0, cacheRead: 0, output: 1 }
          const calls = (["reads", "writes", "puts", "writes"] as const).map((name, i) => ({
            id: `${turn}_${i}`,
            name,
            input: {}
          }))
          const [first, ...rest] = calls
          const reply: Reply.ModelReply = turn > Number(turns) || first === undefined
            ? { _tag: "Answer", text: "Done.", usage }
            : { _tag: "ToolCalls", calls: [first, ...rest], usage }
          return reply
        })
    }))
)

const agent = Agent.make("killed", { instructions: "Go on.", limits: { maxTurns: 1000 } })

const isHeld = (error: Agent.RunError) => error.reason._tag === "JournalError" && error.reason.reason === "conflict"
const isGone = (error: Agent.RunError) => error.reason._tag === "JournalError" && error.reason.reason === "notFound"

const program = Agent.resume("run").pipe(
  Effect.catchIf(isGone, () => Agent.run(agent, "Go.", { runId: "run" })),
  Effect.retry({ while: (error) => waits === "waits" && isHeld(error), schedule: Schedule.spaced("20 millis") })
)

console.log("alive")

await Effect.runPromise(program.pipe(
  Effect.provide([Tools, Scripted, Kept]),
  Effect.provide(NodeServices.layer)
))
