/** The bakery whose menu and hours the tools read: a service, so that a test or a shop brings its own. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Week } from "./pure/Hours.ts"
import type { Menu } from "./pure/Menu.ts"

export class Bakery extends Context.Service<Bakery, {
  readonly hours: Week
  readonly menu: Menu
}>()("@levain/bakery/Bakery") {}

/** A bakery with this menu and these hours. */
export const layer = (bakery: Bakery["Service"]): Layer.Layer<Bakery> => Layer.succeed(Bakery, bakery)

const weekday = { opens: "07:00", closes: "15:00" }

/** The example: an invented bakery, its hours, items and prices made up. */
export const example: Bakery["Service"] = {
  hours: {
    monday: "closed",
    tuesday: weekday,
    wednesday: weekday,
    thursday: weekday,
    friday: weekday,
    saturday: { opens: "08:00", closes: "13:00" },
    sunday: "closed"
  },
  menu: [
    { name: "sourdough rolls", priceCents: 150, noticeDays: 2 },
    { name: "rye loaf", priceCents: 900, noticeDays: 1 },
    { name: "cinnamon buns", priceCents: 400, noticeDays: 1 }
  ]
}

/** The example bakery. */
export const layerExample: Layer.Layer<Bakery> = layer(example)
