import type { Pod } from "@rollcall/api"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"
import type { Invariant, Known, Report } from "./Invariant.ts"
import { addsPair, isOfPair, losesTrack, pairOn, zoneId, zoneOfNode } from "./pair.ts"

/**
 * Taint eviction says on a pod that it will go before it deletes it, and deletes by name: a request that had to wait can meet the
 * next pod of that name, as it can in a real cluster.
 */
const isAnother = (pod: Pod | undefined): boolean =>
  pod !== undefined && pod.status?.conditions?.some(({ type }) => type === "DisruptionTarget") !== true

/** A removal of a taint that was answered becomes known to the taint-eviction controller a moment later. */
const SETTLED_SECONDS = 1

/**
 * A stopped zone stays as it is, and while every zone is down nobody is evicted for it.
 *
 * - After a zone's rate became 0 at most one of its nodes is still tainted, whose request was under way.
 * - While every zone is down, once the pass that found it so has taken the NoExecute pair off the nodes, no eviction falls due
 *   but from strays: nodes that were tainted after that pass had looked at them. Evictions for taints that others placed go on.
 */
export const blackout = (known: Known, report: Report): Invariant => {
  /** Zones that are stopped, with the number of nodes tainted since. */
  const stopped = new Map<string, number>()
  const due = new Map<string, number>()
  /** When each node last got one of the pair. */
  const taintedAt = new Map<string, number>()
  let passEndedAt = Number.NEGATIVE_INFINITY
  let byHandAt = Number.NEGATIVE_INFINITY
  /** The nodes tainted from here on are strays. */
  let straysFrom: number | undefined
  let strippedAt = Number.POSITIVE_INFINITY

  const leave = () => {
    straysFrom = undefined
    strippedAt = Number.POSITIVE_INFINITY
  }

  const onTaint = (entry: TraceEntryOf<"TaintAdded">) => {
    const { at, node } = entry
    if (!addsPair(entry)) return
    const object = known.node(node)
    taintedAt.set(node, at)
    if (at === byHandAt || pairOn(object) > 1) return
    const zone = zoneOfNode(object)
    const count = stopped.get(zone)
    if (count === undefined) return
    stopped.set(zone, count + 1)
    if (count > 0) report(`${node} gets a NoExecute taint although evictions in ${zone} are stopped`)
  }

  const onDeletion = ({ at, by, namespace, node, pod }: TraceEntryOf<"PodDeletionRequested">) => {
    const key = `${namespace}/${pod}`
    const decided = Math.min(due.get(key) ?? at, at)
    due.delete(key)
    if (by !== "taint-eviction" || straysFrom === undefined || decided < strippedAt + SETTLED_SECONDS) return
    if (isAnother(known.pod(namespace, pod))) return
    if ((taintedAt.get(node) ?? Number.NEGATIVE_INFINITY) >= straysFrom) return
    const foreign = known.node(node)?.spec?.taints?.some((taint) => taint.effect === "NoExecute" && !isOfPair(taint))
    if (foreign !== true) report(`${key} is evicted from ${node} while every zone is down`)
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
        due.set(`${entry.namespace}/${entry.pod}`, entry.due)
        return
      case "PodEvictionCancelled":
      case "PodDeleted":
        due.delete(`${entry.namespace}/${entry.pod}`)
        return
      case "NodeDeleted":
        taintedAt.delete(entry.node)
        return
      case "AllZonesDown":
        leave()
        if (entry.entered) straysFrom = passEndedAt
        return
      case "ZoneRateChanged":
        if (entry.nodesPerSecond > 0) stopped.delete(zoneId(entry))
        else if (!stopped.has(zoneId(entry))) stopped.set(zoneId(entry), 0)
        return
      case "ZoneCreated":
        stopped.delete(zoneId(entry))
        return
      case "Action":
        byHandAt = entry.at
        // Nodes may change their zone: what is known of zones is worth nothing until they are judged again.
        if (entry.do === "label" || entry.do === "patch" || entry.do === "apply") stopped.clear()
        return
      default:
        return
    }
  }

  return {
    passEnded: (atSeconds) => {
      if (straysFrom !== undefined && strippedAt === Number.POSITIVE_INFINITY) strippedAt = atSeconds
      passEndedAt = atSeconds
    },
    entry: (entry) => {
      if (losesTrack(entry)) {
        leave()
        stopped.clear()
        due.clear()
        passEndedAt = entry.at
      } else onEntry(entry)
    }
  }
}
