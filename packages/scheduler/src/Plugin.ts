import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"

/** Whether an event could make a pod schedulable that the plugin refused; a plugin without a hint takes every event for one. */
export type Hint = (pod: PodInfo, event: SchedulingEvent, cache: SchedulingCache) => boolean

/**
 * Why a node is not for a pod. Preemption looks only at nodes that are `Unschedulable`; removing pods from one that is
 * `UnschedulableAndUnresolvable` would not help.
 */
export interface Rejection {
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable"
  readonly plugin: string
  readonly reasons: ReadonlyArray<string>
}

/** Undefined: this node will do. */
export type NodeCheck = (node: NodeInfo) => Rejection | undefined

/** What a filter has to say about a pod before it has seen a node. */
export type Prepared =
  /** Nothing: every node will do. */
  | { readonly _tag: "Skip" }
  /** No node will do. */
  | { readonly _tag: "Reject"; readonly rejection: Rejection }
  /** Each node has to be checked; with names only those can do at all. */
  | { readonly _tag: "Check"; readonly check: NodeCheck; readonly nodeNames?: ReadonlySet<string> }

/**
 * Decides on which nodes a pod may run. `prepare` is called once a cycle, the check for one node after the other until enough
 * are found; both must be quick, pure, and look at nothing but the cache and the pod's spec, labels, annotations and owners.
 *
 * `hint` says whether an event could make a pod schedulable that this filter rejected; without it every event could.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework PreFilterPlugin, FilterPlugin, EnqueueExtensions.
 */
export interface FilterPlugin {
  readonly name: string
  readonly prepare: (pod: PodInfo, cache: SchedulingCache) => Prepared
  readonly hint?: Hint
}

/**
 * Says how well each of the nodes that will do suits a pod: fills `scores`, one for each node, normalised to whole numbers
 * from 0 to 100; the scheduler adds them up times the weight. False: the plugin has nothing to say about this pod.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework PreScorePlugin, ScorePlugin.
 */
export interface ScorePlugin {
  readonly name: string
  readonly weight: number
  readonly score: (
    pod: PodInfo,
    nodes: ReadonlyArray<NodeInfo>,
    cache: SchedulingCache,
    scores: Array<number>
  ) => boolean
}

export const skip: Prepared = { _tag: "Skip" }

export const MAX_NODE_SCORE = 100
