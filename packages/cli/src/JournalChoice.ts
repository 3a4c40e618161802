/** Where runs are kept: what flags and environment say, as a Layer. By default in files, in the user's state folder. */
import { Journal } from "@levain/core"
import * as FileJournal from "@levain/core/FileJournal"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { UsageError } from "./Ending.ts"

export const journalFlag = Flag.String("journal").pipe(
  Flag.withMetavar("folder"),
  Flag.optional,
  Flag.withDescription("Where runs are kept (LEVAIN_JOURNAL, or levain/runs in your state folder)")
)

export const noJournalFlag = Flag.Boolean("no-journal").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Do not keep this run")
)

/** The journal that a flag or the environment names. */
export const choose = Effect.fnUntraced(function*(
  given: Option.Option<string>,
  noJournal = false
): Effect.fn.Return<Layer.Layer<never, never, FileSystem.FileSystem>, UsageError> {
  if (noJournal) return Option.isSome(given) ? yield* both : Layer.empty
  const folder = Option.getOrUndefined(given) ?? (yield* read("LEVAIN_JOURNAL")) ?? (yield* stateFolder)
  if (folder === undefined) return yield* new UsageError({ message: noPlace })
  if (/^[a-z]+:\/\//.test(folder)) return yield* new UsageError({ message: noDatabase })
  return FileJournal.layer({ folder })
})

const both = Effect.fail(
  new UsageError({ message: "--journal and --no-journal say two things: leave one of them out." })
)
const noPlace = "there is no home folder to keep runs in: name a folder with --journal, or keep none with --no-journal."
const noDatabase = "runs are kept in a folder so far, not in a database: name a folder with --journal."

/** Nothing for a variable that is not there or blank. */
const read = (name: string) =>
  Effect.map(
    Effect.option(Config.String(name)),
    (value) => Option.getOrUndefined(Option.filter(value, (text) => text.trim() !== ""))
  )

/** As the XDG base directory specification says; on Windows, the local application data. */
const stateFolder = Effect.gen(function*() {
  const state = (yield* read("XDG_STATE_HOME")) ?? (yield* read("LOCALAPPDATA"))
  if (state !== undefined) return `${state}/levain/runs`
  const home = yield* read("HOME")
  return home === undefined ? undefined : `${home}/.local/state/levain/runs`
})

/** The run that a word names: its id, the beginning of one, or `last`. */
export const findRun = Effect.fnUntraced(
  function*(word: string): Effect.fn.Return<string, UsageError | Journal.JournalError> {
    const runs = yield* (yield* Journal.Journal).list
    const found = word === "last" ? runs.slice(0, 1) : runs.filter((id) => id === word || id.startsWith(word))
    const exact = found.find((id) => id === word) ?? (found.length === 1 ? found[0] : undefined)
    if (exact !== undefined) return exact
    const shown = found.slice(0, 3).join(", ")
    const why = found.length === 0 ? "see levain runs" : `there are ${shown}${found.length > 3 ? " and more" : ""}`
    return yield* new UsageError({
      message: `${found.length === 0 ? "no" : "more than one"} run is meant by ${word}: ${why}.`
    })
  }
)
