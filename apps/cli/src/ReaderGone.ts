import * as Schema from "effect/Schema"

/** Whoever read standard output has had enough: `rollcall simulate … | head`. */
export class ReaderGone extends Schema.TaggedError<ReaderGone>()("ReaderGone", {}) {}

/** As shells give it to a process that SIGPIPE ended. */
export const readerGoneCode = 141
