import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { PodAdmitHandler, PodRefusal } from "./PodAdmitHandler.ts"
import { rejectionLabel } from "./RejectionReason.ts"

/** Upstream: pkg/kubelet/metrics/metrics.go. */
export const kubeletAdmissionRejections = Metric.counter("kubelet_admission_rejections_total", {
  description: "[ALPHA] Cumulative number pod admission rejections by the Kubelet.",
  incremental: true
})

export const kubeletPreemptions = Metric.counter("kubelet_preemptions", {
  description: "[ALPHA] Cumulative number of pod preemptions by preemption resource",
  incremental: true
})

/** Receives the metrics of pod admission. */
export interface AdmissionMeter {
  /** A pod was refused with this reason. */
  readonly rejected: (reason: string) => void
  /** A pod was preempted for a critical one that lacked this resource. */
  readonly preempted: (signal: string) => void
}

/** Returns a meter that updates the metrics of a context. */
export const makeAdmissionMeter = (context: Context.Context<never>): AdmissionMeter => ({
  rejected: (reason) =>
    kubeletAdmissionRejections.pipe(Metric.withAttributes({ reason: rejectionLabel(reason) })).updateUnsafe(1, context),
  preempted: (signal) =>
    kubeletPreemptions.pipe(Metric.withAttributes({ preemption_signal: signal })).updateUnsafe(1, context)
})

/** Returns a handler that also counts the refusals of `handler`, synchronous or later. */
export const countingRefusals = (handler: PodAdmitHandler, meter: AdmissionMeter): PodAdmitHandler => {
  const counting: PodAdmitHandler = (request) => {
    // A resize is retried again and again, and is counted elsewhere.
    if (request.isResize === true) return handler(request)
    const count = (refusal: PodRefusal | undefined): void => {
      if (refusal !== undefined) meter.rejected(refusal.reason)
    }
    const answer = handler(request)
    if (typeof answer !== "function") {
      count(answer)
      return answer
    }
    return (decide) =>
      answer((refusal) => {
        count(refusal)
        decide(refusal)
      })
  }
  // Pods that are all admitted have no refusal to count.
  const { admitsAll } = handler
  return admitsAll === undefined ? counting : Object.assign(counting, { admitsAll })
}
