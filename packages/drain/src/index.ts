// What kubectl drain does: cordon, choose pods, evict.

export { type CordonCluster, type CordonOptions, cordonPatch, setUnschedulable } from "./Cordon.ts"
export { type DrainCluster, DrainFailed, type DrainOptions, evictPods } from "./Drain.ts"
export type { DrainEvent } from "./DrainProgress.ts"
export {
  type DaemonSetError,
  type DrainFlags,
  type DrainMessages,
  drainMessages,
  type FilterContext,
  type PodVerdict
} from "./PodFilters.ts"
export { type FilteredPod, type PodsContext, type PodsForDeletion, podsForDeletion } from "./podsForDeletion.ts"

// A plan: what a drain will do, before it starts.

export { type DrainNodeCluster, type PlanOptions, planNodeDrain } from "./drainNode.ts"
export type {
  Block,
  BlockReason,
  BudgetNumbers,
  Displaced,
  DrainPlan,
  Moment,
  NodeDrain,
  NodeOutcome,
  PodDrain,
  Replacement
} from "./plan/DrainPlan.ts"
export { planDrain } from "./plan/planDrain.ts"
export type {
  ClusterSnapshot,
  DrainDependencies,
  EvictionAnswer,
  Placement,
  PlanDrainOptions,
  PlanScheduler
} from "./plan/Snapshot.ts"
