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

/** A cluster at one instant, as far as a drain depends on it. */
export interface ClusterSnapshot {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  readonly pods: ReadonlyArray<Pod>
  /** With their status, as their controller last wrote it. */
  readonly budgets: ReadonlyArray<PodDisruptionBudget>
  readonly daemonSets: ReadonlyArray<DaemonSet>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly statefulSets: ReadonlyArray<StatefulSet>
  /** Those that are being deleted take their pods with them. */
  readonly namespaces?: ReadonlyArray<Namespace>
}

/** Where a new pod goes. Nowhere, with the scheduler's words; unless it can make room on a node. */
export type Placement =
  | { readonly _tag: "Placed"; readonly node: string }
  | {
      readonly _tag: "Unplaceable"
      readonly message: string
      readonly makesRoom?: { readonly node: string; readonly victims: ReadonlyArray<Pod> }
    }

/** The scheduler's part in a plan. It holds all nodes and all pods with a node, and is told what becomes of them. */
export interface PlanScheduler {
  /** Decides on a pod; one that is placed takes its room from now on. */
  readonly place: (pod: Pod) => Placement
  /** A pod changed where it is: it is terminating now, and takes its room still. */
  readonly update: (pod: Pod) => void
  /** It is gone, and so is what it took. */
  readonly remove: (pod: Pod) => void
}

/** What the API server says to an eviction. Upstream: pkg/registry/core/pod/storage/eviction.go. */
export type EvictionAnswer =
  | { readonly _tag: "Delete" }
  | { readonly _tag: "Spend"; readonly budget: PodDisruptionBudget }
  | { readonly _tag: "Refuse"; readonly status: Status }

/** What a plan asks of others: packages that this one does not know. */
export interface DrainPorts {
  /** A scheduler for a cluster whose nodes to be drained are cordoned. `budgets` gives them as they are at any moment. */
  readonly scheduler: (cluster: ClusterSnapshot, budgets: () => ReadonlyArray<PodDisruptionBudget>) => PlanScheduler
  /** Decides on an eviction, given all budgets of the pod's namespace. */
  readonly decideEviction: (pod: Pod, budgets: ReadonlyArray<PodDisruptionBudget>) => EvictionAnswer
}

/** kubectl's flags. */
export interface PlanDrainOptions extends DrainFlags {
  /** The nodes, in the order in which they are drained; all are cordoned before the first. */
  readonly nodes: ReadonlyArray<string>
  readonly podSelector?: Selector
  readonly disableEviction?: boolean
  /** Instead of each pod's own. */
  readonly gracePeriodSeconds?: number
  /** For each node; 0 or absent: without end. */
  readonly timeoutSeconds?: number
}
