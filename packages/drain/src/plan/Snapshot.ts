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
  /** When the snapshot was taken, in milliseconds since the Unix epoch; deletion timestamps are compared with it. */
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  readonly pods: ReadonlyArray<Pod>
  /** Budgets with the status that the disruption controller last wrote, which may be outdated. */
  readonly budgets: ReadonlyArray<PodDisruptionBudget>
  readonly daemonSets: ReadonlyArray<DaemonSet>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly statefulSets: ReadonlyArray<StatefulSet>
  /**
   * Of one with a deletionTimestamp, the plan takes all pods as deleted, as the namespace controller would delete them. Absent:
   * none is being deleted.
   */
  readonly namespaces?: ReadonlyArray<Namespace>
}

/**
 * The result of scheduling a pod: a node; or the scheduler's message and, if preemption helps, the node and the pods
 * that the scheduler would delete there.
 */
export type Placement =
  | { readonly _tag: "Placed"; readonly node: string }
  | {
      readonly _tag: "Unplaceable"
      readonly message: string
      readonly preemption?: { readonly node: string; readonly victims: ReadonlyArray<Pod> }
    }

/**
 * The scheduler of a plan. It caches the nodes and scheduled pods of the snapshot; the plan reports each later change of
 * a pod to it.
 */
export interface PlanScheduler {
  /** Schedules a pod. The requests of a placed pod count on its node from now on. */
  readonly place: (pod: Pod) => Placement
  /** Records that a scheduled pod is terminating; its requests count until `remove`. */
  readonly update: (pod: Pod) => void
  /** Removes a pod that no longer exists: its requests no longer count. */
  readonly remove: (pod: Pod) => void
}

/**
 * The API server's answer to an eviction: delete the pod at once; delete it with `budget`, in which disruptionsAllowed is
 * decremented already; or refuse. Upstream: pkg/registry/core/pod/storage/eviction.go.
 */
export type EvictionAnswer =
  | { readonly _tag: "Delete" }
  | { readonly _tag: "DeleteWithBudget"; readonly budget: PodDisruptionBudget }
  | { readonly _tag: "Refuse"; readonly status: Status }

/** Passed in by the caller, so that this package does not depend on the scheduler and the API server. */
export interface DrainDependencies {
  /**
   * Makes a scheduler for this cluster, in which the nodes to be drained are cordoned already. `budgets` returns the
   * budgets as they are in the plan when it is called, unlike `cluster.budgets`: preemption depends on the disruptions
   * that they still allow.
   */
  readonly scheduler: (cluster: ClusterSnapshot, budgets: () => ReadonlyArray<PodDisruptionBudget>) => PlanScheduler
  /** Decides on an eviction, given all budgets of the pod's namespace, whether they select the pod or not. */
  readonly decideEviction: (pod: Pod, budgets: ReadonlyArray<PodDisruptionBudget>) => EvictionAnswer
}

/** What to drain and how. The options correspond to flags of kubectl drain. */
export interface PlanDrainOptions extends DrainFlags {
  /** The nodes, in the order in which they are drained; all are cordoned before the first one is drained. */
  readonly nodes: ReadonlyArray<string>
  /** Only pods with matching labels are drained; absent means all. */
  readonly podSelector?: Selector
  /** Delete the pods instead of evicting them, which bypasses all budgets. */
  readonly disableEviction?: boolean
  /** Overrides each pod's own grace period. */
  readonly gracePeriodSeconds?: number
  /** Timeout for each node; 0 or absent means none. */
  readonly timeoutSeconds?: number
}
