import type { Pod } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { type DaemonInput, type DaemonMoves, isTerminating, isUpdated } from "./plan.ts"
import { daemonBounds } from "./surge.ts"

interface OnNode {
  readonly node: string
  readonly fresh: Pod | undefined
  readonly old: Pod | undefined
}

/**
 * The old and new pod of a node; undefined if it has several of a kind, which the plan resolves first.
 * Upstream: findUpdatedPodsOnNode.
 */
const onNode = (node: string, pods: ReadonlyArray<Pod>, hash: string): OnNode | undefined => {
  let [fresh, old]: [Pod | undefined, Pod | undefined] = [undefined, undefined]
  for (const pod of pods) {
    if (isTerminating(pod)) continue
    if (isUpdated(pod, hash)) {
      if (fresh !== undefined) return undefined
      fresh = pod
    } else {
      if (old !== undefined) return undefined
      old = pod
    }
  }
  return { node, fresh, old }
}

/** Deletes unavailable old pods at once, and of the available ones as many as maxUnavailable permits. */
const withoutSurge = (
  states: ReadonlyArray<OnNode | undefined>,
  maxUnavailable: number,
  isAvailable: (pod: Pod) => boolean
): DaemonMoves => {
  let unavailable = 0
  const replaced: Array<Pod> = []
  const candidates: Array<Pod> = []
  for (const state of states) {
    if (state === undefined || (state.old === undefined) === (state.fresh === undefined)) unavailable++
    else if (state.old === undefined) {
      if (state.fresh !== undefined && !isAvailable(state.fresh)) unavailable++
    } else if (!isAvailable(state.old)) {
      replaced.push(state.old)
      unavailable++
    } else candidates.push(state.old)
  }
  return { create: [], remove: [...replaced, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] }
}

/**
 * Creates new pods next to available old ones, on at most maxSurge nodes at a time, and at once next to unavailable
 * ones; deletes the old one when the new one is available. On nodes that are no longer eligible the old pod stays
 * until enough others are available.
 */
const withSurge = (
  states: ReadonlyArray<OnNode | undefined>,
  { desired, isAvailable, maxSurge, shouldRun }: SurgeRules
): DaemonMoves => {
  let [surging, available] = [0, 0]
  const remove: Array<Pod> = []
  const leaving: Array<Pod> = []
  const replaced: Array<string> = []
  const candidates: Array<string> = []
  for (const state of states) {
    if (state === undefined) {
      surging++
      continue
    }
    const { fresh, node, old } = state
    const counted = old ?? fresh
    if (counted !== undefined && isAvailable(counted)) available++
    if (old === undefined) continue
    if (fresh !== undefined) {
      if (isAvailable(fresh)) remove.push(old)
      else surging++
    } else if (!shouldRun(node)) (isAvailable(old) ? leaving : remove).push(old)
    else (isAvailable(old) ? candidates : replaced).push(node)
  }
  return {
    create: [...replaced, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    remove: [...remove, ...leaving.slice(0, Math.max(0, available - desired))]
  }
}

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
export const daemonRollingUpdate = ({ eligibilityOf, hash, nodes, nowMs, pods, set }: DaemonInput): DaemonMoves => {
  const wanted = new Set<string>()
  for (const node of nodes) if (eligibilityOf(node).shouldRun) wanted.add(node.metadata.name ?? "")
  const { maxSurge, maxUnavailable } = daemonBounds(set, wanted.size)
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const isAvailable = (pod: Pod) => isPodAvailable(pod, minReadySeconds, nowMs)
  const states = [...pods].map(([node, there]) => onNode(node, there, hash))
  for (const node of wanted) if (!pods.has(node)) states.push({ node, fresh: undefined, old: undefined })
  return maxSurge === 0
    ? withoutSurge(states, maxUnavailable, isAvailable)
    : withSurge(states, { desired: wanted.size, maxSurge, isAvailable, shouldRun: (node) => wanted.has(node) })
}
