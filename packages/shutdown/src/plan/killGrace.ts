import type { Pod } from "@rollcall/api"

/** The grace period for killing a pod: its own if that fits into the bucket, else the bucket's seconds. */
export const killGrace = ({ spec }: Pod, bucketSeconds: number): number =>
  Math.min(spec.terminationGracePeriodSeconds ?? bucketSeconds, bucketSeconds)

/**
 * Seconds after which a kill times out and the pod is no longer waited for. Upstream: pkg/kubelet/pod_workers.go
 * killPodNow.
 */
export const killTimeoutSeconds = (graceSeconds: number): number =>
  Math.max(10, graceSeconds + Math.trunc(graceSeconds / 2))
