import { clock, plural, span } from "@rollcall/text"
import { rangeOf } from "../rangeOf.ts"
import { during, type Finder, kills, ofType, silences } from "./Facts.ts"

/** Whether silent nodes were noticed, when, and from which numbers that follows. */
export const silence: Finder = (facts) => {
  const { losses, rules } = facts
  const { grace, heartbeat, period } = rules
  const spells = silences(facts)
  const first = spells[0]
  if (first === undefined) return []
  const silent = new Set(spells.flatMap(({ nodes }) => nodes))
  const lost = new Set(
    losses.filter(({ at, node }) => spells.some((spell) => during(spell, node, at))).map(({ node }) => node)
  )
  const [, longest] = rangeOf(spells.map(({ from, to }) => to - from))
  const rule = `--node-monitor-grace-period is ${span(grace)}, counted from a node's last heartbeat, which is up to ${span(heartbeat)} old; the controller looks each ${span(period)}`
  const surely = `Less than ${span(grace - heartbeat)} of silence is never noticed, more than ${span(grace + 2 * period)} always`
  if (lost.size === 0) {
    return longest > grace + 2 * period
      ? []
      : [`${plural(silent.size, "node")} fell silent for ${span(longest)}, and nobody noticed: ${rule}. ${surely}.`]
  }
  if (lost.size < silent.size && longest <= grace + 2 * period) {
    return [
      `${lost.size} of ${plural(silent.size, "silent node")} were noticed, those whose last heartbeat came early enough before ${clock(first.from)}: ${rule}. ${surely}; this lasted ${span(longest)}.`
    ]
  }
  const noticed = losses.find(({ at, node }) => during(first, node, at))
  if (noticed === undefined || noticed.at - first.from > grace + 2 * period) return []
  return [`The first silent node was noticed after ${span(noticed.at - first.from)}: ${rule}.`]
}

/** Pods that were taken out of their Services because their nodes fell silent. */
export const readiness: Finder = (facts) => {
  const { result, trace } = facts
  const spells = silences(facts)
  const unknown = new Set<string>()
  const marked = new Map<string, boolean>()
  for (const entry of trace) {
    if (entry.type === "ConditionChanged" && entry.condition === "Ready") {
      if (entry.to === "Unknown") unknown.add(entry.node)
      else unknown.delete(entry.node)
    }
    if (entry.type !== "PodReadyChanged" || entry.ready || !unknown.has(entry.node)) continue
    const dead = spells.some((spell) => kills(spell) && during(spell, entry.node, entry.at))
    marked.set(`${entry.namespace}/${entry.pod}`, !dead)
  }
  if (marked.size === 0) return []
  const alive = [...marked.values()].filter((lives) => lives).length
  const though =
    alive === 0
      ? ""
      : alive === marked.size
        ? ", though all their containers ran on"
        : `, though the containers of ${alive} ran on`
  const [worst] = [...result.summary.workloads]
    .filter(({ unavailableSeconds }) => unavailableSeconds > 0)
    .sort((one, other) => one.minReady - other.minReady || other.unavailableSeconds - one.unavailableSeconds)
  const hurt =
    worst === undefined
      ? ""
      : ` ${worst.kind} ${worst.name} was down to ${worst.minReady} ready, and short of replicas for ${span(worst.unavailableSeconds)}.`
  const evicted = ofType(trace, "PodDeletionRequested").length
  const limits =
    alive > 0 && marked.size > 5
      ? ` Rates and zone states limit evictions${evicted === 0 ? " (there were none)" : ""}; nothing limits this.`
      : ""
  return [
    `${plural(marked.size, "pod")} left ${marked.size === 1 ? "its" : "their"} Services${though}: the pass that finds a node Unknown marks all its pods not ready at once.${limits}${hurt}`
  ]
}
