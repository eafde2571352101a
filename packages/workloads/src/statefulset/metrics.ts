import type { StatefulSet } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { UpdateBudget } from "./plan.ts"

/** Upstream: pkg/controller/statefulset/metrics/metrics.go. */
const maxUnavailable = Metric.gauge("statefulset_controller_statefulset_max_unavailable", {
  description: "[ALPHA] Maximum number of unavailable pods allowed during StatefulSet rolling updates"
})
const unavailableReplicas = Metric.gauge("statefulset_controller_statefulset_unavailable_replicas", {
  description: "[ALPHA] Current number of unavailable pods in StatefulSet"
})

/** Publishes the limit and the progress of a rolling update. */
export const publishUpdateBudget = ({ metadata, spec }: StatefulSet, update: UpdateBudget): Effect.Effect<void> => {
  const labels = Metric.withAttributes({
    statefulset_namespace: metadata.namespace ?? "",
    statefulset_name: metadata.name ?? "",
    pod_management_policy: spec.podManagementPolicy ?? "OrderedReady"
  })
  return Effect.andThen(
    Metric.update(labels(maxUnavailable), update.maxUnavailable),
    Metric.update(labels(unavailableReplicas), update.unavailable)
  )
}
