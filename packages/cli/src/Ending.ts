/** How the command ends when it does not end well: one line, and an exit code. */
import * as Schema from "effect/Schema"

/** Used wrongly: nothing ran. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** The run ended on an error. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}

/** All was said already; only the exit code is left. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {}
