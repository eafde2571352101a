import {
  defaultRelease,
  type FeatureGates,
  featureGatesOf,
  hasTaintKey,
  isNodeReady,
  isPodTerminal,
  type Node,
  type Pod,
  taintOutOfService
} from "@rollcall/api"
import { createPodStatusPatch, type JsonMap } from "@rollcall/api/patch"
import { observedGeneration, withDisruptionTarget } from "../DisruptionTarget.ts"

/** How the pod garbage collector runs. */
export interface PodGcSettings {
  /** `--terminated-pod-gc-threshold`: 0 or less keeps all terminated pods. */
  readonly terminatedPodGCThreshold: number
  readonly periodMs: number
  /** How long a node must be gone before its pods are orphans. */
  readonly quarantineMs: number
  /** The out-of-service taint ends terminating pods. */
  readonly outOfService: boolean
  /** Orphans get a condition that says why they go. */
  readonly disruptionTarget: boolean
}

export const podGcSettings = (
  given: Partial<PodGcSettings> = {},
  gates: FeatureGates = featureGatesOf(defaultRelease)
): PodGcSettings => ({
  terminatedPodGCThreshold: 12_500,
  periodMs: 20_000,
  quarantineMs: 40_000,
  outOfService: gates.NodeOutOfServiceVolumeDetach,
  disruptionTarget: gates.PodDisruptionConditions,
  ...given
})

/** Why the collector deletes a pod: label of its metrics. */
export type PodGcReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled"

/** An empty phase counts as terminated. */
export const isTerminated = (pod: Pod): boolean => {
  const phase = pod.status?.phase
  return phase !== "Pending" && phase !== "Running" && phase !== "Unknown"
}

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined

const isEvicted = (pod: Pod): boolean => pod.status?.phase === "Failed" && pod.status.reason === "Evicted"

const compareText = (left = "", right = ""): number => (left < right ? -1 : left > right ? 1 : 0)

/** Evicted first, then older, then by name; which namespace's comes first of two of one name, upstream leaves open. */
const byEvictionAndAge = (left: Pod, right: Pod): number =>
  Number(isEvicted(right)) - Number(isEvicted(left)) ||
  compareText(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
  compareText(left.metadata.name, right.metadata.name) ||
  compareText(left.metadata.namespace, right.metadata.namespace)

/** Terminated pods beyond the threshold, in the order in which they go; none when the threshold is 0 or less. */
export const terminatedSurplus = (terminated: ReadonlyArray<Pod>, threshold: number): ReadonlyArray<Pod> =>
  threshold <= 0 || terminated.length <= threshold
    ? []
    : terminated.toSorted(byEvictionAndAge).slice(0, terminated.length - threshold)

/** Not ready, or not saying so, and tainted out of service with whatever value and effect. */
export const isOutOfService = (node: Node): boolean => !isNodeReady(node) && hasTaintKey(node, taintOutOfService)

/** Terminating pods on nodes out of service, in the order in which they go. Their tolerations do not matter. */
export const podsOutOfService = (
  terminating: ReadonlyArray<Pod>,
  nodeOf: (name: string) => Node | undefined
): ReadonlyArray<Pod> =>
  terminating
    .filter((pod) => {
      const node = nodeOf(pod.spec.nodeName ?? "")
      return node !== undefined && isOutOfService(node)
    })
    .sort(byEvictionAndAge)

/** Terminating pods that no node will ever see. */
export const podsUnscheduled = (terminating: ReadonlyArray<Pod>): ReadonlyArray<Pod> =>
  terminating.filter((pod) => (pod.spec.nodeName ?? "") === "")

/**
 * Nodes that pods name but the cache does not know wait here before the API is asked about them. As upstream's delaying
 * queue: a name that waits keeps its time, a name that is due can be put again and then waits anew.
 */
export class Quarantine {
  private readonly waiting = new Map<string, number>()
  private readonly due = new Set<string>()
  readonly delayMs: number

  constructor(delayMs: number) {
    this.delayMs = delayMs
  }

  /** Puts the names, and takes all that were due before. */
  turn(names: ReadonlyArray<string>, now: number): ReadonlyArray<string> {
    for (const [name, dueMs] of this.waiting) {
      if (dueMs > now) continue
      this.waiting.delete(name)
      this.due.add(name)
    }
    for (const name of names) if (!this.waiting.has(name)) this.waiting.set(name, now + this.delayMs)
    const taken = [...this.due].sort()
    this.due.clear()
    return taken
  }
}

/**
 * The strategic merge patch of pods/status that ends a pod before it is deleted; undefined for one that has ended. Only orphans
 * are told why.
 * Upstream: pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition.
 */
export const failedPatch = (
  pod: Pod,
  reason: PodGcReason,
  nowText: string,
  disruptionTarget = true
): JsonMap | undefined => {
  if (isPodTerminal(pod)) return undefined
  const status =
    reason === "orphaned" && disruptionTarget
      ? withDisruptionTarget(pod, "DeletionByPodGC", "PodGC: node no longer exists", nowText)
      : pod.status
  return createPodStatusPatch(pod, { ...status, phase: "Failed", ...observedGeneration(pod) })
}
