/** Where the bundle's stand-in for `Intl.Segmenter` segments text, it does as the real one. */
import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { Segmenter } from "../src/standins/Graphemes.ts"

const real = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const standin = new Segmenter(undefined, { granularity: "grapheme" })

const graphemes = (by: { readonly segment: (text: string) => Iterable<{ readonly segment: string }> }, text: string) =>
  Array.from(by.segment(text), ({ segment }) => segment)

describe("Segmenter", () => {
  it.prop("segments any text as the real one", [Schema.String], ([text]) => {
    expect(graphemes(standin, text)).toEqual(graphemes(real, text))
  })

  it("segments ends of lines, and what is more than ASCII, as the real one", () => {
    for (const text of ["levain --help", "\r\n", "e\u0301clair", "👩‍🍳 bakes", "ファイル"]) {
      expect(graphemes(standin, text)).toEqual(graphemes(real, text))
    }
  })
})
