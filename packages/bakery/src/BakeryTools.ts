/** The bakery's tools. Two only read; the third places an order, and needs a person's yes. */
import { Tool, ToolFailure, Toolset } from "@levain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Bakery } from "./Bakery.ts"
import { Orders } from "./Orders.ts"
import { Day, Hours } from "./pure/Hours.ts"
import { find, Item, type Menu } from "./pure/Menu.ts"
import { Order, price } from "./pure/Order.ts"

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
    return yield* notOn(menu, name)
  })
})

const notOn = (menu: Menu, name: string): ToolFailure.NotFound =>
  new ToolFailure.NotFound({
    message: `the menu has no ${name}. It has: ${menu.map((known) => known.name).join(", ")}.`
  })

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
  description: "How many of it."
})

/** Writes to `Orders` under the call's own identity, so that one call is one order, however often it is repeated. */
export const placeOrder = Tool.make("place_order", {
  description:
    "Places a customer's order for pickup on one day. Call it only once item, amount and day are clear. A person approves each order.",
  input: Schema.Struct({
    day: Day.annotate({ description: "The day of the pickup." }),
    lines: Schema.Array(Schema.Struct({ item: ItemName, count: Count })).check(Schema.isNonEmpty())
  }),
  output: Order,
  access: "writes",
  approval: "always",
  run: Effect.fnUntraced(function*({ day, lines }) {
    const { hours, menu } = yield* Bakery
    const call = yield* Tool.CurrentCall
    if (call === undefined) return yield* new ToolFailure.Unavailable({ message: "an order is placed in a run only." })
    if (hours[day] === "closed") {
      return yield* new ToolFailure.BadInput({
        message: `day must be one that we are open on; on ${day} we are closed.`
      })
    }
    const order = yield* Effect.mapError(Effect.fromResult(price(menu, day, lines)), (name) => notOn(menu, name))
    const { place } = yield* Orders
    return yield* Effect.mapError(
      place(Tool.keyOf(call), order),
      ({ message }) => new ToolFailure.Unavailable({ message })
    )
  })
})

/** The tools that only read. Their data comes from the `Bakery` service. */
export const layer = Toolset.layer(openingHours, menuItem)

/** These and the one that places an order, in the `Orders` service. */
export const layerOrder = Toolset.layer(openingHours, menuItem, placeOrder)
