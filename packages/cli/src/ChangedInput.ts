/** What a person writes in place of a call's input: JSON that the tool takes, or the text of an answer as it is. */
import { type Approval, Json, Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Reads it, or says in one line what is wrong with it. A child's tools are not at hand: there the child's decoder says it. */
export const read = (
  text: string,
  rootId: string,
  { place, runId, tool }: Approval.Pending
): Effect.Effect<Json.Json, string, Toolset.Toolset> =>
  Effect.gen(function*() {
    if (tool === undefined) return text.trim() === "" ? yield* Effect.fail("an answer cannot be blank.") : text
    const input = yield* Effect.mapError(fromJson(text), () => "the input must be JSON, in quotes for the shell.")
    if (runId !== rootId) return input
    const { review } = yield* Toolset.Toolset
    const reviewed = yield* review({ id: `${place.turn}/${place.index}`, name: tool, input })
    return reviewed._tag === "BadInput" ? yield* Effect.fail(reviewed.message) : input
  })

const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Json.Json))
