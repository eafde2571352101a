import { isEviction, type TraceEntry, type TraceEntryOf } from "@rollcall/simulator/result"
import { clock, plural, span } from "@rollcall/text"
import { findMoves } from "../moves.ts"
import { inNamespace } from "../owners.ts"
import { rangeOf } from "../rangeOf.ts"
import { type Facts, type Finder, groupByPod, ofType, silentSpans } from "./Facts.ts"

type EvictionRequest = TraceEntryOf<"PodDeletionRequested">

/** Returns the first eviction request for each pod on each lost node. */
export const evictionsOf = ({ trace }: Pick<Facts, "trace">): ReadonlyArray<EvictionRequest> => {
  const seen = new Set<string>()
  return ofType(trace, "PodDeletionRequested").filter(({ by, gracePeriodSeconds, namespace, node, pod }) => {
    const key = `${namespace}/${pod}/${node}`
    if (!isEviction(by) || gracePeriodSeconds === 0 || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Evictions over a longer time than this are the effect of the eviction rate. */
const SPREAD_SECONDS = 15
/** A replacement that is Ready later than this after the deletion had to wait. */
const SLOW_REPLACEMENT_SECONDS = 60

/** Explains why the last eviction came so long after the first: by the queue for taints, unless its node was lost later. */
const spreadText = ({ losses }: Facts, ...ends: readonly [first: EvictionRequest, last: EvictionRequest]): string => {
  const [, last] = ends
  const [firstLoss = 0, lastLoss = 0] = ends.map(
    (eviction) => losses.findLast(({ at, node }) => node === eviction.node && at <= eviction.at)?.at
  )
  return lastLoss - firstLoss > SPREAD_SECONDS
    ? `The last pod was evicted at ${clock(last.at)}, from a node that was lost at ${clock(lastLoss)}.`
    : `Nodes are tainted one after the other, so the last pod was evicted at ${clock(last.at)}.`
}

/** Explains the delay until pods on lost nodes were evicted, by the setting that causes it. */
export const evictionDelay: Finder = (facts) => {
  const { rules, trace } = facts
  const evictions = evictionsOf(facts)
  const [first] = evictions
  const last = evictions.at(-1)
  if (first === undefined || last === undefined) return []
  const silence = silentSpans(facts).find(({ from, nodeSet }) => from < first.at && nodeSet.has(first.node))
  const after =
    silence === undefined
      ? ""
      : `,${evictions.length === 1 ? "" : " the first"} ${span(first.at - silence.from)} after its node fell silent`
  const summary = `${plural(evictions.length, "pod was", "pods were")} evicted${after}`
  if (rules.evictionTimeout !== undefined) {
    return [
      `${summary}: the node controller deletes the pods of a node that has been lost for --pod-eviction-timeout ${span(rules.evictionTimeout)}, regardless of tolerations.`
    ]
  }
  const tainted = new Map<string, TraceEntryOf<"TaintAdded">>()
  const causes = new Set<string>()
  const evictionEntries = new Set<TraceEntry>(evictions)
  const waits: Array<number> = []
  for (const entry of trace) {
    if (entry.type === "TaintAdded" && entry.effect === "NoExecute") tainted.set(entry.node, entry)
    if (entry.type !== "PodDeletionRequested" || !evictionEntries.has(entry)) continue
    const taint = tainted.get(entry.node)
    if (taint !== undefined) causes.add(taint.key)
    waits.push(Math.round(entry.at - (taint?.at ?? entry.at)))
  }
  const [least, most] = rangeOf(waits)
  const tolerated = least === most ? `${least}` : `${least} to ${most}`
  const wait = least === most ? span(least) : `${span(least)} to ${span(most)}`
  const [defaultSeconds, flag] =
    causes.size === 1 && causes.has("node.kubernetes.io/not-ready")
      ? [rules.notReadyToleration, "--default-not-ready-toleration-seconds"]
      : [rules.toleration, "--default-unreachable-toleration-seconds"]
  const source = least === most && least === defaultSeconds ? `the default, ${flag}` : "from the pods' own tolerations"
  const spread = last.at - first.at > SPREAD_SECONDS ? ` ${spreadText(facts, first, last)}` : ""
  return [`${summary}: ${wait} after the node's NoExecute taint, tolerationSeconds ${tolerated} (${source}).${spread}`]
}

const needsVolumeZone = (message: string): boolean => message.includes("PersistentVolume's node affinity")
const VOLUME_ZONE_TEXT = " A pod must run in the zone of its volumes: it waits for a node there with room."

/** Explains replacements that were lost again, and replacements that could not be scheduled. */
export const failedReplacements: Finder = (facts) => {
  const all = findMoves(facts.trace, facts.owners)
  const lastLoss = new Map(facts.losses.map(({ at, node }) => [node, at] as const))
  const lostAgain = all.filter(
    ({ readyAt, replacementNode = "" }) => readyAt !== undefined && (lastLoss.get(replacementNode) ?? readyAt) > readyAt
  )
  const waiting = all.filter(
    ({ at, readyAt, replacement, replacementNode }) =>
      replacement !== undefined &&
      (replacementNode === undefined || (readyAt ?? Number.POSITIVE_INFINITY) - at > SLOW_REPLACEMENT_SECONDS)
  )
  const unschedulable = groupByPod(facts.trace, "PodUnschedulable")
  const unplaced = waiting.flatMap(({ namespace, replacement = "" }) => {
    const [found] = unschedulable.get(inNamespace(namespace, replacement)) ?? []
    return found === undefined ? [] : [found.message]
  })
  const longest = waiting.reduce(
    (most, { at, readyAt }) => Math.max(most, (readyAt ?? facts.result.spec.durationSeconds) - at),
    0
  )
  return [
    ...(lostAgain.length === 0
      ? []
      : [
          `${lostAgain.length} of ${plural(all.length, "replacement")} ${lostAgain.length === 1 ? "was" : "were"} scheduled on nodes that were lost later.`
        ]),
    ...(unplaced.length === 0
      ? []
      : [
          `${plural(unplaced.length, "replacement")} could not be scheduled, for up to ${span(longest)}: ${(unplaced[0] ?? "").replace(/\. .*$/, "")}.${unplaced.some(needsVolumeZone) ? VOLUME_ZONE_TEXT : ""}`
        ])
  ]
}
