import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"

/** Whether an event could make a pod schedulable that the plugin rejected. Upstream: QueueingHintFn. */
export type Hint = (pod: PodInfo, event: SchedulingEvent, cache: SchedulingCache) => boolean

/**
 * Why a node is not feasible for a pod. Preemption only tries nodes that are `Unschedulable`; removing pods from an
 * `UnschedulableAndUnresolvable` one would not help.
 */
export interface Rejection {
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable"
  /** The name of the plugin whose hint decides which events requeue the pod. */
  readonly plugin: string
  /** Kubernetes' texts, which the message for the pod counts over all nodes. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Thrown by a plugin that cannot decide about a pod, because an object is at fault: the message is the pod's, which is retried after its
 * back-off. Any other exception is also reported as an error of the scheduler.
 */
export class PluginError extends Error {}

/** Returns why a node is not feasible; undefined if it is. */
export type NodeCheck = (node: NodeInfo) => Rejection | undefined

/** A filter's result for a pod before any node is checked. */
export type Prepared =
  /** The filter does not apply: every node is feasible. */
  | { readonly _tag: "Skip" }
  /** No node is feasible. */
  | { readonly _tag: "Reject"; readonly rejection: Rejection }
  /**
   * Each node is checked. If `nodeNames` is given, only these nodes can be feasible. A check that is `local` depends on the pod's spec and
   * the node's own record alone, without the conditions: its results are kept while both stay the same.
   */
  | {
      readonly _tag: "Check"
      readonly check: NodeCheck
      readonly nodeNames?: ReadonlySet<string>
      readonly local?: boolean
    }

/**
 * Decides on which nodes a pod may run. `prepare` is called once per cycle, the check for node after node until enough
 * are found; both must be quick, pure, and read only the cache and the pod's spec, labels, annotations and owners.
 *
 * `hint` decides whether an event could make a pod schedulable that this filter rejected; without it every event
 * could. Upstream: staging/src/k8s.io/kube-scheduler/framework PreFilterPlugin, FilterPlugin, EnqueueExtensions.
 */
export interface FilterPlugin {
  readonly name: string
  readonly prepare: (pod: PodInfo, cache: SchedulingCache) => Prepared
  readonly hint?: Hint
}

/**
 * Scores the feasible nodes for a pod. `score` fills `scores`, whose indexes are those of `nodes`, with whole numbers from
 * 0 to 100, 100 for the best; the scheduler multiplies them by the weight and adds them up. It returns false if the plugin
 * does not apply to this pod.
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

/** The result of a filter that does not apply to the pod. */
export const skip: Prepared = { _tag: "Skip" }

/** The score of the best node. Upstream: framework.MaxNodeScore. */
export const MAX_NODE_SCORE = 100
