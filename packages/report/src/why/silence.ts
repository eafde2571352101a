import type { ScenarioResult, WorkloadSummary } from "@rollcall/simulator/result"
import { clock, plural, span } from "@rollcall/text"
import { inNamespace } from "../owners.ts"
import { rangeOf } from "../rangeOf.ts"
import { type Finder, isDuring, ofType, silentSpans, stopsContainers } from "./Facts.ts"

/** Explains whether and when silent nodes were detected, by the settings that decide it. */
export const silenceDetection: Finder = (facts) => {
  const { losses, rules } = facts
  const { grace, heartbeat, period } = rules
  const faultSpans = silentSpans(facts)
  const first = faultSpans[0]
  if (first === undefined) return []
  const silent = new Set(faultSpans.flatMap(({ nodes }) => nodes))
  const lost = new Set(
    losses.filter(({ at, node }) => faultSpans.some((fault) => isDuring(fault, node, at))).map(({ node }) => node)
  )
  const [, longest] = rangeOf(faultSpans.map(({ from, to }) => to - from))
  const rule = `--node-monitor-grace-period is ${span(grace)}, counted from a node's last heartbeat, which is up to ${span(heartbeat)} old; the controller checks each ${span(period)}`
  const limitsText = `Silence of less than ${span(grace - heartbeat)} is never detected, of more than ${span(grace + 2 * period)} always`
  if (lost.size === 0) {
    return longest > grace + 2 * period
      ? []
      : [
          `${plural(silent.size, "node")} fell silent for ${span(longest)} and ${silent.size === 1 ? "was" : "were"} not detected: ${rule}. ${limitsText}.`
        ]
  }
  if (lost.size < silent.size && longest <= grace + 2 * period) {
    return [
      `${lost.size} of ${plural(silent.size, "silent node")} were detected: those whose last heartbeat was early enough before ${clock(first.from)}. ${rule}. ${limitsText}; this silence lasted ${span(longest)}.`
    ]
  }
  const noticed = losses.find(({ at, node }) => isDuring(first, node, at))
  if (noticed === undefined || noticed.at - first.from > grace + 2 * period) return []
  return [`The first silent node was detected after ${span(noticed.at - first.from)}: ${rule}.`]
}

/** With more pods than this, the report says what limits evictions. */
const MANY_PODS = 5

/** Returns the workloads of pods (`namespace/name`). A pod's name begins with that of its workload: the longest such name is its own. */
const workloadsOf = ({ summary }: ScenarioResult, pods: Iterable<string>): ReadonlyArray<WorkloadSummary> => {
  const owning = summary.workloads.filter(({ kind }) => kind !== "Service")
  const byName = Map.groupBy(owning, ({ name, namespace }) => inNamespace(namespace, name))
  const found = new Set<WorkloadSummary>()
  for (const pod of pods) {
    let end = pod.lastIndexOf("-")
    while (end > 0 && !byName.has(pod.slice(0, end))) end = pod.lastIndexOf("-", end - 1)
    for (const workload of byName.get(pod.slice(0, end)) ?? []) found.add(workload)
  }
  return [...found]
}

/** Explains why pods were removed from their Services when their nodes fell silent. */
export const podsNotReady: Finder = (facts) => {
  const { result, trace } = facts
  const faultSpans = silentSpans(facts)
  const unknown = new Set<string>()
  /** Whether the containers of each pod that was marked not ready kept running. */
  const marked = new Map<string, boolean>()
  /** The nodes that have powered off after a shutdown. */
  const shutDown = new Set<string>()
  for (const entry of trace) {
    if (entry.type === "ShutdownFinished") shutDown.add(entry.node)
    if (entry.type === "Action" && entry.do === "boot") for (const node of entry.nodes) shutDown.delete(node)
    if (entry.type === "ConditionChanged" && entry.condition === "Ready") {
      if (entry.to === "Unknown") unknown.add(entry.node)
      else unknown.delete(entry.node)
    }
    if (entry.type !== "PodReadyChanged" || entry.ready || !unknown.has(entry.node)) continue
    const hasStopped =
      shutDown.has(entry.node) ||
      faultSpans.some((fault) => stopsContainers(fault) && isDuring(fault, entry.node, entry.at))
    marked.set(`${entry.namespace}/${entry.pod}`, !hasStopped)
  }
  if (marked.size === 0) return []
  const running = [...marked.values()].filter((isRunning) => isRunning).length
  const runningText =
    running === 0
      ? ""
      : running === marked.size
        ? ", although all their containers kept running"
        : `, although the containers of ${running} kept running`
  const [worst] = workloadsOf(result, marked.keys())
    .filter(({ unavailableSeconds }) => unavailableSeconds > 0)
    .sort((one, other) => one.minReady - other.minReady || other.unavailableSeconds - one.unavailableSeconds)
  const workloadText =
    worst === undefined
      ? ""
      : ` ${worst.kind} ${worst.name} had only ${worst.minReady} ready, and was short of replicas for ${span(worst.unavailableSeconds)}.`
  const evicted = ofType(trace, "PodDeletionRequested").length
  const limitsHint =
    running > 0 && marked.size > MANY_PODS
      ? ` Rates and zone states limit evictions${evicted === 0 ? " (there were none)" : ""}, but not this.`
      : ""
  return [
    `${plural(marked.size, "pod")} left ${marked.size === 1 ? "its" : "their"} Services${runningText}: the pass that marks a node Unknown also marks all its pods not ready at once.${limitsHint}${workloadText}`
  ]
}
