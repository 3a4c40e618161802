/**
 * The work that every contender does: a conversation of so many turns, in each of which the model asks for two calls, of tools with validated
 * inputs, and is given both results. Everybody has the same tools and the same model, and what was done is counted.
 */

/** What was done, to prove that it was. */
export interface Count {
  readonly replies: number
  readonly calls: number
}

export interface Work {
  /** How many replies ask for tools. One more is the answer. */
  readonly turns: number
  /** How long the model thinks, in milliseconds; 0 for one that does not wait at all. */
  readonly thinks: number
}

/** A way to do the work: what it builds once, and each run of it. */
export interface Contender {
  readonly name: string
  readonly prepare: (tally: Tally) => Promise<(work: Work) => Promise<void>>
}

/** Counts what the model and the tools are asked for. */
export interface Tally {
  replies: number
  calls: number
  /** Called with each request to the model, before it thinks. */
  readonly asked?: () => void
}

export const tally = (asked?: () => void): Tally => ({
  replies: 0,
  calls: 0,
  ...(asked === undefined ? {} : { asked })
})

/** Throws where less or more was done than was to be done. */
export const proved = ({ calls, replies }: Count, { turns }: Work, runs = 1): void => {
  if (replies !== runs * (turns + 1) || calls !== runs * turns * 2) {
    throw new Error(`${replies} replies and ${calls} calls were counted, for ${runs} runs of ${turns} turns`)
  }
}

export const instructions = "Answer the bakery's customers from its menu and its hours."
export const task = "Two dozen sourdough rolls on Saturday, please. What are they, and are you open?"
export const answer = "They are $36.00, and we are open from 8 to 14."

/** No interfaces: what is JSON has an index signature, which they have not. */
export type Item = { readonly name: string; readonly count: number }
export type Day = { readonly day: string }

export type Call =
  | { readonly id: string; readonly name: "menu_item"; readonly input: Item }
  | { readonly id: string; readonly name: "opening_hours"; readonly input: Day }

const days = ["tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

/** What the model asks for in a turn. New objects each time, as a provider's are. */
export const callsOf = (turn: number): readonly [Call, Call] => [
  { id: `call_${turn}_0`, name: "menu_item", input: { name: "sourdough rolls", count: 1 + turn % 24 } },
  { id: `call_${turn}_1`, name: "opening_hours", input: { day: days[turn % days.length] ?? "friday" } }
]

/** The tools themselves. */
export const menuItem = (counted: Tally, { count, name }: Item) => {
  counted.calls++
  return { name, count, cents: count * 150 }
}

export const openingHours = (counted: Tally, { day }: Day) => {
  counted.calls++
  return { day, opens: 8, closes: 14 }
}

export const descriptions = {
  menu_item: "An item of the menu: its price in cents, for so many.",
  opening_hours: "When the bakery is open on a day."
}

/** What a reply used. */
export const tokens = { input: 400, output: 40 }
