import * as Schema from "effect/Schema"

/** A command has printed its output and ends with an exit code other than 0. */
export class CommandEnded extends Schema.TaggedError<CommandEnded>()("CommandEnded", { code: Schema.Int }) {}
