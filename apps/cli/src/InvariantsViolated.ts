import type { BrokenInvariant } from "@rollcall/simulator"
import { clock } from "@rollcall/text"
import * as Schema from "effect/Schema"

/** A rehearsal violated invariants of the model. This is a bug in Rollcall, and the result cannot be trusted. */
export class InvariantsViolated extends Schema.TaggedError<InvariantsViolated>()("InvariantsViolated", {
  scenario: Schema.String,
  /** One line for each violation: the virtual time, the invariant and what was found. */
  violations: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.scenario}: the result cannot be trusted.\n${this.violations.join("\n")}`
  }
}

/** Returns the error for a scenario whose rehearsal violated these invariants. */
export const invariantsViolated = (scenario: string, bugs: ReadonlyArray<BrokenInvariant>): InvariantsViolated =>
  new InvariantsViolated({
    scenario,
    violations: bugs.map(({ at, invariant, message }) => `${clock(at)}, ${invariant}: ${message}`)
  })
