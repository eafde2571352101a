import type { Pod } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { type DaemonChanges, type DaemonInput, isTerminating, isUpdated } from "./plan.ts"
import { daemonBounds } from "./surge.ts"

/** The pod of the current template on a node, and the pod of an older one. */
interface NodePods {
  readonly node: string
  readonly newPod: Pod | undefined
  readonly oldPod: Pod | undefined
}

/**
 * Finds the old and the new pod of a node; returns undefined if it has several old or several new ones, since the plan
 * must delete the surplus first.
 * Upstream: findUpdatedPodsOnNode.
 */
const nodePodsOf = (node: string, pods: ReadonlyArray<Pod>, hash: string): NodePods | undefined => {
  let [newPod, oldPod]: [Pod | undefined, Pod | undefined] = [undefined, undefined]
  for (const pod of pods) {
    if (isTerminating(pod)) continue
    if (isUpdated(pod, hash)) {
      if (newPod !== undefined) return undefined
      newPod = pod
    } else {
      if (oldPod !== undefined) return undefined
      oldPod = pod
    }
  }
  return { node, newPod, oldPod }
}

/** Deletes unavailable old pods at once, and of the available ones as many as maxUnavailable permits. */
const withoutSurge = (
  states: ReadonlyArray<NodePods | undefined>,
  maxUnavailable: number,
  isAvailable: (pod: Pod) => boolean
): DaemonChanges => {
  let unavailable = 0
  const unavailableOld: Array<Pod> = []
  const availableOld: Array<Pod> = []
  for (const state of states) {
    // A node with no pod, or with several, counts as unavailable until the plan has created or deleted pods there.
    if (state === undefined || (state.oldPod === undefined) === (state.newPod === undefined)) unavailable++
    else if (state.oldPod === undefined) {
      if (state.newPod !== undefined && !isAvailable(state.newPod)) unavailable++
    } else if (!isAvailable(state.oldPod)) {
      unavailableOld.push(state.oldPod)
      unavailable++
    } else availableOld.push(state.oldPod)
  }
  return {
    create: [],
    remove: [...unavailableOld, ...availableOld.slice(0, Math.max(0, maxUnavailable - unavailable))]
  }
}

/**
 * Creates new pods next to available old ones, on at most maxSurge nodes at a time, and at once next to unavailable
 * ones; deletes the old one when the new one is available. On nodes that are no longer eligible the old pod stays
 * until enough others are available.
 */
const withSurge = (
  states: ReadonlyArray<NodePods | undefined>,
  { desired, isAvailable, maxSurge, shouldRun }: SurgeRules
): DaemonChanges => {
  let [surgingNodes, available] = [0, 0]
  const remove: Array<Pod> = []
  const onIneligibleNodes: Array<Pod> = []
  const nodesOfUnavailable: Array<string> = []
  const nodesOfAvailable: Array<string> = []
  for (const state of states) {
    if (state === undefined) {
      surgingNodes++
      continue
    }
    const { newPod, node, oldPod } = state
    const countedPod = oldPod ?? newPod
    if (countedPod !== undefined && isAvailable(countedPod)) available++
    if (oldPod === undefined) continue
    if (newPod !== undefined) {
      if (isAvailable(newPod)) remove.push(oldPod)
      else surgingNodes++
    } else if (!shouldRun(node)) (isAvailable(oldPod) ? onIneligibleNodes : remove).push(oldPod)
    else (isAvailable(oldPod) ? nodesOfAvailable : nodesOfUnavailable).push(node)
  }
  return {
    create: [...nodesOfUnavailable, ...nodesOfAvailable.slice(0, Math.max(0, maxSurge - surgingNodes))],
    remove: [...remove, ...onIneligibleNodes.slice(0, Math.max(0, available - desired))]
  }
}

/** What decides about a rolling update with surge. `desired` is the number of nodes that should run a pod. */
interface SurgeRules {
  readonly desired: number
  readonly maxSurge: number
  readonly isAvailable: (pod: Pod) => boolean
  readonly shouldRun: (node: string) => boolean
}

/**
 * The next step of a rolling update, when no pod is missing or surplus. Upstream: pkg/controller/daemon/update.go
 * rollingUpdate.
 */
export const daemonRollingUpdate = ({ eligibilityOf, hash, nodes, nowMs, pods, set }: DaemonInput): DaemonChanges => {
  const eligibleNodes = new Set<string>()
  for (const node of nodes) if (eligibilityOf(node).shouldRun) eligibleNodes.add(node.metadata.name ?? "")
  const { maxSurge, maxUnavailable } = daemonBounds(set, eligibleNodes.size)
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const isAvailable = (pod: Pod) => isPodAvailable(pod, minReadySeconds, nowMs)
  const states = [...pods].map(([node, podsOfNode]) => nodePodsOf(node, podsOfNode, hash))
  for (const node of eligibleNodes) if (!pods.has(node)) states.push({ node, newPod: undefined, oldPod: undefined })
  return maxSurge === 0
    ? withoutSurge(states, maxUnavailable, isAvailable)
    : withSurge(states, {
        desired: eligibleNodes.size,
        maxSurge,
        isAvailable,
        shouldRun: (node) => eligibleNodes.has(node)
      })
}
