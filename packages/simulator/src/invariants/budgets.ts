import { matchesLabelSelector, type Pod, type PodDisruptionBudget, selectorOf } from "@rollcall/api"
import { clock } from "@rollcall/text"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"
import { losesControllerState } from "./evictionTaints.ts"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** A running disruption controller has counted a lost pod after this time. */
const COUNTED_AFTER_SECONDS = 10
/** A disruption controller has counted all pods again this long after it, or the API server, was started again. */
const RECOUNTED_AFTER_SECONDS = 120

/** A healthy pod that stopped being healthy, other than by an eviction. */
interface Loss {
  readonly pod: Pod
  readonly at: number
}

const isHealthy = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

const desiredHealthyOf = ({ spec, status }: PodDisruptionBudget): number | undefined =>
  typeof spec?.minAvailable === "number" ? spec.minAvailable : status?.desiredHealthy

/**
 * Checks that an eviction granted by the API leaves each budget of the pod with its desired number of healthy pods. Pods that were
 * lost shortly before, other than by an eviction, count as healthy: the budget's status may not include the loss yet. While the
 * disruption controller is stopped, it misses every loss.
 */
export const budgets = (cluster: ClusterState, report: Report): Invariant => {
  let losses: Array<Loss> = []
  /** Losses from this time on may not be counted, because the controller or the API server was stopped; undefined if none was. */
  let uncountedFrom: number | undefined
  let recountedAt = Number.POSITIVE_INFINITY

  const trackDisturbance = (entry: TraceEntry) => {
    if (!losesControllerState(entry)) return
    uncountedFrom ??= entry.at
    recountedAt = entry.type === "FaultStarted" ? Number.POSITIVE_INFINITY : entry.at + RECOUNTED_AFTER_SECONDS
  }

  const onEviction = ({ at, namespace, node, pod: name }: TraceEntryOf<"PodDeletionRequested">) => {
    const evicted = cluster.pod(namespace, name)
    if (evicted === undefined || !isHealthy(evicted)) return
    for (const budget of cluster.budgets(namespace)) {
      const selector = selectorOf(budget.spec?.selector)
      const matches = ({ metadata }: Pod) => matchesLabelSelector(selector, metadata.labels)
      const wanted = desiredHealthyOf(budget)
      if (wanted === undefined || !matches(evicted)) continue
      let healthy = losses.filter(({ pod }) => pod.metadata.namespace === namespace && matches(pod)).length
      for (const other of cluster.pods()) {
        if (other.metadata.namespace !== namespace || other.metadata.uid === evicted.metadata.uid) continue
        if (matches(other) && isHealthy(other)) healthy++
      }
      if (healthy >= wanted) continue
      report(
        `${namespace}/${name} was evicted from ${node} at ${clock(at)}, which leaves ${healthy} healthy pods; budget ${budget.metadata.name ?? ""} requires ${wanted}`
      )
    }
  }

  /** Pods whose eviction was granted, by `namespace/name`, until their change is reported: their loss is in the budget's status. */
  const evictedPods = new Set<string>()
  return {
    entry: (entry) => {
      trackDisturbance(entry)
      if (entry.type !== "PodDeletionRequested" || entry.by !== "drain") return
      evictedPods.add(`${entry.namespace}/${entry.pod}`)
      onEviction(entry)
    },
    pod: (previous, next, atSeconds) => {
      if (previous === undefined || !isHealthy(previous)) return
      if (next !== undefined && next.metadata.uid === previous.metadata.uid && isHealthy(next)) return
      const key = `${previous.metadata.namespace ?? ""}/${previous.metadata.name ?? ""}`
      if (!evictedPods.delete(key)) losses.push({ pod: previous, at: atSeconds })
    },
    tick: (atSeconds) => {
      if (atSeconds >= recountedAt) {
        uncountedFrom = undefined
        recountedAt = Number.POSITIVE_INFINITY
      }
      if (losses.length === 0) return
      const from = Math.min(atSeconds - COUNTED_AFTER_SECONDS, uncountedFrom ?? Number.POSITIVE_INFINITY)
      losses = losses.filter(({ at }) => at >= from)
    }
  }
}
