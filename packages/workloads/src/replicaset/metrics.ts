import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { staleSyncSkips } from "../consistency/metrics.ts"

/** Upstream: pkg/controller/replicaset/metrics/metrics.go. */
const SUBSYSTEM = "replicaset_controller"

const ageRatio = Metric.histogram(`${SUBSYSTEM}_sorting_deletion_age_ratio`, {
  description:
    "[ALPHA] The ratio of chosen deleted pod's ages to the current youngest pod's age (at the time). Should be <2. The intent of this metric is to measure the rough efficacy of the LogarithmicScaleDown feature gate's effect on the sorting (and deletion) of pods when a replicaset scales down. This only considers Ready pods when calculating and reporting.",
  boundaries: Array.from({ length: 6 }, (_, index) => 0.25 * 2 ** index)
})

/** Observes what `deletionAgeRatios` returns. */
export const observeDeletion =
  (context: Context.Context<never>) =>
  (ratios: ReadonlyArray<number>): void => {
    for (const ratio of ratios) ageRatio.updateUnsafe(ratio, context)
  }

export const replicaSetSkips = staleSyncSkips(SUBSYSTEM, "ReplicaSet")
