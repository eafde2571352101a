import * as Schema from "effect/Schema"

/** The scenario ran, and did not go as it was expected to. */
export class ExpectationsFailed extends Schema.TaggedError<ExpectationsFailed>()("ExpectationsFailed", {
  failed: Schema.Int
}) {}
