import * as Schema from "effect/Schema"
import { oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"

/** A named priority. Cluster-scoped. */
export const PriorityClass = Schema.Struct({
  ...typed("scheduling.k8s.io/v1", "PriorityClass"),
  value: Schema.Int,
  globalDefault: opt(Schema.Boolean),
  description: opt(Schema.String),
  preemptionPolicy: opt(oneOf("PreemptLowerPriority", "Never"))
})
export interface PriorityClass extends Schema.Schema.Type<typeof PriorityClass> {}
