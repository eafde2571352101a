import * as Schema from "effect/Schema"

/** Ends a command, after its output, with an exit code. */
export class CommandEnded extends Schema.TaggedError<CommandEnded>()("CommandEnded", { code: Schema.Int }) {}
