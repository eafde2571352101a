import * as Schema from "effect/Schema"

/** The reader of standard output closed the pipe: `rollcall simulate … | head`. */
export class BrokenPipe extends Schema.TaggedError<BrokenPipe>()("BrokenPipe", {}) {}

/** The exit code that shells give to a process that SIGPIPE ended. */
export const brokenPipeCode = 141
