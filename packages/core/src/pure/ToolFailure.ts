/**
 * What a tool says when it cannot do as asked. A failure is read by the model, which may try something else; a
 * `Fatal` is what no further turn can mend, and ends the run.
 */
import * as Schema from "effect/Schema"

/** The input is not what the tool takes. Made by the input's Schema; a tool may also say so itself. */
export class BadInput extends Schema.TaggedError<BadInput>()("badInput", { message: Schema.String }) {}

/** What was asked for is not there. Say what is, so that the next turn can ask for that. */
export class NotFound extends Schema.TaggedError<NotFound>()("notFound", { message: Schema.String }) {}

/** The tool could not do it: it broke, took too long, or what it rests on is away. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("unavailable", { message: Schema.String }) {}

/** A person or a rule said no. */
export class Denied extends Schema.TaggedError<Denied>()("denied", { message: Schema.String }) {}

/** The failures a model reads, each under the word it prints. */
export const ToolFailure = Schema.Union([BadInput, NotFound, Unavailable, Denied])
export type ToolFailure = typeof ToolFailure.Type

export const isToolFailure: (u: unknown) => u is ToolFailure = Schema.is(ToolFailure)

/** Ends the run: a revoked key, a database that is down. The message says what a person must mend. */
export class Fatal extends Schema.TaggedError<Fatal>()("Fatal", { message: Schema.String }) {}

/** The line the model reads: `notFound: the menu has no croissants.` */
export const line = (failure: ToolFailure): string => `${failure._tag}: ${failure.message}`
