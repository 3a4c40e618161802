/**
 * SQLite for `effect/sql` on Node's own `node:sqlite`. Effect's driver package has no release for this version of Effect yet; the day
 * it has, this file goes. One connection, and calls that block while they run.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { closeSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

/** A client for the database in a file, which is made where it is not there, for its owner alone. It waits up to 5 seconds for another process's lock. */
export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(filename)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function*(filename: string) {
  const database = yield* attempt("open", () => {
    // SQLite would make it readable by everybody. The files it puts beside it take their mode from this one.
    if (filename !== ":memory:") closeSync(openSync(filename, "a", 0o600))
    return new DatabaseSync(filename, { timeout: 5000 })
  })
  yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(() => database.close()))
  yield* attempt("set up", () => database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"))
  const connection = connect(database)
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: () => database.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    spanAttributes: [["db.system.name", "sqlite"]],
    // A transaction that began by reading could not be sure to write.
    beginTransaction: "BEGIN IMMEDIATE"
  })
})

const connect = (database: DatabaseSync): Connection => {
  const prepare = remembering((sql) => database.prepare(sql))
  const rowsOf = (sql: string, params: ReadonlyArray<unknown>, asArrays = false) =>
    attempt("execute", (): ReadonlyArray<unknown> => {
      const statement = prepare(sql)
      statement.setReturnArrays(asArrays)
      const values = params.map(bindable)
      if (statement.columns().length > 0) return statement.all(...values)
      statement.run(...values)
      return []
    })
  const execute: Connection["execute"] = (sql, params, transform) =>
    Effect.map(rowsOf(sql, params), (rows) => transform === undefined ? rows : transform(rows.filter(isRow)))
  const executeValues: Connection["executeValues"] = (sql, params) =>
    Effect.map(rowsOf(sql, params, true), (rows) => rows.filter((row) => Array.isArray(row)))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => rowsOf(sql, params),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform))
  }
}

/** Preparing a statement takes longer than running it. The last few are kept; a batch of another size is another statement. */
const remembering = (prepare: (sql: string) => StatementSync) => {
  const statements = new Map<string, StatementSync>()
  return (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? prepare(sql)
    statements.delete(sql)
    statements.set(sql, statement)
    for (const [oldest] of statements) if (statements.size > 32) statements.delete(oldest)
    return statement
  }
}

const isRow = (row: unknown): row is object => typeof row === "object" && row !== null

/** What `node:sqlite` takes as a parameter: it refuses booleans, undefined and dates. */
const bindable = (value: unknown): SQLInputValue => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value instanceof Uint8Array ? value : null
}

const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, SqlError.SqlError> =>
  Effect.try({
    try: body,
    catch: (cause) => {
      const told = cause instanceof Error ? cause.message : String(cause)
      // Node calls SQLite's number `errcode`; Effect reads it as `errno`.
      const error = isRow(cause) && "errcode" in cause ? Object.assign(cause, { errno: cause.errcode }) : cause
      return new SqlError.SqlError({
        reason: SqlError.classifySqliteError(error, { message: `SQLite could not ${operation}: ${told}`, operation })
      })
    }
  })
