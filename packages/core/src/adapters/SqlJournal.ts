/**
 * Keeps runs in a database, over `effect/sql`'s SqlClient: SQLite and PostgreSQL. Two tables, made where they are not there: the events of
 * a run, each with its place, and the runs with who writes them.
 */
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Journal from "../Journal.ts"
import type { RunEvent } from "../pure/RunEvent.ts"
import * as Text from "../pure/Text.ts"
import * as EventLine from "./EventLine.ts"
import * as Lease from "./Lease.ts"

export type Options = Lease.Options

/** Fails with a `JournalError` where the tables can neither be found nor made. */
export const layer = (
  options: Options = {}
): Layer.Layer<never, Journal.JournalError, SqlClient.SqlClient> =>
  Layer.effect(
    Journal.Journal,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.mapError(makeTables(sql), (error) => failed("", "written", error))
      return make(sql, Lease.fromOptions(options))
    })
  )

const makeTables = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`CREATE TABLE IF NOT EXISTS levain_events (
      run_id TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (run_id, seq)
    )`,
    sql`CREATE TABLE IF NOT EXISTS levain_runs (
      run_id TEXT NOT NULL PRIMARY KEY, written BIGINT, owner TEXT, until BIGINT
    )`
  )

const Event = Schema.Struct({ event: Schema.String })
const Run = Schema.Struct({ run_id: Schema.String })
const Owner = Schema.Struct({ owner: Schema.NullOr(Schema.String) })
const Last = Schema.Struct({ seq: Schema.Finite })

/** Our own tables hold what we wrote. */
const rowsOf = <A>(schema: Schema.ConstraintCodec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return (rows: unknown) => Effect.orDie(decode(rows))
}
const events = rowsOf(Event)
const runs = rowsOf(Run)
const owners = rowsOf(Owner)
const lasts = rowsOf(Last)

/** Databases bound how many values a statement takes: SQLite 32,766, PostgreSQL 65,535. */
const rowsAtOnce = 1000

const make = (sql: SqlClient.SqlClient, lease: Duration.Duration): Journal.Journal => {
  const append = (runId: string, kept: ReadonlyArray<RunEvent>, at: number) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const [last] = yield* lasts(
        yield* sql`SELECT seq FROM levain_events WHERE run_id = ${runId} ORDER BY seq DESC LIMIT 1`
      )
      if ((last?.seq ?? -1) + 1 !== at) return yield* Journal.conflict(runId)
      const rows = kept.map((event, i) => ({ run_id: runId, seq: at + i, event: EventLine.encode(event) }))
      for (const some of Array.chunksOf(rows, rowsAtOnce)) yield* sql`INSERT INTO levain_events ${sql.insert(some)}`
      yield* sql`INSERT INTO levain_runs (run_id, written) VALUES (${runId}, ${now})
        ON CONFLICT (run_id) DO UPDATE SET written = excluded.written`
    }).pipe(
      sql.withTransaction,
      Effect.mapError((error) => toJournalError(runId, "written", error))
    )

  const read = Effect.fnUntraced(function*(runId: string) {
    const rows = yield* sql`SELECT event FROM levain_events WHERE run_id = ${runId} ORDER BY seq`.pipe(
      Effect.flatMap(events),
      Effect.mapError((error) => failed(runId, "read", error))
    )
    if (rows.length === 0) return yield* Journal.notFound(runId)
    return yield* Effect.forEach(rows, ({ event }, i) => Effect.fromResult(EventLine.decode(runId, event, i + 1)))
  })

  const list = sql`SELECT run_id FROM levain_runs WHERE written IS NOT NULL ORDER BY written DESC, run_id`.pipe(
    Effect.flatMap(runs),
    Effect.mapBoth({
      onFailure: (error) => failed("", "read", error),
      onSuccess: (rows) => rows.map(({ run_id }) => run_id)
    })
  )

  return { append, read, list, claim: (runId) => claim(sql, runId, lease) }
}

/** A lease in the run's row: taken where there is none or it has run out, by one statement, so that only one of two gets it. */
const claim = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, runId: string, lease: Duration.Duration) {
  const owner = yield* Effect.sync(() => SecureRandom.uuidV4Unsafe())
  const until = Effect.map(Clock.currentTimeMillis, (now) => now + Math.ceil(Duration.toMillis(lease)))
  const take = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    yield* sql`INSERT INTO levain_runs (run_id, owner, until) VALUES (${runId}, ${owner}, ${yield* until})
      ON CONFLICT (run_id) DO UPDATE SET owner = excluded.owner, until = excluded.until
      WHERE levain_runs.owner IS NULL OR levain_runs.until <= ${now}`
    const [row] = yield* owners(yield* sql`SELECT owner FROM levain_runs WHERE run_id = ${runId}`)
    if (row?.owner !== owner) return yield* Journal.conflict(runId)
  })
  yield* Effect.acquireRelease(
    Effect.mapError(take, (error) => toJournalError(runId, "written", error)),
    // Where the connection is gone already the lease runs out by itself.
    () => Effect.exit(sql`UPDATE levain_runs SET owner = NULL WHERE run_id = ${runId} AND owner = ${owner}`)
  )
  const renew = Effect.flatMap(
    until,
    (later) => sql`UPDATE levain_runs SET until = ${later} WHERE run_id = ${runId} AND owner = ${owner}`
  )
  yield* Lease.keep(lease, renew)
})

const toJournalError = (runId: string, what: "read" | "written", error: SqlError | Journal.JournalError) => {
  if (error._tag === "JournalError") return error
  // Two who append at once: the second finds the place taken, or is told to try again after the first.
  const isTaken = error.reason._tag === "UniqueViolation" || error.reason._tag === "SerializationError"
  return isTaken ? Journal.conflict(runId) : failed(runId, what, error)
}

const failed = (runId: string, what: "read" | "written", error: SqlError): Journal.JournalError =>
  Journal.unusable(runId, what, told(error))

/** What a database said, in one line without a full stop: drivers keep it as a cause. */
export const told = ({ message, reason }: SqlError): string => {
  const said = "cause" in reason && reason.cause instanceof Error ? reason.cause.message : ""
  return Text.oneLine(said === "" ? message : said).replace(/\.$/, "")
}
