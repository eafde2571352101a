import * as Schema from "effect/Schema"

/** Expectations of scenarios did not hold. */
export class ExpectationsFailed extends Schema.TaggedError<ExpectationsFailed>()("ExpectationsFailed", {
  /** The number of such expectations in all scenarios of the command. */
  failed: Schema.Int
}) {}
