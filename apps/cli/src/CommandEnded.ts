import * as Schema from "effect/Schema"

/** A command has said what it had to say, and ends with a code of its own. */
export class CommandEnded extends Schema.TaggedError<CommandEnded>()("CommandEnded", { code: Schema.Int }) {}
