import { decideEviction } from "@rollcall/api-server"
import { type DrainPlan, type PlanDrainOptions, planDrain } from "@rollcall/drain"
import type { KnowledgeGap } from "@rollcall/text"
import type { ClusterObjects } from "../cluster/ClusterObjects.ts"
import { drainSnapshotOf } from "./drainSnapshot.ts"
import { plannedScheduler } from "./plannedScheduler.ts"

/** Returns the kinds that a plan lacks. Missing budgets do not matter to a drain that deletes instead of evicting. */
export const drainGapsOf = ({ gaps }: ClusterObjects, disableEviction: boolean): ReadonlyArray<KnowledgeGap> =>
  disableEviction ? gaps.filter(({ kind }) => kind !== "PodDisruptionBudget") : gaps

/** Plans what `kubectl drain` would do to nodes of a cluster, with the real rules of the scheduler and the eviction API. */
export const planClusterDrain = (objects: ClusterObjects, options: PlanDrainOptions): DrainPlan =>
  planDrain(drainSnapshotOf(objects), options, { scheduler: plannedScheduler(objects), decideEviction })
