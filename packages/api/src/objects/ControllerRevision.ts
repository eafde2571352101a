import * as Schema from "effect/Schema"
import { opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"

/** What a workload looked like at one of its revisions. */
export const ControllerRevision = Schema.Struct({
  ...typed("apps/v1", "ControllerRevision"),
  data: opt(Schema.Unknown),
  revision: Schema.Int
})
export interface ControllerRevision extends Schema.Schema.Type<typeof ControllerRevision> {}
