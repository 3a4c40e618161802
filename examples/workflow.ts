/** What needs no agent: the steps are known, so they are three calls in a row. */
import { Bakery, Menu } from "@levain/bakery"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const quote = Effect.fnUntraced(function*(name: string, amount: number) {
  const { menu } = yield* Bakery.Bakery
  const item = Menu.find(menu, name)
  if (item === undefined) return `We don't have ${name}.`
  const cents = item.priceCents * amount
  return `${amount} of ${item.name}: $${cents / 100}, to be ordered ${item.noticeDays} days ahead.`
})

const program = Effect.gen(function*() {
  yield* Console.log(yield* quote("sourdough rolls", 24))
  yield* Console.log(yield* quote("croissants", 6))
})

await Effect.runPromise(program.pipe(Effect.provide(Bakery.layerExample)))
