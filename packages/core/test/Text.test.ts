import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Text from "../src/pure/Text.ts"

describe("cut", () => {
  it("keeps head and tail and names both sizes", () => {
    const text = "h".repeat(3000) + "t".repeat(10_000_000)
    expect(Text.cut(text, 10)).toBe("hhhhh\n[… cut: 10 of 10,003,000 characters are shown …]\nttttt")
  })

  it("leaves a text alone that fits just so", () => {
    expect(Text.cut("12345", 5)).toBe("12345")
    expect(Text.cut("123456", 5)).toBe("123\n[… cut: 5 of 6 characters are shown …]\n56")
  })

  it.prop(
    "never parts the halves of a character",
    [Schema.Array(Schema.Literals(["a", "😀", "é"])), Schema.Natural],
    ([parts, max]) => {
      const text = parts.join("")
      const short = Text.cut(text, max)
      expect(short.isWellFormed()).toBe(true)
      if (text.length <= max) expect(short).toBe(text)
      const [head = "", tail = ""] = text.length <= max ? [text, ""] : short.split(/\n\[… .* …\]\n/)
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(head.length + tail.length).toBeLessThanOrEqual(Math.max(max, text.length <= max ? text.length : max))
    },
    { arbitrary: { runs: 500, size: 30 } }
  )
})

describe("mend", () => {
  it("replaces halves of pairs and nothing else", () => {
    expect(Text.mend("a\ud83db😀")).toBe("a\ufffdb😀")
    expect(Text.mend("as it was")).toBe("as it was")
  })
})
