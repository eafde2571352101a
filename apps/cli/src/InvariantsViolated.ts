import type { BrokenInvariant } from "@rollcall/simulator"
import { clock } from "@rollcall/text"
import * as Schema from "effect/Schema"

/** A rehearsal violated invariants of the model: a bug in Rollcall; its result cannot be trusted. */
export class InvariantsViolated extends Schema.TaggedError<InvariantsViolated>()("InvariantsViolated", {
  scenario: Schema.String,
  promises: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.scenario}: the result cannot be trusted.\n${this.promises.join("\n")}`
  }
}

export const invariantsViolated = (scenario: string, bugs: ReadonlyArray<BrokenInvariant>): InvariantsViolated =>
  new InvariantsViolated({
    scenario,
    promises: bugs.map(({ at, invariant, message }) => `${clock(at)}, ${invariant}: ${message}`)
  })
