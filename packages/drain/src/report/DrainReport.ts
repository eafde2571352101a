import type { UnseenKind } from "@rollcall/text"
import type { DrainPlan } from "../plan/DrainPlan.ts"

/** All that is said of a drain. */
export interface DrainReport {
  readonly plan: DrainPlan
  /** What could not be known. */
  readonly gaps: ReadonlyArray<UnseenKind>
}
