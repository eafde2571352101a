import type { KnowledgeGap } from "@rollcall/text"
import type { DrainPlan } from "../plan/DrainPlan.ts"

/** The content of a drain report. */
export interface DrainReport {
  readonly plan: DrainPlan
  /** Kinds that the snapshot lacks, and what is therefore not known. */
  readonly gaps: ReadonlyArray<KnowledgeGap>
}
