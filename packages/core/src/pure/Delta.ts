/** What can be seen of a reply while it comes. No event: nothing rests on it, and the reply says all of it again. */
import * as Schema from "effect/Schema"

export const Delta = Schema.TaggedUnion({
  /** More of the reply's words. Joined, they are the reply's `text`. */
  Text: { text: Schema.String },
  /** More of what the model thinks, where the provider shows it. */
  Thinking: { text: Schema.String },
  /** The reply begins anew: whatever was seen of it does not count. `why` is for people. */
  Restarted: { why: Schema.String }
})
export type Delta = typeof Delta.Type
