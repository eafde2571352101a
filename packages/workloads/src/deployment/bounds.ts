import type { Deployment } from "@rollcall/api"
import { scaledValue } from "../scaledValue.ts"

/** The default of maxSurge and of maxUnavailable. */
const defaultBound = "25%"

export interface Bounds {
  /** How many pods may exist above the desired replicas. */
  readonly maxSurge: number
  /** How many of the desired replicas may be unavailable. */
  readonly maxUnavailable: number
}

/** The desired replicas; 1 by default. */
export const replicasOf = ({ spec }: Deployment): number => spec.replicas ?? 1

/** Whether the strategy is RollingUpdate, the default, and not Recreate. */
export const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type !== "Recreate"

/**
 * The bounds of a rollout: surge rounds up, unavailability down, and if both are 0, one may be unavailable.
 * Upstream: pkg/controller/deployment/util/deployment_util.go ResolveFenceposts, MaxUnavailable.
 */
export const rolloutBounds = (deployment: Deployment): Bounds => {
  const replicas = replicasOf(deployment)
  if (!isRolling(deployment) || replicas === 0) return { maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge = defaultBound, maxUnavailable = defaultBound } = deployment.spec.strategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, replicas, Math.ceil)
  const unavailable = scaledValue(maxUnavailable, replicas, Math.floor)
  return { maxSurge: surge, maxUnavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) }
}
