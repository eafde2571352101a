import type { Pod, Quantity } from "@rollcall/api"
import { compareQuantity, signOf } from "@rollcall/api"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { type ResizeGates, resizableContainers } from "./Allocation.ts"

/** What made the kubelet retry the pending resizes. */
export type RetryTrigger =
  | "periodic_retry"
  | "pod_resized"
  | "pod_terminated"
  | "pod_updated"
  | "pods_added"
  | "pods_removed"

type Requested = { readonly resource: string; readonly requirement: string; readonly operation: string }

/** Receives the metrics of in-place resizes. */
export interface ResizeMeter {
  readonly resizeRequested: (labels: Requested) => void
  readonly resizeInfeasible: (detail: string) => void
  readonly deferredResizeAccepted: (trigger: RetryTrigger) => void
  readonly resizeActuated: (success: boolean, durationMs: number) => void
}

/** Upstream: pkg/kubelet/metrics/metrics.go. */
const requestedResizes = Metric.counter("kubelet_container_requested_resizes_total", {
  description:
    "[ALPHA] Number of requested resizes, counted at the container level. Different resources on the same container are counted separately. The 'requirement' label refers to 'memory' or 'limits'; the 'operation' label can be one of 'add', 'remove', 'increase' or 'decrease'.",
  incremental: true
})
const infeasibleResizes = Metric.counter("kubelet_pod_infeasible_resizes_total", {
  description: "[ALPHA] Number of infeasible resizes for pods.",
  incremental: true
})
const acceptedResizes = Metric.counter("kubelet_pod_deferred_accepted_resizes_total", {
  description: "[ALPHA] Cumulative number of resizes that were accepted after being deferred.",
  incremental: true
})
const resizeDuration = Metric.histogram("kubelet_pod_resize_duration_milliseconds", {
  description: "[ALPHA] Duration in milliseconds to actuate a pod resize",
  boundaries: [10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000]
})
const pendingResizes = Metric.gauge("kubelet_pod_pending_resizes", {
  description: "[ALPHA] Number of pending resizes for pods."
})
const inProgressResizes = Metric.gauge("kubelet_pod_in_progress_resizes", {
  description: "[ALPHA] Number of in-progress resizes for pods."
})

/** Returns a meter that updates the metrics of a context. */
export const makeResizeMeter = (context: Context.Context<never>): ResizeMeter => ({
  resizeRequested: (labels) => requestedResizes.pipe(Metric.withAttributes({ ...labels })).updateUnsafe(1, context),
  resizeInfeasible: (detail) =>
    infeasibleResizes.pipe(Metric.withAttributes({ reason_detail: detail })).updateUnsafe(1, context),
  deferredResizeAccepted: (trigger) =>
    acceptedResizes.pipe(Metric.withAttributes({ retry_trigger: trigger })).updateUnsafe(1, context),
  resizeActuated: (success, durationMs) =>
    resizeDuration.pipe(Metric.withAttributes({ success: String(success) })).updateUnsafe(durationMs, context)
})

/** Sets the gauges of resizes to the numbers of conditions in the statuses of pods. */
export const gaugeResizes = (pods: Iterable<Pod>, context: Context.Context<never>): void => {
  const counts = { deferred: 0, infeasible: 0, inProgress: 0 }
  for (const { status } of pods) {
    for (const { reason, type } of status?.conditions ?? []) {
      if (type === "PodResizeInProgress") counts.inProgress++
      else if (type === "PodResizePending") counts[reason === "Infeasible" ? "infeasible" : "deferred"]++
    }
  }
  pendingResizes.pipe(Metric.withAttributes({ reason: "deferred" })).updateUnsafe(counts.deferred, context)
  pendingResizes.pipe(Metric.withAttributes({ reason: "infeasible" })).updateUnsafe(counts.infeasible, context)
  inProgressResizes.updateUnsafe(counts.inProgress, context)
}

const operationOf = (now: Quantity = "0", before: Quantity = "0"): string | undefined => {
  const order = compareQuantity(now, before)
  if (order === 0) return undefined
  if (signOf(now) === 0) return "remove"
  if (signOf(before) === 0) return "add"
  return order < 0 ? "decrease" : "increase"
}

/** Returns the changes of the containers' resources, in upstream's order: pkg/kubelet/kubelet.go. */
export const requestedResizesOf = (pod: Pod, before: Pod, gates: ResizeGates): ReadonlyArray<Requested> => {
  const containers = resizableContainers(pod, gates)
  return resizableContainers(before, gates).flatMap((old) => {
    const container = containers.find(({ name }) => name === old.name)
    return (["memory", "cpu"] as const).flatMap((resource) =>
      (["requests", "limits"] as const).flatMap((requirement) => {
        const amountOf = (each: typeof old | undefined) => each?.resources?.[requirement]?.[resource]
        const operation = operationOf(amountOf(container), amountOf(old))
        return operation === undefined ? [] : [{ resource, requirement, operation }]
      })
    )
  })
}
