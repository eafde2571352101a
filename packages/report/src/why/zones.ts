import type { TraceEntryOf } from "@rollcall/simulator/result"
import { clock, plural, some, span } from "@rollcall/text"
import { type Facts, type Finder, ofType } from "./Facts.ts"

interface Counts {
  readonly size: number
  readonly unhealthy: number
}

/** Returns a zone's node counts from the first sample of the controller's metrics at or after a time. */
const countsAt = ({ result }: Facts, region: string, zone: string, at: number): Counts | undefined => {
  const key = `${region}/${zone}`
  const sample = result.metrics.find((candidate) => candidate.at >= at && candidate.zones[key] !== undefined)
  return (sample ?? result.metrics.findLast(({ zones }) => zones[key] !== undefined))?.zones[key]
}

/** A state that lasts less than this is transitional: one pass does not detect all silent nodes of a zone. */
const LASTING_SECONDS = 12

/** A change of a zone to a state, with the numbers of its nodes at that time. */
interface ZoneChange {
  readonly entry: TraceEntryOf<"ZoneStateChanged">
  readonly counts: Counts
}

/** Returns the first lasting change of each zone to a state. */
const lastingStates = (facts: Facts, state: string): ReadonlyArray<ZoneChange> => {
  const changes = ofType(facts.trace, "ZoneStateChanged")
  const seen = new Set<string>()
  return changes.flatMap((entry, index) => {
    const key = `${entry.region}/${entry.zone}`
    // After FullDisruption nodes return one by one, and the states in between are transitional.
    if (entry.to !== state || entry.from === "FullDisruption" || seen.has(key)) return []
    const next = changes.slice(index + 1).find(({ region, zone }) => `${region}/${zone}` === key)
    if ((next?.at ?? Number.POSITIVE_INFINITY) - entry.at < LASTING_SECONDS) return []
    seen.add(key)
    const counts = countsAt(facts, entry.region, entry.zone, entry.at)
    return counts === undefined ? [] : [{ entry, counts }]
  })
}

/** Returns a function that names zones. Nodes without a zone's label are one zone, and the whole cluster if there is no other. */
const zoneNames = ({ trace }: Facts) => {
  const unnamed = ofType(trace, "ZoneCreated").length > 1 ? "the zone of nodes without a label" : "the cluster"
  return (zone: string): string => zone || unnamed
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const oneEach = (rate: number): string => (rate > 0 ? `one node each ${span(1 / rate)}` : "no node at all")
const clusterSize = ({ result }: Facts): number => result.summary.nodes.registered - result.summary.nodes.deleted

/** Explains why evictions stop or slow down in zones that lost most of their nodes, depending on the size of the zone. */
export const partialDisruption: Finder = (facts) => {
  const { largeSize, secondaryRate, unhealthyShare } = facts.rules
  const changes = lastingStates(facts, "PartialDisruption")
  const nameOf = zoneNames(facts)
  // Small zones, then large ones.
  const bySize = [
    changes.filter(({ counts }) => counts.size <= largeSize),
    changes.filter(({ counts }) => counts.size > largeSize)
  ]
  return bySize.flatMap((zones, sizeIndex) => {
    const [first] = zones
    if (first === undefined) return []
    const { size, unhealthy } = first.counts
    const shares = zones.map(
      (zone, index) =>
        `${nameOf(zone.entry.zone)} (${zone.counts.unhealthy} of ${zone.counts.size}${index === 0 ? " nodes not Ready" : ""})`
    )
    const why = `${some(shares)}: ${percent(unhealthy / size)} is at least --unhealthy-zone-threshold ${percent(unhealthyShare)}, so PartialDisruption from ${clock(first.entry.at)} on.`
    const cluster = clusterSize(facts)
    const whose = cluster > size ? ` (of the zone, not the cluster's ${cluster})` : ""
    return sizeIndex === 1
      ? [
          `${why} With more than --large-cluster-size-threshold ${largeSize} nodes${whose} evictions slow down to --secondary-node-eviction-rate ${secondaryRate}: ${oneEach(secondaryRate)}.`
        ]
      : [
          `${why} ${size} nodes are not more than --large-cluster-size-threshold ${largeSize}${whose}: evictions stop. A larger zone would continue at --secondary-node-eviction-rate ${secondaryRate}, ${oneEach(secondaryRate)}.`
        ]
  })
}

const allDown = ({ trace }: Facts) => ofType(trace, "AllZonesDown").find(({ entered }) => entered)

/** Explains evictions from zones that are lost completely while others are not. */
export const fullDisruption: Finder = (facts) => {
  const changes = lastingStates(facts, "FullDisruption")
  const [first] = changes
  if (first === undefined || allDown(facts) !== undefined) return []
  const { rate } = facts.rules
  const lost = changes.reduce((sum, { counts }) => sum + counts.size, 0)
  const left = clusterSize(facts) - lost
  const verb = facts.context.podEviction === "deletion" ? "emptied" : "tainted for eviction"
  const rule = `${some(changes.map(({ entry }) => zoneNames(facts)(entry.zone)))} ${changes.length === 1 ? "has" : "have"} no Ready node: FullDisruption, in which nodes are ${verb} at the normal --node-eviction-rate ${rate}, ${oneEach(rate)}, as for single lost machines.`
  return [
    left > 0 && left <= lost / 5
      ? `${rule} Evictions would stop if all zones were down, but ${plural(left, "node")} elsewhere ${left === 1 ? "is" : "are"} still Ready.`
      : rule
  ]
}

/** Explains why no pod is evicted if no Ready node is left: the node controller assumes that it is cut off itself. */
export const everyZone: Finder = (facts) => {
  const entered = allDown(facts)
  // In a cluster of one node, the loss of that node needs no explanation by zones.
  if (entered === undefined || clusterSize(facts) < 2) return []
  const left = ofType(facts.trace, "AllZonesDown").find(({ at, entered: on }) => !on && at > entered.at)
  const until = left?.at ?? facts.result.spec.durationSeconds
  const evictions = ofType(facts.trace, "PodDeletionRequested").filter(
    ({ at, by, gracePeriodSeconds }) =>
      by === "taint-eviction" && gracePeriodSeconds > 0 && at > entered.at && at < until
  )
  const nodes = [...new Set(evictions.map(({ node }) => node))]
  const taints = facts.context.podEviction === "deletion" ? "" : ", and removes its NoExecute taints"
  return [
    `At ${clock(entered.at)} no zone had a Ready node left: the node controller assumes that it is cut off itself, and evicts no pod${taints}. With one Ready node in any zone, this rule does not apply.`,
    ...(nodes.length === 0
      ? []
      : [
          `${plural(evictions.length, "pod was", "pods were")} evicted nevertheless: ${some(nodes)} got the taint in the same pass that removed the others, and kept it.`
        ])
  ]
}

/** Explains evictions from a zone in state Normal, whose lost nodes count as single machines. */
export const normalZone: Finder = (facts) => {
  const { rate, unhealthyShare } = facts.rules
  const disruptedZones = new Set(
    ofType(facts.trace, "ZoneStateChanged").flatMap(({ from, to, zone }) =>
      to !== "Normal" || (from !== "Initial" && from !== "Normal") ? [zone] : []
    )
  )
  const evictionsByZone = facts.result.summary.evictions.byZone
  const most = new Map<string, Counts>()
  for (const { zones } of facts.result.metrics) {
    for (const [key, counts] of Object.entries(zones)) {
      const zone = key.slice(key.indexOf("/") + 1)
      if (
        counts.unhealthy > (most.get(zone)?.unhealthy ?? 1) &&
        !disruptedZones.has(zone) &&
        (evictionsByZone[zone] ?? 0) > 0
      )
        most.set(zone, counts)
    }
  }
  const [worst] = [...most].sort(([, one], [, other]) => other.unhealthy / other.size - one.unhealthy / one.size)
  if (worst === undefined) return []
  const [zone, { size, unhealthy }] = worst
  return [
    `${unhealthy} of ${zoneNames(facts)(zone)}'s ${size} nodes lost are ${percent(unhealthy / size)}, less than --unhealthy-zone-threshold ${percent(unhealthyShare)}: they count as single lost machines and are emptied at --node-eviction-rate ${rate}, ${oneEach(rate)}.`
  ]
}
