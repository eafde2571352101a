import type { DrainPlan } from "../plan/DrainPlan.ts"

/** Something that cannot be known of a cluster, as it is not to be seen. */
export interface UnseenKind {
  /** As the API calls it; of owners, their own kind. */
  readonly kind: string
  /** What is missing, what cannot be known without it, and what is assumed. */
  readonly message: string
}

/** All that is said of a drain. */
export interface DrainReport {
  readonly plan: DrainPlan
  /** What could not be known. */
  readonly gaps: ReadonlyArray<UnseenKind>
}
