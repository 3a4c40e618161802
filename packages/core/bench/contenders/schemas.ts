/** The inputs and results of the tools, as Schemas. */
import * as Schema from "effect/Schema"

export const Item = Schema.Struct({ name: Schema.String, count: Schema.Int })
export const Price = Schema.Struct({ name: Schema.String, count: Schema.Int, cents: Schema.Int })
export const Day = Schema.Struct({
  day: Schema.Literals(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
})
export const Hours = Schema.Struct({ day: Schema.String, opens: Schema.Int, closes: Schema.Int })
