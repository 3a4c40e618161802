/** The days of the week and the hours a bakery is open on each. */
import * as Schema from "effect/Schema"

/** The days, as the tools name them. */
export const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

export const Day = Schema.Literals(days)
export type Day = typeof Day.Type

/** A time of day from 00:00 to 23:59. */
const Time = Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/u))

/** When the doors open and close, or that they stay shut. */
export const Hours = Schema.Union([Schema.Struct({ opens: Time, closes: Time }), Schema.Literal("closed")])
export type Hours = typeof Hours.Type

/** The hours of a whole week. */
export const Week = Schema.Record(Day, Hours)
export type Week = typeof Week.Type
