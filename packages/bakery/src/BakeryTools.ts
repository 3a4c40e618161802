/** The bakery's two tools. Both only read: nothing here changes an order or sends a word. */
import { Tool, ToolFailure, Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Bakery } from "./Bakery.ts"
import { Day, Hours } from "./pure/Hours.ts"
import { find, Item } from "./pure/Menu.ts"

export const openingHours = Tool.make("opening_hours", {
  description: "The bakery's opening hours on one day of the week.",
  input: Schema.Struct({ day: Day }),
  output: Schema.Struct({ day: Day, hours: Hours }),
  run: Effect.fnUntraced(function*({ day }) {
    const { hours } = yield* Bakery
    return { day, hours: hours[day] }
  })
})

const nameMessage = "name must be the item as the customer wrote it."

const ItemName = Schema.String.annotate({ description: "The item, as the customer wrote it.", message: nameMessage })
  .pipe(
    Schema.decode(SchemaTransformation.trim()),
    Schema.decode(SchemaTransformation.toLowerCase()),
    Schema.check(Schema.isNonEmpty({ message: nameMessage })),
    Schema.annotateKey({ messageMissingKey: nameMessage })
  )

export const menuItem = Tool.make("menu_item", {
  description: "One item on the menu: its price in cents and the days of notice an order of it needs.",
  input: Schema.Struct({ name: ItemName }),
  output: Item,
  run: Effect.fnUntraced(function*({ name }) {
    const { menu } = yield* Bakery
    const item = find(menu, name)
    if (item !== undefined) return item
    const names = menu.map((known) => known.name).join(", ")
    return yield* new ToolFailure.NotFound({ message: `the menu has no ${name}. It has: ${names}.` })
  })
})

/** The bakery's toolset. Its data comes from the `Bakery` service. */
export const layer = Toolset.layer(openingHours, menuItem)
