import type { ShutdownPod } from "./ShutdownPod.ts"

/** Returns the grace period for killing a pod in seconds: its own if that fits into the bucket, else the bucket's. */
export const killGrace = ({ spec }: ShutdownPod, bucketSeconds: number): number =>
  Math.min(Number(spec.terminationGracePeriodSeconds ?? bucketSeconds), bucketSeconds)

/**
 * Returns after how many seconds a kill times out, so that the pod is no longer waited for. Upstream:
 * pkg/kubelet/pod_workers.go killPodNow.
 */
export const killTimeoutSeconds = (graceSeconds: number): number =>
  Math.max(10, graceSeconds + Math.trunc(graceSeconds / 2))
