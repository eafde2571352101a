import { clock } from "@rollcall/text"
import type { TraceEntryOf } from "../trace/TraceEntry.ts"
import { addsEvictionTaint, evictionTaintCount, losesControllerState, zoneId, zoneOfNode } from "./evictionTaints.ts"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** Trace times are rounded to the millisecond, and rates to single precision: times are compared with this tolerance. */
const TOLERANCE_SECONDS = 0.01
/** The controller moves a relabelled node to its new zone within this time. */
const REZONED_AFTER_SECONDS = 120

interface Bucket {
  /** The earliest time at which the last token may have been taken. */
  token: number
  /** When the last taint was added. */
  arrival: number
}

/**
 * Checks that the nodes of a zone are tainted no faster than its token bucket allows: a burst of one, then `nodesPerSecond`, the
 * highest rate that its limiter may have.
 *
 * A taint may appear long after its token was taken, because the request waits in the client's own limiter. But the controller takes
 * a token only after the previous request was answered, so each token was taken between two taints: it is enough that times exist for
 * all tokens that respect the bucket. Not counted: a swap of one of the two taints for the other, an operator's taints, and, after a
 * restart, the first taint of a node that was tainted before it (the first pass swaps its left-over taint). A restarted controller
 * and a zone that is created again start with a full bucket.
 */
export const taintRate = (cluster: ClusterState, nodesPerSecond: number, report: Report): Invariant => {
  const buckets = new Map<string, Bucket>()
  const tainted = new Set<string>()
  const taintedBeforeRestart = new Set<string>()
  /** The time of the last action of the operator, who may taint nodes too. */
  let lastActionAt = Number.NEGATIVE_INFINITY
  /** Until this time the controller may count a node for its old zone. */
  let relabelledUntil = Number.NEGATIVE_INFINITY

  /** Takes a token for a taint that appeared at `at`: as early as the bucket and the previous taint permit. */
  const takeToken = (zone: string, at: number, node: string) => {
    const last = buckets.get(zone)
    if (last === undefined) {
      buckets.set(zone, { token: Number.NEGATIVE_INFINITY, arrival: at })
      return
    }
    const token = Math.max(last.arrival, last.token + 1 / nodesPerSecond)
    if (token > at + TOLERANCE_SECONDS) {
      report(
        `${node} got a NoExecute taint at ${clock(at)}; the token bucket of ${zone} has its next token at ${clock(token)}`
      )
    }
    last.token = Math.min(token, at)
    last.arrival = at
  }

  const onTaint = (entry: TraceEntryOf<"TaintAdded">) => {
    const { at, node } = entry
    if (!addsEvictionTaint(entry)) return
    tainted.add(node)
    const exempt =
      taintedBeforeRestart.delete(node) ||
      at === lastActionAt ||
      at < relabelledUntil ||
      evictionTaintCount(cluster.node(node)) > 1
    if (!exempt) takeToken(zoneOfNode(cluster.node(node)), at, node)
  }

  return {
    entry: (entry) => {
      if (losesControllerState(entry)) {
        buckets.clear()
        for (const node of tainted) taintedBeforeRestart.add(node)
      } else if (entry.type === "TaintAdded") onTaint(entry)
      else if (entry.type === "TaintRemoved") {
        if (evictionTaintCount(cluster.node(entry.node)) === 0) tainted.delete(entry.node)
      } else if (entry.type === "NodeDeleted") {
        tainted.delete(entry.node)
        taintedBeforeRestart.delete(entry.node)
      } else if (entry.type === "ZoneCreated") buckets.delete(zoneId(entry))
      else if (entry.type === "Action") {
        lastActionAt = entry.at
        if (entry.do === "label" || entry.do === "patch" || entry.do === "apply") {
          buckets.clear()
          relabelledUntil = entry.at + REZONED_AFTER_SECONDS
        }
      }
    }
  }
}
