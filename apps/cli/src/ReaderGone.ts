import * as Schema from "effect/Schema"

/** The reader of standard output closed the pipe: `rollcall simulate … | head`. */
export class ReaderGone extends Schema.TaggedError<ReaderGone>()("ReaderGone", {}) {}

/** The exit code that shells give to a process that SIGPIPE ended. */
export const readerGoneCode = 141
