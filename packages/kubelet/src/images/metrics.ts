import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { imageSizeBucket } from "./imageSizeBucket.ts"

/** Upstream: pkg/kubelet/metrics/metrics.go, imagePullDurationBuckets. */
const pullDuration = Metric.histogram("kubelet_image_pull_duration_seconds", {
  description: "[ALPHA] Duration in seconds to pull an image.",
  boundaries: [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600]
})
/** Upstream: pkg/kubelet/images/metrics.go. */
const ensureRequests = Metric.counter("kubelet_image_manager_ensure_image_requests_total", {
  description: "[ALPHA] Number of ensure-image requests processed by the kubelet.",
  incremental: true
})
/** Upstream: pkg/kubelet/images/pullmanager/metrics.go. */
const accessChecks = Metric.counter("kubelet_imagemanager_image_mustpull_checks_total", {
  description:
    "[ALPHA] Counter for how many times kubelet checked whether credentials need to be re-verified to access an image",
  incremental: true
})
const collected = Metric.counter("kubelet_image_garbage_collected_total", {
  description:
    "[ALPHA] Total number of images garbage collected by the kubelet, whether through disk usage or image age.",
  incremental: true
})

/** How the access of a pod to an image on the node was decided. */
export type AccessCheck = "credentialPolicyAllowed" | "credentialRecordFound" | "mustAuthenticate" | "error"

/** Whether something is so; undefined if that was not looked at. */
type Known = boolean | undefined

/** Receives the metrics of a node's images. */
export interface ImageMeter {
  /** An image was pulled; the time includes the wait for other pulls. */
  readonly imagePulled: (sizeBytes: number, seconds: number) => void
  /** A container needed an image. */
  readonly imageEnsured: (policy: string, isPresent: Known, mustPull: Known) => void
  /** The access of a pod to an image on the node was looked at. */
  readonly imageAccessChecked: (result: AccessCheck) => void
  /** An image was removed. */
  readonly imageCollected: (reason: "age" | "space") => void
}

const knownText = (known: Known): string => (known === undefined ? "unknown" : String(known))

/** Returns a meter that updates the metrics of a context. */
export const makeImageMeter = (context: Context.Context<never>): ImageMeter => ({
  imagePulled: (sizeBytes, seconds) =>
    pullDuration
      .pipe(Metric.withAttributes({ image_size_in_bytes: imageSizeBucket(sizeBytes) }))
      .updateUnsafe(seconds, context),
  imageEnsured: (policy, isPresent, mustPull) =>
    ensureRequests
      .pipe(
        Metric.withAttributes({
          pull_policy: policy.toLowerCase(),
          present_locally: knownText(isPresent),
          pull_required: knownText(mustPull)
        })
      )
      .updateUnsafe(1, context),
  imageAccessChecked: (result) => accessChecks.pipe(Metric.withAttributes({ result })).updateUnsafe(1, context),
  imageCollected: (reason) => collected.pipe(Metric.withAttributes({ reason })).updateUnsafe(1, context)
})
