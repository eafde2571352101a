import * as Schema from "effect/Schema"

/** A file of the PKI folder cannot be read, used or written. The message names the file and says what to do. */
export class PkiError extends Schema.TaggedError<PkiError>()("PkiError", {
  file: Schema.String,
  message: Schema.String
}) {}
