import { type DaemonSet, isPodReady, isPodTerminal, type Node, type Pod } from "@rollcall/api"
import { labelRevision } from "../history/revisions.ts"
import { isPodAvailable } from "../podState.ts"
import type { DaemonEligibility } from "./daemonPods.ts"
import { allowsSurge } from "./surge.ts"

/** Pods to create, by node name, and pods to delete. */
export interface DaemonChanges {
  readonly create: ReadonlyArray<string>
  readonly remove: ReadonlyArray<Pod>
}

/** The inputs of a plan for one daemon set. */
export interface DaemonInput {
  readonly set: DaemonSet
  readonly nodes: ReadonlyArray<Node>
  readonly eligibilityOf: (node: Node) => DaemonEligibility
  /** The pods of the set, by the node that each is on or was created for: see `podsByNode`. */
  readonly pods: ReadonlyMap<string, ReadonlyArray<Pod>>
  /** The hash of the current template. */
  readonly hash: string
  readonly nowMs: number
}

/** The pods to create and delete, and those of the latter that have terminated. */
export interface DaemonPlan extends DaemonChanges {
  /** Terminated pods that are about to be deleted, for Events; they are also in `remove`. */
  readonly ended: ReadonlyArray<{ readonly pod: Pod; readonly node: string }>
}

/**
 * Pods by node, those already assigned first, then the oldest first. Terminated pods that are being deleted are
 * ignored. Upstream: daemon_controller.go getNodesToDaemonPods, podByCreationTimestampAndPhase.
 */
export const podsByNode = (
  pods: Iterable<Pod>,
  targetNodeOf: (pod: Pod) => string
): ReadonlyMap<string, ReadonlyArray<Pod>> => {
  const byNode = new Map<string, Array<Pod>>()
  for (const pod of pods) {
    if (isPodTerminal(pod) && isTerminating(pod)) continue
    const node = targetNodeOf(pod)
    const podsOfNode = byNode.get(node)
    if (podsOfNode === undefined) byNode.set(node, [pod])
    else podsOfNode.push(pod)
  }
  for (const podsOfNode of byNode.values()) if (podsOfNode.length > 1) podsOfNode.sort(byAssignmentAndAge)
  return byNode
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

const byAssignmentAndAge = (left: Pod, right: Pod): number => {
  const [isAssigned, isOtherAssigned] = [(left.spec.nodeName ?? "") !== "", (right.spec.nodeName ?? "") !== ""]
  if (isAssigned !== isOtherAssigned) return isAssigned ? -1 : 1
  const [a = "", b = ""] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp]
  if (a !== b) return a < b ? -1 : 1
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
}

/** Whether the pod was created from the template with this hash. */
export const isUpdated = ({ metadata }: Pod, hash: string): boolean => metadata.labels?.[labelRevision] === hash

/**
 * Plans which pods to create because they are missing, and which to delete. `mayRemoveFailed` is called once for each
 * failed pod, and returns false during the backoff for its node. Upstream: pkg/controller/daemon/daemon_controller.go
 * podsShouldBeOnNode, getUnscheduledPodsWithoutNode.
 */
export const daemonPlan = (input: DaemonInput, mayRemoveFailed: (node: string) => boolean): DaemonPlan => {
  const create: Array<string> = []
  const remove: Array<Pod> = []
  const ended: Array<{ readonly pod: Pod; readonly node: string }> = []
  const names = new Set<string>()
  const surges = allowsSurge(input.set)
  for (const node of input.nodes) {
    const name = node.metadata.name ?? ""
    names.add(name)
    const { shouldContinueRunning, shouldRun } = input.eligibilityOf(node)
    const podsOfNode = input.pods.get(name)
    if (podsOfNode === undefined) {
      if (shouldRun) create.push(name)
      continue
    }
    const staying = podsOfNode.filter((pod) => !isTerminating(pod))
    if (!shouldContinueRunning) {
      remove.push(...staying)
      continue
    }
    const running: Array<Pod> = []
    for (const pod of staying) {
      if (!isPodTerminal(pod)) running.push(pod)
      else if (pod.status?.phase === "Succeeded" || mayRemoveFailed(name)) {
        ended.push({ pod, node: name })
        remove.push(pod)
      }
    }
    if (!surges) remove.push(...running.slice(1))
    else if (running.length > 1) remove.push(...surplusPods(input, running))
    else if (running.length === 0 && shouldRun) create.push(name)
  }
  for (const [name, podsOfAbsentNode] of input.pods) {
    if (!names.has(name)) remove.push(...podsOfAbsentNode.filter((pod) => !pod.spec.nodeName && !isTerminating(pod)))
  }
  return { create, remove, ended }
}

/**
 * The surplus pods of a node that may have one pod of each template. The old one stays while it is ready and the new
 * one is not available yet.
 */
const surplusPods = ({ hash, nowMs, set }: DaemonInput, running: ReadonlyArray<Pod>): ReadonlyArray<Pod> => {
  const remove: Array<Pod> = []
  let [newPod, oldPod]: [Pod | undefined, Pod | undefined] = [undefined, undefined]
  for (const pod of running) {
    if (isUpdated(pod, hash) && newPod === undefined) newPod = pod
    else if (!isUpdated(pod, hash) && oldPod === undefined) oldPod = pod
    else remove.push(pod)
  }
  if (newPod === undefined || oldPod === undefined) return remove
  const isReplaced = !isPodReady(oldPod) || isPodAvailable(newPod, set.spec.minReadySeconds ?? 0, nowMs)
  return isReplaced ? [...remove, oldPod] : remove
}
