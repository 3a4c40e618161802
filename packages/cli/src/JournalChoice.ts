/**
 * Where runs are kept: what flags and environment say, as a Layer. By default in files, in the user's state folder; a file of SQLite or a
 * PostgreSQL where one is named. A database's code is loaded only then: start-up is a feature.
 */
import { Journal } from "@levain/core"
import * as FileJournal from "@levain/core/FileJournal"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { UsageError } from "./Ending.ts"
import * as Place from "./Place.ts"
import { isFile } from "./pure/AgentFile.ts"

export type JournalLayer = Layer.Layer<never, Journal.JournalError, FileSystem.FileSystem>

/** The journal that a flag or the environment names. */
export const choose = Effect.fnUntraced(function*(
  given: Option.Option<string>,
  noJournal = false
): Effect.fn.Return<JournalLayer, UsageError> {
  if (noJournal) return Option.isSome(given) ? yield* both : Layer.empty
  const place = Option.getOrUndefined(given) ?? (yield* Place.variable("LEVAIN_JOURNAL")) ??
    (yield* Place.inState("runs"))
  if (place === undefined) return yield* new UsageError({ message: noPlace })
  if (/^postgres(ql)?:\/\//i.test(place)) return postgres(place)
  const file = place.match(/^sqlite:(?:\/\/)?(.+)$/i)?.[1] ?? (/\.(sqlite3?|db)$/.test(place) ? place : undefined)
  if (file !== undefined) return sqlite(file)
  // What looks like an address is no folder: it may hold a password. One letter is a drive of Windows.
  if (place.trim() === "" || /^[a-z][a-z0-9+.-]+:/i.test(place)) return yield* new UsageError({ message: noDatabase })
  return FileJournal.layer({ folder: place })
})

/** A command as it is written for runs that are kept there. An address may hold a password, so it is not repeated. */
export const commandFor = (given: Option.Option<string>, agent = "") => (command: string): string => {
  const place = Option.map(given, (where) => where.includes("://") ? "…" : quoted(where))
  const file = isFile(agent) ? ` --agent ${quoted(agent)}` : ""
  return `${command}${file}${Option.getOrElse(Option.map(place, (where) => ` --journal ${where}`), () => "")}`
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

const sqlite = (file: string): JournalLayer =>
  inDatabase(Effect.map(Effect.promise(() => import("./NodeSqlite.ts")), (NodeSqlite) => NodeSqlite.layer(file)))

const postgres = (url: string): JournalLayer =>
  inDatabase(
    Effect.map(Effect.promise(() => import("@effect/sql-pg/PgClient")), (PgClient) =>
      PgClient.layer({ url: Redacted.make(url) }))
  )

/** A database that cannot be reached is a journal that cannot be used. What its driver says holds no password. */
const inDatabase = (client: Effect.Effect<Layer.Layer<SqlClient, SqlError>>): JournalLayer =>
  Layer.unwrap(Effect.gen(function*() {
    const SqlJournal = yield* Effect.promise(() => import("@levain/core/SqlJournal"))
    const unreachable = (error: SqlError) =>
      new Journal.JournalError({
        runId: "",
        reason: "failed",
        message: `the journal's database cannot be reached: ${SqlJournal.told(error)}.`
      })
    return SqlJournal.layer().pipe(
      Layer.provide(yield* client),
      Layer.catch((error) =>
        Layer.effectDiscard(Effect.fail(error._tag === "JournalError" ? error : unreachable(error)))
      )
    )
  }))

const both = Effect.fail(
  new UsageError({ message: "--journal and --no-journal say two things: leave one of them out." })
)
const noPlace = "there is no home folder to keep runs in: name a folder with --journal, or keep none with --no-journal."
const noDatabase =
  "runs are kept in a folder, a SQLite file (sqlite:runs.db) or a PostgreSQL (postgres://…): name one of them."

/** The runs that are nobody's children: a child's id is its parent's and the place of the call that it is. */
export const rootsOf = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = new Set(ids)
  return ids.filter((id) => !all.has(id.replace(/\.\d+-\d+$/, "")) || !/\.\d+-\d+$/.test(id))
}

/** The run that a word names: its id, the beginning of one, or `last`. */
export const findRun = Effect.fnUntraced(
  function*(word: string): Effect.fn.Return<string, UsageError | Journal.JournalError> {
    const all = yield* (yield* Journal.Journal).list
    const runs = rootsOf(all)
    const found = word === "last" ? runs.slice(0, 1) : runs.filter((id) => id.startsWith(word))
    const exact = all.find((id) => id === word) ?? (found.length === 1 ? found[0] : undefined)
    if (exact !== undefined) return exact
    const shown = found.slice(0, 3).join(", ")
    const why = found.length === 0 ? "see levain runs" : `there are ${shown}${found.length > 3 ? " and more" : ""}`
    return yield* new UsageError({
      message: `${found.length === 0 ? "no" : "more than one"} run is meant by ${word}: ${why}.`
    })
  }
)
