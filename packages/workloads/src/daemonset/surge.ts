import type { DaemonSet } from "@rollcall/api"
import { scaledValue } from "../scaledValue.ts"

/** The parameters of the rolling update; undefined with OnDelete. */
const rollingOf = ({ spec }: DaemonSet) =>
  spec.updateStrategy?.type === "OnDelete" ? undefined : (spec.updateStrategy?.rollingUpdate ?? {})

/** How many nodes may have a pod of both templates at once. Upstream: daemonset_util.go SurgeCount. */
const surgeOf = (set: DaemonSet, desired: number): number =>
  scaledValue(rollingOf(set)?.maxSurge ?? 0, desired, Math.ceil)

/** Whether nodes may have two pods. Upstream: daemonset_util.go AllowsSurge. */
export const allowsSurge = (set: DaemonSet): boolean => surgeOf(set, 1) > 0

/** Numbers of nodes that may have two pods, or none that is available, during a rolling update. */
export interface DaemonBounds {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/**
 * The bounds of a rolling update. Percentages round up; if both bounds are 0, one node may be unavailable. Upstream:
 * update.go updatedDesiredNodeCounts.
 */
export const daemonBounds = (set: DaemonSet, desired: number): DaemonBounds => {
  const maxSurge = surgeOf(set, desired)
  const maxUnavailable = scaledValue(rollingOf(set)?.maxUnavailable ?? 0, desired, Math.ceil)
  return {
    maxSurge,
    maxUnavailable: desired > 0 && maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable
  }
}
