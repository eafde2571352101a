import { matchesLabelSelector, type Pod, type PodDisruptionBudget, selectorOf } from "@rollcall/api"
import { clock } from "@rollcall/text"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"
import { losesState } from "./evictionTaints.ts"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** A running disruption controller counts a lost pod within this time. */
const SEEN_WITHIN_SECONDS = 10
/** A controller that was stopped, or whose API server was, has recounted after this time. */
const SURE_AFTER_SECONDS = 120

interface Loss {
  readonly pod: Pod
  readonly at: number
}

const isHealthy = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

const wantedOf = ({ spec, status }: PodDisruptionBudget): number | undefined =>
  typeof spec?.minAvailable === "number" ? spec.minAvailable : status?.desiredHealthy

/**
 * Checks that an eviction granted by the API leaves each budget of the pod with its desired number of healthy pods. Pods that were
 * lost shortly before, other than by an eviction, count as healthy: the budget's status may not include the loss yet. While the
 * disruption controller is stopped, it misses every loss.
 */
export const budgets = (known: ClusterState, report: Report): Invariant => {
  let losses: Array<Loss> = []
  let unsureFrom: number | undefined
  let sureAt = Number.POSITIVE_INFINITY

  const track = (entry: TraceEntry) => {
    if (!losesState(entry)) return
    unsureFrom ??= entry.at
    sureAt = entry.type === "FaultStarted" ? Number.POSITIVE_INFINITY : entry.at + SURE_AFTER_SECONDS
  }

  const onEviction = ({ at, namespace, node, pod: name }: TraceEntryOf<"PodDeletionRequested">) => {
    const evicted = known.pod(namespace, name)
    if (evicted === undefined || !isHealthy(evicted)) return
    for (const budget of known.budgets(namespace)) {
      const selector = selectorOf(budget.spec?.selector)
      const matches = ({ metadata }: Pod) => matchesLabelSelector(selector, metadata.labels)
      const wanted = wantedOf(budget)
      if (wanted === undefined || !matches(evicted)) continue
      let healthy = losses.filter(({ pod }) => pod.metadata.namespace === namespace && matches(pod)).length
      for (const other of known.pods()) {
        if (other.metadata.namespace !== namespace || other.metadata.uid === evicted.metadata.uid) continue
        if (matches(other) && isHealthy(other)) healthy++
      }
      if (healthy >= wanted) continue
      report(
        `${namespace}/${name} was evicted from ${node} at ${clock(at)}, which leaves ${healthy} healthy pods; budget ${budget.metadata.name ?? ""} requires ${wanted}`
      )
    }
  }

  const evictedNow = new Set<string>()
  return {
    entry: (entry) => {
      track(entry)
      if (entry.type !== "PodDeletionRequested" || entry.by !== "drain") return
      evictedNow.add(`${entry.namespace}/${entry.pod}`)
      onEviction(entry)
    },
    pod: (previous, next, atSeconds) => {
      if (previous === undefined || !isHealthy(previous)) return
      if (next !== undefined && next.metadata.uid === previous.metadata.uid && isHealthy(next)) return
      const key = `${previous.metadata.namespace ?? ""}/${previous.metadata.name ?? ""}`
      if (!evictedNow.delete(key)) losses.push({ pod: previous, at: atSeconds })
    },
    tick: (atSeconds) => {
      if (atSeconds >= sureAt) {
        unsureFrom = undefined
        sureAt = Number.POSITIVE_INFINITY
      }
      if (losses.length === 0) return
      const from = Math.min(atSeconds - SEEN_WITHIN_SECONDS, unsureFrom ?? Number.POSITIVE_INFINITY)
      losses = losses.filter(({ at }) => at >= from)
    }
  }
}
