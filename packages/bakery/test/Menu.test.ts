import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import { example } from "../src/Bakery.ts"
import { find, nearest } from "../src/pure/Menu.ts"

const found = (wanted: string) => find(example.menu, wanted)?.name

describe("find", () => {
  it("finds an item by its name, singular or plural, in any case", () => {
    for (const wanted of ["sourdough rolls", "Sourdough Roll", "  sourdough   rolls "]) {
      expect(found(wanted)).toBe("sourdough rolls")
    }
    for (const wanted of ["rye loaf", "rye loaves", "a loaf of rye", "rye bread"]) {
      expect(found(wanted)).toBe("rye loaf")
    }
  })

  it("finds an item by some of its words when no other has them", () => {
    expect(["rolls", "sourdough", "buns", "rye"].map(found)).toEqual([
      "sourdough rolls",
      "sourdough rolls",
      "cinnamon buns",
      "rye loaf"
    ])
    const two = [...example.menu, { name: "seeded rolls", priceCents: 200, noticeDays: 1 }]
    expect(find(two, "rolls")).toBeUndefined()
    expect(find(two, "seeded roll")?.name).toBe("seeded rolls")
  })

  it("finds words in -y and -ie in the plural", () => {
    const menu = ["chocolate chip cookie", "apple pie", "berry tart"].map((name) => ({ name }))
    expect(["cookies", "pies", "berries tart"].map((wanted) => find(menu, wanted)?.name)).toEqual([
      "chocolate chip cookie",
      "apple pie",
      "berry tart"
    ])
  })

  it("finds the nearest to a name by its end, unless another food stands before that", () => {
    const names = example.menu.map(({ name }) => name)
    expect(["tow rye loaves", "wholesome bread", "cinnamon rolls", "rye buns", "banana bread", "rye", "scones"]
      .map((wanted) => nearest(names, wanted))).toEqual(
        ["rye loaf", "rye loaf", undefined, undefined, undefined, undefined, undefined]
      )
  })

  it("forgives a slip of spelling, and no more", () => {
    expect(["sourdogh rolls", "cinamon bunns", "rols"].map(found)).toEqual([
      "sourdough rolls",
      "cinnamon buns",
      "sourdough rolls"
    ])
    for (const wanted of ["croissants", "cinnamon rolls", "rice", "dolls", "", "of the", "constructor", "💥"]) {
      expect(found(wanted)).toBeUndefined()
    }
  })
})
