import { type DaemonSet, isPodReady, isPodTerminal, type Node, type Pod } from "@rollcall/api"
import { labelRevision } from "../history/revisions.ts"
import { isPodAvailable } from "../podState.ts"
import type { DaemonEligibility } from "./daemonPods.ts"
import { allowsSurge } from "./surge.ts"

/** Pods to create, by node name, and pods to delete. */
export interface DaemonMoves {
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

/** The pods to create and delete. */
export interface DaemonPlan extends DaemonMoves {
  /** Terminated pods that are about to be deleted. */
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
    const there = byNode.get(node)
    if (there === undefined) byNode.set(node, [pod])
    else there.push(pod)
  }
  for (const there of byNode.values()) if (there.length > 1) there.sort(byAge)
  return byNode
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

const byAge = (left: Pod, right: Pod): number => {
  const [placed, other] = [(left.spec.nodeName ?? "") !== "", (right.spec.nodeName ?? "") !== ""]
  if (placed !== other) return placed ? -1 : 1
  const [a = "", b = ""] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp]
  if (a !== b) return a < b ? -1 : 1
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
}

export const isUpdated = ({ metadata }: Pod, hash: string): boolean => metadata.labels?.[labelRevision] === hash

/**
 * Plans which pods are missing, and which are surplus. `mayRemoveFailed` is called once for each failed pod, and
 * returns false during the backoff for its node. Upstream: pkg/controller/daemon/daemon_controller.go
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
    const there = input.pods.get(name)
    if (there === undefined) {
      if (shouldRun) create.push(name)
      continue
    }
    const staying = there.filter((pod) => !isTerminating(pod))
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
    else if (running.length > 1) remove.push(...surplus(input, running))
    else if (running.length === 0 && shouldRun) create.push(name)
  }
  for (const [name, stranded] of input.pods) {
    if (!names.has(name)) remove.push(...stranded.filter((pod) => !pod.spec.nodeName && !isTerminating(pod)))
  }
  return { create, remove, ended }
}

/**
 * The surplus pods of a node that may have one pod of each template. The old one stays while it is ready and the new
 * one is not available yet.
 */
const surplus = ({ hash, nowMs, set }: DaemonInput, running: ReadonlyArray<Pod>): ReadonlyArray<Pod> => {
  const remove: Array<Pod> = []
  let [fresh, old]: [Pod | undefined, Pod | undefined] = [undefined, undefined]
  for (const pod of running) {
    if (isUpdated(pod, hash) && fresh === undefined) fresh = pod
    else if (!isUpdated(pod, hash) && old === undefined) old = pod
    else remove.push(pod)
  }
  if (fresh === undefined || old === undefined) return remove
  const isReplaced = !isPodReady(old) || isPodAvailable(fresh, set.spec.minReadySeconds ?? 0, nowMs)
  return isReplaced ? [...remove, old] : remove
}
