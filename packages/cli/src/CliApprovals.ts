/** Asks the person at the terminal whether a call may run. Whoever leaves, or says that it is for later, gives no answer. */
import { type Approval, type Approvals, Json, Toolset } from "@levain/core"
import * as Prompt from "effect/cli/Prompt"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Terminal from "effect/Terminal"
import * as ChangedInput from "./ChangedInput.ts"
import * as Place from "./Place.ts"
import * as Render from "./pure/Render.ts"

type Environment = FileSystem.FileSystem | Path.Path | Terminal.Terminal | Toolset.Toolset

/** Asks on the spot, with what the call would do. */
export const atTerminal = Effect.gen(function*() {
  const environment = yield* Effect.context<Environment>()
  const by = yield* Place.user
  const ask: Approvals.Approvals["ask"] = (pending, rootId) =>
    askFor(pending, rootId).pipe(
      Effect.map((verdict) => verdict && { by, verdict }),
      Effect.catchIf(Terminal.isQuitError, () => Effect.undefined),
      Effect.provideContext(environment)
    )
  return { ask }
})

const askFor = Effect.fnUntraced(function*(pending: Approval.Pending, rootId: string) {
  for (const line of Render.pendingLines(rootId, pending)) yield* Console.log(line)
  const toolset = yield* Toolset.Toolset
  const read = (text: string) =>
    Effect.provideService(ChangedInput.read(text, rootId, pending), Toolset.Toolset, toolset)
  const choice = yield* Prompt.Select({
    message: pending.tool === undefined ? "Send this answer?" : `Run ${pending.tool}?`,
    choices: [
      // The first is what Enter alone says, and that must never be a yes.
      { title: "later", value: "later" },
      { title: "yes", value: "yes" },
      { title: "yes, but changed", value: "changed" },
      { title: "no", value: "no" }
    ]
  })
  switch (choice) {
    case "yes":
      return { _tag: "Approved" } as const
    case "changed": {
      const text = yield* Prompt.String({
        message: pending.tool === undefined ? "The answer to send" : "The input, as JSON",
        default: Json.word(pending.input),
        validate: (text) => Effect.as(read(text), text)
      })
      return { _tag: "Approved", input: yield* read(text) } as const
    }
    case "no":
      return { _tag: "Denied", reason: yield* Prompt.String({ message: "Why not? The model reads it" }) } as const
    case "later":
      return undefined
  }
})
