import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { PodAdmitHandler, PodRefusal } from "./PodAdmitHandler.ts"
import { rejectionLabel } from "./RejectionReason.ts"

/** Upstream: pkg/kubelet/metrics/metrics.go. */
export const kubeletAdmissionRejections = Metric.counter("kubelet_admission_rejections_total", {
  description: "Cumulative number pod admission rejections by the Kubelet.",
  incremental: true
})

export const kubeletPreemptions = Metric.counter("kubelet_preemptions", {
  description: "Cumulative number of pod preemptions by preemption resource",
  incremental: true
})

/** Counts what happens at a node's door. */
export interface AdmissionMeter {
  /** By the refusal's reason. */
  readonly rejected: (reason: string) => void
  /** A pod made room for a critical one, for which this resource was short. */
  readonly preempted: (signal: string) => void
}

/** Publishes to the metrics of a context. */
export const makeAdmissionMeter = (context: Context.Context<never>): AdmissionMeter => ({
  rejected: (reason) =>
    kubeletAdmissionRejections.pipe(Metric.withAttributes({ reason: rejectionLabel(reason) })).updateUnsafe(1, context),
  preempted: (signal) =>
    kubeletPreemptions.pipe(Metric.withAttributes({ preemption_signal: signal })).updateUnsafe(1, context)
})

/** A handler whose refusals are counted, at once or later. */
export const countingRefusals =
  (handler: PodAdmitHandler, meter: AdmissionMeter): PodAdmitHandler =>
  (request) => {
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
