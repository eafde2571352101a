import { annotationConfigMirror } from "@rollcall/api"
import type { Displaced, DrainPlan, Moment, NodeDrain, PodDrain, Replacement } from "./DrainPlan.ts"
import { type NodeResult, NodeRun, type PodRun } from "./NodeRun.ts"
import { type Displacement, PlanCluster } from "./PlanCluster.ts"
import type { PlannedPod } from "./PlannedPod.ts"
import type { ClusterSnapshot, DrainDependencies, PlanDrainOptions } from "./Snapshot.ts"
import { expectedTiming, type Timing, worstTiming } from "./timing.ts"

/** One simulated drain of all nodes. */
interface Simulation {
  readonly nodes: ReadonlyArray<NodeResult>
  readonly displaced: ReadonlyArray<Displacement>
  /** In seconds since the drain began; undefined if kubectl never ends. */
  readonly ends: number | undefined
}

const notReached = (name: string): NodeResult => ({
  name,
  starts: undefined,
  ends: undefined,
  outcome: "not-reached",
  errors: [],
  warnings: [],
  wants: [],
  pods: []
})

/** Simulates the drain of all nodes once. */
const simulateDrain = (
  snapshot: ClusterSnapshot,
  options: PlanDrainOptions,
  dependencies: DrainDependencies,
  timing: Timing
): Simulation => {
  const cluster = new PlanCluster(snapshot, new Set(options.nodes), dependencies, timing)
  const nodes: Array<NodeResult> = []
  let isStuck = false
  for (const name of options.nodes) {
    const result: NodeResult = isStuck ? notReached(name) : new NodeRun(cluster, dependencies, options).run(name)
    isStuck ||= result.outcome === "stuck"
    nodes.push(result)
  }
  const ends = isStuck ? undefined : cluster.events.now
  // Replacements may still be starting when the last node is empty.
  while (cluster.events.hasChanges) cluster.events.step()
  return { nodes, displaced: cluster.displaced, ends }
}

/** Rounds to milliseconds. */
const round = (seconds: number): number => Math.round(seconds * 1000) / 1000

const momentOf = (expected: number | undefined, worst: number | undefined): Moment => ({
  ...(expected === undefined ? {} : { expected: round(expected) }),
  ...(worst === undefined ? {} : { worst: round(worst) })
})

const successorOf = (planned: PlannedPod | undefined): PlannedPod | undefined =>
  planned?.successor?.kind === "pod" ? planned.successor.pod : undefined

/** What replaces a pod. `worst` is the same pod in the simulation with the slowest timing. */
const replacementOf = (planned: PlannedPod, worst: PlannedPod | undefined): Replacement => {
  const { successor } = planned
  if (successor === undefined) return { kind: "none", why: "it must be deleted first" }
  if (successor.kind !== "pod") return { kind: "none", why: successor.why }
  const [fresh, worstFresh] = [successor.pod, successorOf(worst)]
  return fresh.node === undefined
    ? { kind: "unplaceable", at: momentOf(fresh.madeAt, worstFresh?.madeAt), message: fresh.message }
    : {
        kind: "placed",
        node: fresh.node,
        at: momentOf(fresh.placedAt, worstFresh?.placedAt),
        ready: momentOf(fresh.readyAt, worstFresh?.readyAt)
      }
}

/** Why kubectl leaves a pod on its node; an empty object if it does not. */
const staysBecause = ({ pod, verdict }: PodRun): { readonly staysBecause?: string } => {
  if (verdict.delete || verdict.reason === "Error") return {}
  if (Object.hasOwn(pod.metadata.annotations ?? {}, annotationConfigMirror))
    return { staysBecause: "a static pod: only its kubelet can stop it" }
  if (verdict.reason === "Warning") return { staysBecause: "its DaemonSet runs one on each node" }
  return { staysBecause: "has been terminating for too long to be waited for" }
}

const podOf = (run: PodRun, worst: PodRun | undefined, by: "eviction" | "deletion"): PodDrain => ({
  pod: run.pod,
  verdict: run.verdict,
  ...(run.verdict.delete ? { by } : {}),
  ...staysBecause(run),
  leaves: momentOf(run.leaves, worst?.leaves),
  gone: run.verdict.delete ? momentOf(run.planned.goneAt, worst?.planned.goneAt) : {},
  graceSeconds: run.graceSeconds,
  refusals: run.refusals,
  ...(run.waitsFor === undefined ? {} : { waitsFor: run.waitsFor }),
  ...(run.uncounted === undefined ? {} : { uncounted: run.uncounted }),
  ...(run.leftBehind === undefined ? {} : { leftBehind: run.leftBehind }),
  ...(run.block === undefined ? {} : { block: run.block }),
  ...(run.leaves === undefined ? {} : { replacement: replacementOf(run.planned, worst?.planned) })
})

const displacedOf = (displacement: Displacement, worst: Displacement | undefined): Displaced => ({
  pod: displacement.planned.pod,
  node: displacement.node,
  for: displacement.for,
  at: momentOf(displacement.at, worst?.at),
  replacement: replacementOf(displacement.planned, worst?.planned)
})

/**
 * Plans what `kubectl drain` would do to a cluster, without changing it: which pods are evicted and when, what blocks
 * them, where their replacements are scheduled. Simulates the drain with the rules of kubectl, the eviction API, the
 * controllers and the scheduler, twice: with pods as fast as they were so far, and as slow as they may be.
 *
 * A pure function: the same snapshot and options give the same plan. The snapshot must contain all nodes.
 * Upstream: staging/src/k8s.io/kubectl/pkg/{cmd/drain,drain}.
 */
export const planDrain = (
  snapshot: ClusterSnapshot,
  options: PlanDrainOptions,
  dependencies: DrainDependencies
): DrainPlan => {
  const expected = simulateDrain(snapshot, options, dependencies, expectedTiming(snapshot.pods))
  const worst = simulateDrain(snapshot, options, dependencies, worstTiming(snapshot.pods))
  const by = options.disableEviction === true ? "deletion" : "eviction"
  const cordoned = new Set(
    snapshot.nodes.filter(({ spec }) => spec?.unschedulable === true).map(({ metadata }) => metadata.name)
  )
  const nodes = expected.nodes.map((node, index): NodeDrain => {
    const worstNode = worst.nodes[index]
    return {
      name: node.name,
      wasCordoned: cordoned.has(node.name),
      starts: momentOf(node.starts, worstNode?.starts),
      ends: momentOf(node.ends, worstNode?.ends),
      outcome: node.outcome,
      worstOutcome: worstNode?.outcome ?? node.outcome,
      errors: node.errors,
      warnings: node.warnings,
      wants: node.wants,
      pods: node.pods.map((run) =>
        podOf(
          run,
          worstNode?.pods.find(
            ({ pod }) => pod.metadata.uid === run.pod.metadata.uid && pod.metadata.name === run.pod.metadata.name
          ),
          by
        )
      )
    }
  })
  return {
    nodes,
    displaced: expected.displaced.map((displacement) =>
      displacedOf(
        displacement,
        worst.displaced.find(({ planned }) => planned.pod.metadata.uid === displacement.planned.pod.metadata.uid)
      )
    ),
    // A slower pod may spare kubectl a wait: a budget allows the next eviction at its first try.
    takes: momentOf(expected.ends, worst.ends && Math.max(worst.ends, expected.ends ?? 0)),
    blocked: nodes.some(({ outcome }) => outcome !== "drained")
  }
}
