/** Where the user's own files are. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Nothing for a variable that is not there or blank. */
export const variable = (name: string) =>
  Effect.map(
    Effect.option(Config.String(name)),
    (value) => Option.getOrUndefined(Option.filter(value, (text) => text.trim() !== ""))
  )

/** A place of ours, as the XDG base directory specification says; on Windows, in the local application data. Nothing without a home. */
export const inState = Effect.fnUntraced(function*(name: string) {
  const state = (yield* variable("XDG_STATE_HOME")) ?? (yield* variable("LOCALAPPDATA"))
  if (state !== undefined) return `${state}/levain/${name}`
  const home = yield* variable("HOME")
  return home === undefined ? undefined : `${home}/.local/state/levain/${name}`
})

/** Who sits at the machine, as it knows them. */
export const user = Effect.gen(function*() {
  return (yield* variable("USER")) ?? (yield* variable("LOGNAME")) ?? (yield* variable("USERNAME")) ?? "somebody"
})
