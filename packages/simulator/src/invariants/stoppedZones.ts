import type { Pod } from "@rollcall/api"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"
import {
  addsEvictionTaint,
  evictionTaintCount,
  isEvictionTaint,
  losesControllerState,
  zoneId,
  zoneOfNode
} from "./evictionTaints.ts"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/**
 * Returns whether a pod is not the one that the request was for. Taint eviction sets DisruptionTarget on a pod before it deletes it, and
 * deletes by name: a delayed request can delete the next pod of that name, as in a real cluster. That pod lacks the condition.
 */
const isOtherPod = (pod: Pod | undefined): boolean =>
  pod !== undefined && pod.status?.conditions?.some(({ type }) => type === "DisruptionTarget") !== true

interface ScheduledEviction {
  readonly node: string
  readonly due: number
  /** When its node last got one of the two eviction taints before. */
  readonly taintedAt: number
}

/** The taint-eviction controller observes the removal of a taint this long after the API has answered it. */
const SETTLED_SECONDS = 1

/**
 * Checks that no node is tainted in a zone whose evictions are stopped, and no pod is evicted while every zone is down.
 *
 * - After a zone's rate becomes 0, at most one more of its nodes is tainted: the one whose request was in flight.
 * - While every zone is down, once the pass that found this has removed the two NoExecute taints from the nodes, no eviction falls
 *   due except from nodes tainted after that pass had read them. Evictions for taints that others added continue.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one invariant, and a function for each type of entry that changes it.
export const stoppedZones = (cluster: ClusterState, report: Report): Invariant => {
  /** Zones whose rate is 0, with the number of nodes tainted since. */
  const stopped = new Map<string, number>()
  /** The scheduled evictions, by `namespace/name`. They outlive their node: its deletion does not cancel them. */
  const scheduled = new Map<string, ScheduledEviction>()
  /** Those whose nodes are gone: no pass can remove the taints of such a node. */
  const orphaned = new WeakSet<ScheduledEviction>()
  /** When each node last got one of the two eviction taints. */
  const taintedAt = new Map<string, number>()
  const lastTaintOf = (node: string) => taintedAt.get(node) ?? Number.NEGATIVE_INFINITY
  /** When the last monitor pass ended, and so the earliest time at which the current one read the nodes. */
  let passEndedAt = Number.NEGATIVE_INFINITY
  /** The time of the last action of the operator, who may taint nodes too. */
  let lastActionAt = Number.NEGATIVE_INFINITY
  /** Nodes tainted from this time on may still lose pods while every zone is down. */
  let lateTaintsFrom: number | undefined
  /** When the pass ended that removed the two NoExecute taints from the nodes, because every zone is down. */
  let strippedAt = Number.POSITIVE_INFINITY

  const resetAllZonesDown = () => {
    lateTaintsFrom = undefined
    strippedAt = Number.POSITIVE_INFINITY
  }

  const onTaint = (entry: TraceEntryOf<"TaintAdded">) => {
    const { at, node } = entry
    if (!addsEvictionTaint(entry)) return
    const object = cluster.node(node)
    taintedAt.set(node, at)
    if (at === lastActionAt || evictionTaintCount(object) > 1) return
    const zone = zoneOfNode(object)
    const count = stopped.get(zone)
    if (count === undefined) return
    stopped.set(zone, count + 1)
    if (count > 0) report(`${node} got a NoExecute taint although evictions in ${zone} are stopped`)
  }

  const onDeletion = ({ at, by, namespace, node, pod }: TraceEntryOf<"PodDeletionRequested">) => {
    const key = `${namespace}/${pod}`
    const eviction = scheduled.get(key)
    const decided = Math.min(eviction?.due ?? at, at)
    scheduled.delete(key)
    if (eviction !== undefined && orphaned.has(eviction)) return
    if (by !== "taint-eviction" || lateTaintsFrom === undefined || decided < strippedAt + SETTLED_SECONDS) return
    if (isOtherPod(cluster.pod(namespace, pod))) return
    if (Math.max(eviction?.taintedAt ?? Number.NEGATIVE_INFINITY, lastTaintOf(node)) >= lateTaintsFrom) return
    const hasOtherTaint = cluster
      .node(node)
      ?.spec?.taints?.some((taint) => taint.effect === "NoExecute" && !isEvictionTaint(taint))
    if (hasOtherTaint !== true) report(`${key} was evicted from ${node} while every zone is down`)
  }

  const onEntry = (entry: TraceEntry): void => {
    switch (entry.type) {
      case "TaintAdded":
        onTaint(entry)
        return
      case "PodDeletionRequested":
        onDeletion(entry)
        return
      case "PodEvictionScheduled":
        scheduled.set(`${entry.namespace}/${entry.pod}`, {
          node: entry.node,
          due: entry.due,
          taintedAt: lastTaintOf(entry.node)
        })
        return
      case "PodEvictionCancelled":
      case "PodDeleted":
        scheduled.delete(`${entry.namespace}/${entry.pod}`)
        return
      case "NodeDeleted":
        taintedAt.delete(entry.node)
        if (strippedAt < entry.at) return
        for (const eviction of scheduled.values()) if (eviction.node === entry.node) orphaned.add(eviction)
        return
      case "AllZonesDown":
        resetAllZonesDown()
        if (entry.entered) lateTaintsFrom = passEndedAt
        return
      case "ZoneRateChanged":
        if (entry.nodesPerSecond > 0) stopped.delete(zoneId(entry))
        else if (!stopped.has(zoneId(entry))) stopped.set(zoneId(entry), 0)
        return
      case "ZoneCreated":
        stopped.delete(zoneId(entry))
        return
      case "Action":
        lastActionAt = entry.at
        // Nodes may have changed their zone: the state of the zones is unknown until the controller judges them again.
        if (entry.do === "label" || entry.do === "patch" || entry.do === "apply") stopped.clear()
        return
      default:
        return
    }
  }

  return {
    passEnded: (atSeconds) => {
      if (lateTaintsFrom !== undefined && strippedAt === Number.POSITIVE_INFINITY) strippedAt = atSeconds
      passEndedAt = atSeconds
    },
    entry: (entry) => {
      if (losesControllerState(entry)) {
        resetAllZonesDown()
        stopped.clear()
        scheduled.clear()
        passEndedAt = entry.at
      } else onEntry(entry)
    }
  }
}
