/** How many events a second each journal keeps, one append an event as a run does it. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Journal, Reply, RunEvent, Usage } from "@levain/core"
import * as FileJournal from "@levain/core/FileJournal"
import * as SqlJournal from "@levain/core/SqlJournal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeSqlite from "../../../cli/src/NodeSqlite.ts"
import { type Size, table } from "../Measure.ts"
import * as Work from "../Work.ts"

const begun = RunEvent.stampFact({
  _tag: "RunStarted",
  runId: "bench",
  agent: "bench",
  instructions: Work.instructions,
  task: Work.task,
  limits: { maxTurns: 9 }
}, 0)

const replied = RunEvent.stampFact({
  _tag: "Replied",
  reply: Reply.mend({ _tag: "ToolCalls", calls: Work.callsOf(1), usage: Usage.make(Work.tokens) })
}, 0)

/** Appends so many events to a new run, and reads them again to prove it. Gives events a second. */
const appending = (events: number, batch: number) =>
  Effect.gen(function*() {
    const { append, claim, read } = yield* Journal.Journal
    yield* claim("bench")
    yield* append("bench", [begun], 0)
    const start = performance.now()
    for (let at = 1; at < events; at += batch) yield* append("bench", Array.from({ length: batch }, () => replied), at)
    const seconds = (performance.now() - start) / 1000
    const { length } = yield* read("bench")
    if (length < events) return yield* Effect.die(new Error(`${length} of ${events} events were kept`))
    return length / seconds
  }).pipe(Effect.scoped)

export const journals = async ({ quick }: Size): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "levain-bench-"))
  const url = process.env["LEVAIN_BENCH_POSTGRES"]
  const many = quick ? 50 : 20_000
  const file = (name: string) =>
    FileJournal.layer({ folder: join(folder, name) }).pipe(Layer.provide(NodeFileSystem.layer))
  const sqlite = (name: string) => SqlJournal.layer().pipe(Layer.provide(NodeSqlite.layer(join(folder, `${name}.db`))))
  const rate = (layer: Layer.Layer<never, unknown>, batch: number, events = many) =>
    Effect.runPromise(Effect.provide(appending(events, batch), layer))
  const rates = new Map([
    ["memory", await rate(Journal.layerMemory, 1)],
    ["file", await rate(file("one"), 1)],
    ["file, 100 at once", await rate(file("many"), 100)],
    ["SQLite", await rate(sqlite("one"), 1)],
    ["SQLite, 100 at once", await rate(sqlite("many"), 100)]
  ])
  if (url !== undefined) {
    const postgres = SqlJournal.layer().pipe(Layer.provide(PgClient.layer({ url: Redacted.make(url) })))
    rates.set("PostgreSQL", await rate(postgres, 1, quick ? 50 : 2000))
  }
  table("Events a journal keeps", "a second", rates, [])
  table("What it adds to an event", "µs", new Map(Array.from(rates, ([name, one]) => [name, 1e6 / one])), [])
  if (url === undefined) {
    console.log("PostgreSQL is measured where LEVAIN_BENCH_POSTGRES is the URL of an empty database.")
  }
  rmSync(folder, { recursive: true })
}
