import * as Schema from "effect/Schema"

/** A file of the PKI folder that cannot be used as it is, or not be written. The message says what to do. */
export class PkiError extends Schema.TaggedError<PkiError>()("PkiError", {
  file: Schema.String,
  message: Schema.String
}) {}
