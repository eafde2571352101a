import { clock } from "@rollcall/text"
import type { TraceEntryOf } from "../trace/TraceEntry.ts"
import type { Invariant, Known, Report } from "./Invariant.ts"
import { addsPair, losesTrack, pairOn, zoneId, zoneOfNode } from "./pair.ts"

/** Trace times are rounded to the millisecond, and rates to single precision. */
const TOLERANCE_SECONDS = 0.01
/** After this time the controller counts a node in the zone that its labels name. */
const RELABELLED_SECONDS = 120

interface Bucket {
  /** The earliest time at which the last token can have been taken. */
  token: number
  /** When the last taint came. */
  arrival: number
}

/**
 * No zone loses nodes faster than its token bucket lets it: one at once, then as many as `nodesPerSecond`, the highest rate that
 * its limiter may have.
 *
 * A taint may come long after its token, since the request waits in the client's own limiter. But the loop takes a token only
 * after the request before it has been answered, so that each token was taken between two taints; it is enough that there are
 * times for all tokens that respect the bucket. Not counted: swaps of one of the pair for the other, what an operator does by
 * hand, and the first taint after a restart of a node that was tainted before it (its left-over taint is swapped in the first
 * pass). A restarted controller, and a zone that was forgotten and is made anew, begin with a full bucket.
 */
export const taintRate = (known: Known, nodesPerSecond: number, report: Report): Invariant => {
  const buckets = new Map<string, Bucket>()
  const tainted = new Set<string>()
  const leftOver = new Set<string>()
  let byHandAt = Number.NEGATIVE_INFINITY
  let unsureUntil = Number.NEGATIVE_INFINITY

  const take = (zone: string, at: number, node: string) => {
    const last = buckets.get(zone)
    if (last === undefined) {
      buckets.set(zone, { token: Number.NEGATIVE_INFINITY, arrival: at })
      return
    }
    const token = Math.max(last.arrival, last.token + 1 / nodesPerSecond)
    if (token > at + TOLERANCE_SECONDS) {
      report(
        `${node} gets a NoExecute taint at ${clock(at)}, the bucket of ${zone} has its next token at ${clock(token)}`
      )
    }
    last.token = Math.min(token, at)
    last.arrival = at
  }

  const onTaint = (entry: TraceEntryOf<"TaintAdded">) => {
    const { at, node } = entry
    if (!addsPair(entry)) return
    tainted.add(node)
    const exempt = leftOver.delete(node) || at === byHandAt || at < unsureUntil || pairOn(known.node(node)) > 1
    if (!exempt) take(zoneOfNode(known.node(node)), at, node)
  }

  return {
    entry: (entry) => {
      if (losesTrack(entry)) {
        buckets.clear()
        for (const node of tainted) leftOver.add(node)
      } else if (entry.type === "TaintAdded") onTaint(entry)
      else if (entry.type === "TaintRemoved") {
        if (pairOn(known.node(entry.node)) === 0) tainted.delete(entry.node)
      } else if (entry.type === "NodeDeleted") {
        tainted.delete(entry.node)
        leftOver.delete(entry.node)
      } else if (entry.type === "ZoneCreated") buckets.delete(zoneId(entry))
      else if (entry.type === "Action") {
        byHandAt = entry.at
        if (entry.do === "label" || entry.do === "patch" || entry.do === "apply") {
          buckets.clear()
          unsureUntil = entry.at + RELABELLED_SECONDS
        }
      }
    }
  }
}
