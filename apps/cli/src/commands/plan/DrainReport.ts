import type { ClusterSnapshot, DrainPlan } from "@rollcall/drain"
import type { Gap } from "@rollcall/simulator/snapshot"

/** All that is said of a drain. */
export interface DrainReport {
  readonly plan: DrainPlan
  readonly snapshot: ClusterSnapshot
  /** What could not be known. */
  readonly gaps: ReadonlyArray<Gap>
}
