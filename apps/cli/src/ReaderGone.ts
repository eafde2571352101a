import * as Schema from "effect/Schema"

/** Whoever read standard output has had enough: `rollcall simulate … | head`. */
export class ReaderGone extends Schema.TaggedError<ReaderGone>()("ReaderGone", {}) {}
