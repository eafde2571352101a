import type {
  DaemonSet,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Selector,
  StatefulSet,
  Status
} from "@rollcall/api"
import type { DrainFlags } from "../PodFilters.ts"

/** The state of a cluster, as far as a drain depends on it. */
export interface ClusterSnapshot {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  readonly pods: ReadonlyArray<Pod>
  /** With the status that the disruption controller last wrote. */
  readonly budgets: ReadonlyArray<PodDisruptionBudget>
  readonly daemonSets: ReadonlyArray<DaemonSet>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly statefulSets: ReadonlyArray<StatefulSet>
  /** Namespaces; pods of those with a deletionTimestamp are deleted. */
  readonly namespaces?: ReadonlyArray<Namespace>
}

/**
 * The result of scheduling a pod: a node, or the scheduler's message and, if preemption helps, where and whom it would
 * preempt.
 */
export type Placement =
  | { readonly _tag: "Placed"; readonly node: string }
  | {
      readonly _tag: "Unplaceable"
      readonly message: string
      readonly makesRoom?: { readonly node: string; readonly victims: ReadonlyArray<Pod> }
    }

/** The scheduler of a plan. It caches all nodes and all scheduled pods, and is updated when those change. */
export interface PlanScheduler {
  /** Schedules a pod; a placed pod takes its resources from now on. */
  readonly place: (pod: Pod) => Placement
  /** A scheduled pod changed: it is terminating, and still takes its resources. */
  readonly update: (pod: Pod) => void
  /** A pod was deleted; its resources are free. */
  readonly remove: (pod: Pod) => void
}

/** The API server's answer to an eviction. Upstream: pkg/registry/core/pod/storage/eviction.go. */
export type EvictionAnswer =
  | { readonly _tag: "Delete" }
  | { readonly _tag: "DeleteWithBudget"; readonly budget: PodDisruptionBudget }
  | { readonly _tag: "Refuse"; readonly status: Status }

/** What a plan needs from packages that this one does not depend on. */
export interface DrainPorts {
  /**
   * Makes a scheduler for a cluster whose nodes to be drained are cordoned. `budgets` returns the budgets at the time
   * of the call.
   */
  readonly scheduler: (cluster: ClusterSnapshot, budgets: () => ReadonlyArray<PodDisruptionBudget>) => PlanScheduler
  /** Decides on an eviction, given all budgets of the pod's namespace. */
  readonly decideEviction: (pod: Pod, budgets: ReadonlyArray<PodDisruptionBudget>) => EvictionAnswer
}

/** The flags of kubectl. */
export interface PlanDrainOptions extends DrainFlags {
  /** The nodes, in the order in which they are drained; all are cordoned before the first. */
  readonly nodes: ReadonlyArray<string>
  readonly podSelector?: Selector
  readonly disableEviction?: boolean
  /** Overrides each pod's own grace period. */
  readonly gracePeriodSeconds?: number
  /** For each node; 0 or absent: no timeout. */
  readonly timeoutSeconds?: number
}
