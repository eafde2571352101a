import type { BrokenInvariant } from "@rollcall/simulator"
import { clock } from "@rollcall/text"
import * as Schema from "effect/Schema"

/** A rehearsal violated invariants of the model: a bug in Rollcall; its result cannot be trusted. */
export class ModelBroken extends Schema.TaggedError<ModelBroken>()("ModelBroken", {
  scenario: Schema.String,
  promises: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.scenario}: the result is not to be trusted.\n${this.promises.join("\n")}`
  }
}

export const modelBroken = (scenario: string, bugs: ReadonlyArray<BrokenInvariant>): ModelBroken =>
  new ModelBroken({
    scenario,
    promises: bugs.map(({ at, invariant, message }) => `${clock(at)}, ${invariant}: ${message}`)
  })
