/**
 * Binds a feature file to its tests: one test a Scenario, under the Scenario's title, and a last test that fails when the
 * two lists differ.
 */
import { describe, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { expect } from "vitest"

/** Declares the test of one Scenario. */
export type Scenario = (title: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => void

/** Declares the tests of a feature file. */
export const feature = (file: URL, declare: (scenario: Scenario) => void): void => {
  const text = readFileSync(file, "utf8")
  const title = text.match(/^\s*Feature: (.+)$/m)?.[1] ?? file.pathname
  describe(`Feature: ${title}`, () => {
    const tested: Array<string> = []
    declare((scenario, test) => {
      tested.push(scenario)
      it.effect(`Scenario: ${scenario}`, test)
    })
    it("has one test for every scenario, in its order", () => {
      expect(tested).toEqual(scenarios(text))
    })
  })
}

const scenarios = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*Scenario: (.+)$/gm)].flatMap((match) => match[1] ?? [])
