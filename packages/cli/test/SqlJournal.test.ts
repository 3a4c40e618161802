/** The journal's contract over databases: SQLite in a file, and a PostgreSQL that is started for the tests. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, it } from "@effect/vitest"
import { Journal } from "@levain/core"
import { RunEvent } from "@levain/core"
import * as SqlJournal from "@levain/core/SqlJournal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { afterAll, expect } from "vitest"
import { contract } from "../../core/test/JournalContract.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import * as Postgres from "./Postgres.ts"

const sqlite = Layer.unwrap(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()),
    (folder) => NodeSqlite.layer(`${folder}/runs.sqlite`)
  )
).pipe(Layer.provide(NodeFileSystem.layer))

const server = await Postgres.start()
afterAll(() => server?.stop())

/** A database of its own for each test. */
const postgres = Layer.unwrap(Effect.gen(function*() {
  const name = yield* Effect.promise(() => server?.makeDatabase() ?? Promise.resolve(""))
  return PgClient.layer({ url: Redacted.make(`${server?.url}/${name}`) })
}))

const stopped = RunEvent.stampFact({ _tag: "RunStopped", stop: { _tag: "OutOfTurns" } }, 1)

const databases: ReadonlyArray<readonly [string, Layer.Layer<SqlClient.SqlClient, unknown>]> = [
  ["SQLite", sqlite],
  ...(server === undefined ? [] : [["PostgreSQL", postgres] as const])
]

if (server === undefined) it.skip("PostgreSQL is not installed on this machine", () => {})

for (const [name, client] of databases) {
  contract(`in ${name}`, Layer.fresh(SqlJournal.layer().pipe(Layer.provide(Layer.fresh(client)))))

  describe(`SqlJournal in ${name}`, () => {
    /** Two processes, so to speak: two journals on one database. */
    const twoOf = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const build = Effect.map(
        Layer.build(Layer.fresh(SqlJournal.layer({ lease: "15 seconds" }))),
        (context) => Context.get(context, Journal.Journal)
      )
      return { sql, a: yield* build, b: yield* build }
    })

    it.effect("what another process wrote is a conflict, and of two who append at once one does", () =>
      Effect.gen(function*() {
        const { a, b } = yield* twoOf
        yield* a.append("run", [stopped], 0)
        yield* b.append("run", [stopped], 1)
        expect(yield* Effect.flip(a.append("run", [stopped], 1))).toMatchObject({ reason: "conflict" })
        const both = yield* Effect.all(
          [a, b].map((one) => Effect.exit(one.append("run", [stopped, stopped], 2))),
          { concurrency: 2 }
        )
        expect(both.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        expect(yield* a.read("run")).toHaveLength(4)
      }).pipe(Effect.provide(Layer.fresh(client))))

    it.effect("a dead process's claim ends with its lease, and of two who want it one gets it", () =>
      Effect.gen(function*() {
        const { a, b, sql } = yield* twoOf
        yield* sql`INSERT INTO levain_runs (run_id, owner, until) VALUES ('run', 'gone', 15000)`
        expect(yield* Effect.flip(b.claim("run"))).toMatchObject({ reason: "conflict" })
        yield* TestClock.adjust("15 seconds")
        const claims = yield* Effect.all([Effect.exit(a.claim("run")), Effect.exit(b.claim("run"))], { concurrency: 2 })
        expect(claims.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        expect(yield* a.list).toEqual([])
      }).pipe(Effect.provide(Layer.fresh(client))))

    it.effect("damage, a newer version and a missing table are clear errors", () =>
      Effect.gen(function*() {
        const { a, sql } = yield* twoOf
        yield* a.append("run", [stopped, stopped], 0)
        yield* sql`UPDATE levain_events SET event = 'nonsense' WHERE seq = 1`
        expect(yield* Effect.flip(a.read("run"))).toMatchObject({
          reason: "damaged",
          message: "line 2 of the run run is no event."
        })
        yield* sql`UPDATE levain_events SET event = '{"v":9}' WHERE seq = 1`
        expect(yield* Effect.flip(a.read("run"))).toMatchObject({ reason: "unsupported" })
        yield* sql`DROP TABLE levain_events`
        const lost = yield* Effect.flip(a.append("run", [stopped], 2))
        expect(lost).toMatchObject({ reason: "failed" })
        expect(lost.message).toMatch(/^the journal cannot be written: [^\n]*levain_events[^\n]*\.$/)
      }).pipe(Effect.provide(Layer.fresh(client))))
  })
}

it.effect("a database file is its owner's alone, and so is what SQLite puts beside it", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const built = yield* Layer.build(
      SqlJournal.layer().pipe(Layer.provide(NodeSqlite.layer(`${folder}/runs.sqlite`)))
    )
    yield* Context.get(built, Journal.Journal).append("run", [stopped], 0)
    const files = yield* fs.readDirectory(folder)
    const modes = yield* Effect.forEach(files, (file) => fs.stat(`${folder}/${file}`))
    expect(files.toSorted()).toEqual(["runs.sqlite", "runs.sqlite-shm", "runs.sqlite-wal"])
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  }).pipe(Effect.provide(NodeFileSystem.layer)))
