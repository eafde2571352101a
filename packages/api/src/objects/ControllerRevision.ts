import * as Schema from "effect/Schema"
import { opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"

/** A snapshot of a workload's template at one revision. */
export const ControllerRevision = Schema.Struct({
  ...typed("apps/v1", "ControllerRevision"),
  data: opt(Schema.Unknown),
  revision: Schema.Int
})
export interface ControllerRevision extends Schema.Schema.Type<typeof ControllerRevision> {}
