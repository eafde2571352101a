import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Condition, LabelSelector } from "./Meta.ts"
import { IntOrString, Time } from "./Scalars.ts"
import { DeleteOptions } from "./Status.ts"

export const PodDisruptionBudgetSpec = Schema.Struct({
  minAvailable: opt(IntOrString),
  selector: opt(LabelSelector),
  maxUnavailable: opt(IntOrString),
  unhealthyPodEvictionPolicy: opt(oneOf("IfHealthyBudget", "AlwaysAllow"))
})
export interface PodDisruptionBudgetSpec extends Schema.Schema.Type<typeof PodDisruptionBudgetSpec> {}

export const PodDisruptionBudgetStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  /** Pods whose eviction was granted but not yet observed: name to the time it was granted. */
  disruptedPods: opt(Schema.Record(Schema.String, Time)),
  disruptionsAllowed: Schema.Int,
  currentHealthy: Schema.Int,
  desiredHealthy: Schema.Int,
  expectedPods: Schema.Int,
  conditions: opt(list(Condition))
})
export interface PodDisruptionBudgetStatus extends Schema.Schema.Type<typeof PodDisruptionBudgetStatus> {}

/** Limits how many of the selected pods the eviction API may evict at a time. */
export const PodDisruptionBudget = Schema.Struct({
  ...typed("policy/v1", "PodDisruptionBudget"),
  spec: opt(PodDisruptionBudgetSpec),
  status: opt(PodDisruptionBudgetStatus)
})
export interface PodDisruptionBudget extends Schema.Schema.Type<typeof PodDisruptionBudget> {}

/** The body of a POST to pods/eviction. */
export const Eviction = Schema.Struct({
  ...typed("policy/v1", "Eviction"),
  deleteOptions: opt(DeleteOptions)
})
export interface Eviction extends Schema.Schema.Type<typeof Eviction> {}
