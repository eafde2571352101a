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
import * as Order from "effect/Order"
import { observedGeneration, withDisruptionTarget } from "../DisruptionTarget.ts"

/** The settings of the pod garbage collector. */
export interface PodGcSettings {
  /** `--terminated-pod-gc-threshold`: 0 or less keeps all terminated pods. */
  readonly terminatedPodGCThreshold: number
  /** The pause between two collections. */
  readonly periodMs: number
  /** How long a node must be missing before its pods are orphans. */
  readonly quarantineMs: number
  /** Gate NodeOutOfServiceVolumeDetach: terminating pods on out-of-service nodes are force-deleted. */
  readonly outOfService: boolean
  /** Gate PodDisruptionConditions: orphans get the condition DisruptionTarget before they are deleted. */
  readonly disruptionTarget: boolean
}

/** Upstream's defaults for these feature gates, with overrides. */
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

/** Why the collector deletes a pod; a label of its metrics. */
export type PodGcReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled"

/** Whether the pod's phase is Succeeded or Failed; as upstream, so is one without a phase. */
export const isTerminated = (pod: Pod): boolean => {
  const phase = pod.status?.phase
  return phase !== "Pending" && phase !== "Running" && phase !== "Unknown"
}

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined

const isEvicted = (pod: Pod): boolean => pod.status?.phase === "Failed" && pod.status.reason === "Evicted"

const compareText = (left = "", right = ""): number => Order.String(left, right)

/**
 * The order of deletion: evicted pods first, then older ones, then by name. Upstream does not define the order of equal
 * names in different namespaces.
 */
const byEvictionAndAge = (left: Pod, right: Pod): number =>
  Number(isEvicted(right)) - Number(isEvicted(left)) ||
  compareText(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
  compareText(left.metadata.name, right.metadata.name) ||
  compareText(left.metadata.namespace, right.metadata.namespace)

/** Terminated pods beyond the threshold, in the order of deletion; none when the threshold is 0 or less. */
export const terminatedSurplus = (terminated: ReadonlyArray<Pod>, threshold: number): ReadonlyArray<Pod> =>
  threshold <= 0 || terminated.length <= threshold
    ? []
    : terminated.toSorted(byEvictionAndAge).slice(0, terminated.length - threshold)

/**
 * Whether the node is not ready, or has no Ready condition, and has an out-of-service taint of any value and effect.
 */
export const isOutOfService = (node: Node): boolean => hasTaintKey(node, taintOutOfService) && !isNodeReady(node)

/** Terminating pods on out-of-service nodes, in the order of deletion, whatever they tolerate. */
export const podsOutOfService = (
  terminating: ReadonlyArray<Pod>,
  nodeOf: (name: string) => Node | undefined
): ReadonlyArray<Pod> => {
  const known = new Map<string, boolean>()
  const isLost = (name: string): boolean => {
    const node = nodeOf(name)
    const lost = node !== undefined && isOutOfService(node)
    known.set(name, lost)
    return lost
  }
  return terminating
    .filter(({ spec: { nodeName = "" } }) => known.get(nodeName) ?? isLost(nodeName))
    .sort(byEvictionAndAge)
}

/** Terminating pods that were never bound to a node. */
export const podsUnscheduled = (terminating: ReadonlyArray<Pod>): ReadonlyArray<Pod> =>
  terminating.filter((pod) => (pod.spec.nodeName ?? "") === "")

/**
 * Names of nodes that pods refer to but the cache lacks wait here before the API is queried. It behaves as upstream's
 * delaying queue: a waiting name keeps its time, and a due name can be added again and then waits again.
 */
export class Quarantine {
  private readonly waiting = new Map<string, number>()
  private readonly due = new Set<string>()
  readonly delayMs: number

  constructor(delayMs: number) {
    this.delayMs = delayMs
  }

  /** Adds the names, and returns and removes those that are due, without the ones just added; sorted. */
  addAndTakeDue(names: ReadonlyArray<string>, now: number): ReadonlyArray<string> {
    for (const [name, dueMs] of this.waiting) {
      if (dueMs > now) continue
      this.waiting.delete(name)
      this.due.add(name)
    }
    for (const name of names) if (!this.waiting.has(name)) this.waiting.set(name, now + this.delayMs)
    const dueNames = [...this.due].sort()
    this.due.clear()
    return dueNames
  }
}

/**
 * The strategic merge patch of pods/status that sets phase Failed before the deletion; undefined for a terminated pod.
 * Only orphans get a condition with the reason. Upstream: pkg/controller/podgc/gc_controller.go
 * markFailedAndDeletePodWithCondition.
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
