import { clock, plural, span } from "@rollcall/text"
import { rangeOf } from "../rangeOf.ts"
import { during, type Finder, ofType, silentSpans, stopsContainers } from "./Facts.ts"

/** Whether and when silent nodes were detected, and the settings that decide it. */
export const silenceDetection: Finder = (facts) => {
  const { losses, rules } = facts
  const { grace, heartbeat, period } = rules
  const faultSpans = silentSpans(facts)
  const first = faultSpans[0]
  if (first === undefined) return []
  const silent = new Set(faultSpans.flatMap(({ nodes }) => nodes))
  const lost = new Set(
    losses.filter(({ at, node }) => faultSpans.some((fault) => during(fault, node, at))).map(({ node }) => node)
  )
  const [, longest] = rangeOf(faultSpans.map(({ from, to }) => to - from))
  const rule = `--node-monitor-grace-period is ${span(grace)}, counted from a node's last heartbeat, which is up to ${span(heartbeat)} old; the controller checks each ${span(period)}`
  const surely = `Silence of less than ${span(grace - heartbeat)} is never detected, of more than ${span(grace + 2 * period)} always`
  if (lost.size === 0) {
    return longest > grace + 2 * period
      ? []
      : [
          `${plural(silent.size, "node")} fell silent for ${span(longest)} and ${silent.size === 1 ? "was" : "were"} not detected: ${rule}. ${surely}.`
        ]
  }
  if (lost.size < silent.size && longest <= grace + 2 * period) {
    return [
      `${lost.size} of ${plural(silent.size, "silent node")} were detected: those whose last heartbeat was early enough before ${clock(first.from)}. ${rule}. ${surely}; this silence lasted ${span(longest)}.`
    ]
  }
  const noticed = losses.find(({ at, node }) => during(first, node, at))
  if (noticed === undefined || noticed.at - first.from > grace + 2 * period) return []
  return [`The first silent node was detected after ${span(noticed.at - first.from)}: ${rule}.`]
}

/** Pods that were removed from their Services because their nodes fell silent. */
export const podsNotReady: Finder = (facts) => {
  const { result, trace } = facts
  const faultSpans = silentSpans(facts)
  const unknown = new Set<string>()
  const marked = new Map<string, boolean>()
  for (const entry of trace) {
    if (entry.type === "ConditionChanged" && entry.condition === "Ready") {
      if (entry.to === "Unknown") unknown.add(entry.node)
      else unknown.delete(entry.node)
    }
    if (entry.type !== "PodReadyChanged" || entry.ready || !unknown.has(entry.node)) continue
    const dead = faultSpans.some((fault) => stopsContainers(fault) && during(fault, entry.node, entry.at))
    marked.set(`${entry.namespace}/${entry.pod}`, !dead)
  }
  if (marked.size === 0) return []
  const alive = [...marked.values()].filter((lives) => lives).length
  const though =
    alive === 0
      ? ""
      : alive === marked.size
        ? ", although all their containers kept running"
        : `, although the containers of ${alive} kept running`
  const [worst] = [...result.summary.workloads]
    .filter(({ unavailableSeconds }) => unavailableSeconds > 0)
    .sort((one, other) => one.minReady - other.minReady || other.unavailableSeconds - one.unavailableSeconds)
  const hurt =
    worst === undefined
      ? ""
      : ` ${worst.kind} ${worst.name} had only ${worst.minReady} ready, and was short of replicas for ${span(worst.unavailableSeconds)}.`
  const evicted = ofType(trace, "PodDeletionRequested").length
  const limits =
    alive > 0 && marked.size > 5
      ? ` Rates and zone states limit evictions${evicted === 0 ? " (there were none)" : ""}, but not this.`
      : ""
  return [
    `${plural(marked.size, "pod")} left ${marked.size === 1 ? "its" : "their"} Services${though}: the pass that marks a node Unknown also marks all its pods not ready at once.${limits}${hurt}`
  ]
}
