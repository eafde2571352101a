import type { ClusterSnapshot, DrainPlan } from "@rollcall/drain"

/** All that is said of a drain. */
export interface DrainReport {
  readonly plan: DrainPlan
  readonly snapshot: ClusterSnapshot
}
