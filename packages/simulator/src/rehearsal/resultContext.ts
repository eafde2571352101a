import type { Pod } from "@rollcall/api"
import type { Timeline } from "../expect/Timeline.ts"
import type { Workload } from "../expect/Workloads.ts"
import type { ResultContext, Step, WorkloadCourse } from "../Result.ts"
import { ownerOf } from "../trace/observePod.ts"
import type { TraceEntry } from "../trace/TraceEntry.ts"
import type { Observation } from "../world/Observation.ts"
import { eventDetails } from "./eventDetails.ts"
import { evictionRateOf } from "./evictionRates.ts"
import type { RunPlan } from "./Run.ts"
import { rulesOf } from "./rules.ts"
import { classOnlyOf } from "./staticPodClasses.ts"

const zonesOf = (zones: Observation["zones"]): ResultContext["zones"] => {
  const found = new Map<string, Array<string>>()
  for (const [node, zone] of zones) {
    const nodes = found.get(zone)
    if (nodes === undefined) found.set(zone, [node])
    else nodes.push(node)
  }
  return Object.fromEntries(found)
}

const stepsOf = (timeline: Timeline<number>): ReadonlyArray<Step> =>
  timeline.changes().map(([atMs, value]) => [Math.max(0, atMs / 1000), value])

const workloadCourseOf = ({ kind, name, namespace, ready, wanted }: Workload): WorkloadCourse => ({
  kind,
  namespace,
  name,
  ready: stepsOf(ready),
  wanted: stepsOf(wanted)
})

const keyOf = ({ metadata: { name = "", namespace = "" } }: Pod): string => `${namespace}/${name}`

/** Returns a pod's owner as `namespace/Kind/name`. */
const ownerKey = (pod: Pod): string => `${pod.metadata.namespace ?? ""}/${ownerOf(pod) ?? ""}`

/** Returns the owners of the initial pods whose deletion was requested, and of all other initial pods of those owners. */
const ownersOf = (initialPods: ReadonlyArray<Pod>, trace: ReadonlyArray<TraceEntry>): ResultContext["owners"] => {
  const requested = new Set<string>()
  for (const entry of trace) {
    if (entry.type === "PodDeletionRequested") requested.add(`${entry.namespace}/${entry.pod}`)
  }
  if (requested.size === 0) return {}
  const deleted = new Set(initialPods.filter((pod) => requested.has(keyOf(pod))))
  const ownersOfDeleted = new Set([...deleted].filter((pod) => ownerOf(pod) !== null).map(ownerKey))
  return Object.fromEntries(
    initialPods
      .filter((pod) => deleted.has(pod) || ownersOfDeleted.has(ownerKey(pod)))
      .map((pod) => [keyOf(pod), ownerOf(pod)])
  )
}

/** Returns the classes of those pods that a shutdown ended, by pod name. */
const classesOf = (
  classes: ReadonlyMap<string, string>,
  trace: ReadonlyArray<TraceEntry>
): ResultContext["classOnly"] => {
  const found = new Map<string, string>()
  if (classes.size === 0) return {}
  for (const entry of trace) {
    if (entry.type !== "ShutdownPhase") continue
    for (const { pod } of entry.pods) {
      const name = classes.get(pod)
      if (name !== undefined) found.set(pod, name)
    }
  }
  return Object.fromEntries(found)
}

/** Returns the facts about a plan and its run that reports need beside the trace; linear in the nodes, workloads and trace. */
export const resultContext = (
  plan: RunPlan,
  { initialPods, zones }: Pick<Observation, "initialPods" | "zones">,
  workloads: ReadonlyArray<Workload>,
  trace: ReadonlyArray<TraceEntry>
): ResultContext => ({
  description: plan.description,
  rules: rulesOf(plan),
  podEviction: plan.release.podEviction,
  evictionRate: evictionRateOf(plan),
  events: plan.events.map(({ spec }) => eventDetails(spec)),
  zones: zonesOf(zones),
  workloads: workloads.map(workloadCourseOf),
  owners: ownersOf(initialPods, trace),
  outside: plan.outsideOwners.map(({ kind, name, namespace }) => `${namespace}/${kind}/${name}`),
  classOnly: classesOf(classOnlyOf(plan.groups), trace)
})
