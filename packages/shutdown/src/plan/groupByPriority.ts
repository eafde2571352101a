import type { ShutdownBucket } from "../config/ShutdownConfig.ts"
import type { ShutdownPod } from "./ShutdownPod.ts"

/** A bucket and the pods that are killed in it. */
export interface ShutdownGroup<P extends ShutdownPod = ShutdownPod> {
  readonly bucket: ShutdownBucket
  readonly pods: ReadonlyArray<P>
}

/** Returns a pod's priority at a shutdown. Static and mirror pods get no special treatment. */
export const priorityOf = ({ spec }: ShutdownPod): number => spec.priority ?? 0

/**
 * Returns the index of the bucket that serves a priority: the last bucket at or below it, or else the first. Of several
 * buckets with the same priority, the first serves exactly that priority, and the last those above it. The list must be
 * ascending and not empty.
 */
export const bucketIndexOf = (buckets: ReadonlyArray<ShutdownBucket>, priority: number): number => {
  const index = buckets.findIndex((bucket) => bucket.priority >= priority)
  const bucket = buckets[index]
  if (bucket === undefined) return buckets.length - 1
  return index > 0 && bucket.priority > priority ? index - 1 : index
}

/**
 * Groups pods by bucket: one group for each bucket, in their order, with its pods in the order given.
 * Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go groupByPriority.
 */
export const groupByPriority = <P extends ShutdownPod>(
  buckets: ReadonlyArray<ShutdownBucket>,
  pods: ReadonlyArray<P>
): ReadonlyArray<ShutdownGroup<P>> => {
  const groups = buckets.map((bucket): { bucket: ShutdownBucket; pods: Array<P> } => ({ bucket, pods: [] }))
  for (const pod of pods) groups[bucketIndexOf(buckets, priorityOf(pod))]?.pods.push(pod)
  return groups
}
