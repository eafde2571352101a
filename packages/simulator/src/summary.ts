import type { Timeline } from "./expect/Timeline.ts"
import { availabilityOf, type Workloads } from "./expect/Workloads.ts"
import type { ScenarioResult } from "./Result.ts"
import { isEviction, type TraceEntry } from "./trace/TraceEntry.ts"

const increment = (counts: Record<string, number>, key: string): void => {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1
}

/** Returns the seconds for which a node was not Ready after it was first Ready. */
const notReadySeconds = (timeline: Timeline<boolean>, endMs: number): number => {
  const changes = timeline.changes().filter(([at]) => at >= 0)
  const total = changes.reduce((sum, [at, ready], index) => {
    const until = changes[index + 1]?.[0] ?? endMs
    return ready ? sum : sum + until - at
  }, 0)
  return Math.round(total) / 1000
}

/**
 * Returns the parts of a run's summary that follow from the trace, the workloads and the nodes' readiness. `initialNodes` is the number
 * of nodes that exist from the start, which the trace does not register.
 */
export const summarise = (
  trace: ReadonlyArray<TraceEntry>,
  workloads: Workloads,
  readiness: ReadonlyMap<string, Timeline<boolean>>,
  initialNodes: number,
  zoneOf: (node: string) => string,
  endMs: number
): Pick<ScenarioResult["summary"], "evictions" | "nodes" | "workloads"> => {
  const byZone: Record<string, number> = {}
  const byReason: Record<string, number> = {}
  let total = 0
  let registered = initialNodes
  let deleted = 0
  const evicted = new Set<string>()
  for (const entry of trace) {
    if (entry.type === "NodeRegistered") registered++
    else if (entry.type === "NodeDeleted") deleted++
    else if (entry.type === "PodDeletionRequested" && entry.by !== "workload" && entry.by !== "user") {
      // A deletion that is requested again, for example by force, is one eviction.
      const key = `${entry.namespace}/${entry.pod}/${entry.by}`
      if (evicted.has(key)) continue
      evicted.add(key)
      increment(byReason, entry.by)
      if (!isEviction(entry.by)) continue
      total++
      increment(byZone, zoneOf(entry.node))
    }
  }
  const seconds = [...readiness]
    .map(([node, timeline]) => [node, notReadySeconds(timeline, endMs)] as const)
    .filter(([, value]) => value > 0)
  return {
    evictions: { total, byZone, byReason },
    nodes: { registered, deleted, notReadySeconds: Object.fromEntries(seconds) },
    workloads: workloads.all().map((workload) => {
      const { kind, name, namespace } = workload
      return { kind, namespace, name, ...availabilityOf(workload, endMs) }
    })
  }
}
