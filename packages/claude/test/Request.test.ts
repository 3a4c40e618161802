import { describe, it } from "@effect/vitest"
import { Tool, Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Request from "../src/pure/Request.ts"

const find = Tool.make("find_book", {
  description: "One book by its title.",
  input: Schema.Struct({ title: Schema.String, year: Schema.optionalKey(Schema.Int) }),
  run: ({ title }) => Effect.succeed(title)
})

describe("tools", () => {
  it.effect("are strict definitions as the Messages API takes them", () =>
    Effect.gen(function*() {
      const { specs } = yield* Toolset.Toolset
      expect(Request.tools(specs)).toEqual([{
        name: "find_book",
        description: "One book by its title.",
        input_schema: {
          type: "object",
          properties: { title: { type: "string" }, year: { type: "integer" } },
          required: ["title"],
          additionalProperties: false
        },
        strict: true
      }])
    }).pipe(Effect.provide(Toolset.layer(find))))
})
