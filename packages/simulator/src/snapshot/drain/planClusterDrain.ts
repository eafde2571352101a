import { decideEviction } from "@rollcall/api-server"
import { type DrainPlan, type PlanDrainOptions, planDrain } from "@rollcall/drain"
import type { UnseenKind } from "@rollcall/text"
import type { ClusterObjects } from "../cluster/ClusterObjects.ts"
import { drainSnapshotOf } from "./drainSnapshot.ts"
import { plannedScheduler } from "./plannedScheduler.ts"

/** What of a cluster a plan cannot know. Budgets hold up no deletion. */
export const drainGapsOf = ({ gaps }: ClusterObjects, disableEviction: boolean): ReadonlyArray<UnseenKind> =>
  disableEviction ? gaps.filter(({ kind }) => kind !== "PodDisruptionBudget") : gaps

/** What `kubectl drain` would do to nodes of a cluster, under the scheduler's and the eviction API's own rules. */
export const planClusterDrain = (objects: ClusterObjects, options: PlanDrainOptions): DrainPlan =>
  planDrain(drainSnapshotOf(objects), options, { scheduler: plannedScheduler(objects), decideEviction })
