import { formatLabelSelector, type Selector } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { setUnschedulable } from "./Cordon.ts"
import { DrainFailed, type DrainOptions, evictPods } from "./Drain.ts"
import { type DaemonSetError, type DrainFlags, type DrainMessages, daemonSetOf } from "./PodFilters.ts"
import { podsForDeletion } from "./podsForDeletion.ts"

/** The flags of `kubectl drain` that decide which pods of a node are drained. */
export interface PlanOptions extends DrainFlags {
  /** Only pods with matching labels are drained; absent means all. */
  readonly podSelector?: Selector
  readonly messages?: DrainMessages
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`

/** Lists the pods of a node and returns what a drain would do with each. Sends only reads. */
export const planNodeDrain = Effect.fnUntraced(function* (
  cluster: Pick<ClusterShape, "list" | "get">,
  nodeName: string,
  options: PlanOptions = {}
) {
  const { podSelector } = options
  const { items } = yield* cluster.list("Pod", {
    fieldSelector: `spec.nodeName=${nodeName}`,
    ...(podSelector === undefined ? {} : { labelSelector: formatLabelSelector(podSelector) })
  })
  /** By namespace and name. */
  const daemonSetErrors = new Map<string, DaemonSetError>()
  for (const pod of items) {
    const owner = daemonSetOf(pod)
    const namespace = pod.metadata.namespace ?? ""
    if (owner === undefined || daemonSetErrors.has(keyOf(namespace, owner.name))) continue
    const found = yield* Effect.result(cluster.get("DaemonSet", { namespace, name: owner.name }))
    if (Result.isFailure(found)) {
      const { failure } = found
      daemonSetErrors.set(keyOf(namespace, owner.name), { notFound: isNotFound(failure), message: failure.message })
    }
  }
  return podsForDeletion(items, {
    ...options,
    nowMs: yield* Clock.currentTimeMillis,
    daemonSetError: (namespace, name) => daemonSetErrors.get(keyOf(namespace, name))
  })
})

/** The cluster operations that a drain needs. */
export type DrainNodeCluster = Pick<ClusterShape, "list" | "get" | "patch" | "evict" | "delete">

/**
 * Cordons a node and evicts its pods. Fails with `DrainFailed` before the first eviction if a filter refuses a pod.
 * Returns what `planNodeDrain` decided. Upstream: staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go.
 */
export const drainNode = Effect.fnUntraced(function* (
  cluster: DrainNodeCluster,
  nodeName: string,
  options: PlanOptions & DrainOptions = {}
) {
  const node = yield* cluster.get("Node", { name: nodeName })
  yield* setUnschedulable(cluster, node, true, { dryRun: options.dryRun ?? false })
  const plan = yield* planNodeDrain(cluster, nodeName, options)
  if (plan.errors.length > 0) return yield* new DrainFailed({ messages: plan.errors })
  yield* evictPods(cluster, plan.evict, options)
  return plan
})
