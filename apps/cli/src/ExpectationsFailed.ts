import * as Schema from "effect/Schema"

/** An expectation of the scenario failed. */
export class ExpectationsFailed extends Schema.TaggedError<ExpectationsFailed>()("ExpectationsFailed", {
  failed: Schema.Int
}) {}
