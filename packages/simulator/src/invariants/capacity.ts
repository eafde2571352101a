import {
  type Node,
  type Pod,
  podLimits,
  podRequests,
  type Release,
  type ResourceList,
  scaledValue
} from "@rollcall/api"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** The amounts that a pod takes of its node, in thousandths, by resource. */
type Amounts = Readonly<Record<string, number>>

interface Placed {
  readonly node: string
  readonly amounts: Amounts
}

/** The scheduler has observed pods that others bound, and changes of a node, after this time at the latest. */
const KNOWN_AFTER_SECONDS = 120
const MILLI = -3
/** Relative tolerance: sums of large quantities lose their last digits. */
const SLACK = 1e-9

/** Returns one shared object for equal amounts: many pods have few distinct shapes. */
const makeAmountsOf = (sum: typeof podRequests): ((pod: Pod) => Amounts) => {
  const shapes = new Map<string, Amounts>()
  const byContainers = new WeakMap<object, Amounts>()
  const measure = (pod: Pod): Amounts => {
    const amounts: Record<string, number> = { pods: 1000 }
    let key = ""
    for (const [name, amount] of Object.entries(sum(pod))) {
      const value = scaledValue(amount, MILLI)
      amounts[name] = value
      key += `${name} ${value} `
    }
    const known = shapes.get(key)
    if (known === undefined) shapes.set(key, amounts)
    return known ?? amounts
  }
  return (pod) => {
    const { containers, initContainers, overhead, resources } = pod.spec
    if (initContainers !== undefined || overhead !== undefined || resources !== undefined) return measure(pod)
    const known = byContainers.get(containers)
    if (known !== undefined) return known
    const amounts = measure(pod)
    byContainers.set(containers, amounts)
    return amounts
  }
}

const isOver = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

const sameResources = (left: ResourceList = {}, right: ResourceList = {}): boolean =>
  left === right ||
  (Object.keys(left).length === Object.keys(right).length &&
    Object.entries(left).every(([name, amount]) => right[name] === amount))

/**
 * Checks that the scheduler binds a pod only to a node with room for it: the requests and the number of the node's pods stay within
 * its allocatable resources.
 *
 * Pods that were bound without the scheduler count once it must have observed them. A node whose allocatable resources changed
 * within the last `KNOWN_AFTER_SECONDS` is not checked.
 */
export const capacity = (
  known: ClusterState,
  report: Report,
  podsFitBy: Release["podsFitBy"] = "requestsInAllocatable"
): Invariant => {
  const byLimits = podsFitBy === "limitsInCapacity"
  const amountsOf = makeAmountsOf(byLimits ? podLimits : podRequests)
  const capacityOf = (node: Node | undefined) => (byLimits ? node?.status?.capacity : node?.status?.allocatable)
  const placed = new Map<string, Placed>()
  const sums = new Map<string, Record<string, number>>()
  const changedAt = new Map<string, number>()
  /** Pods bound without the scheduler that it may not have observed yet, in time order. */
  const unobserved = new Map<string, Placed & { readonly at: number }>()

  const add = ({ node, amounts }: Placed, sign: 1 | -1) => {
    const sum = sums.get(node) ?? {}
    for (const name in amounts) sum[name] = (sum[name] ?? 0) + sign * (amounts[name] ?? 0)
    sums.set(node, sum)
  }
  const take = (uid: string, one: Placed) => {
    placed.set(uid, one)
    add(one, 1)
  }
  const leave = (uid: string) => {
    const one = placed.get(uid)
    if (one !== undefined) add(one, -1)
    else unobserved.delete(uid)
    placed.delete(uid)
  }

  const check = (pod: Pod, node: Node | undefined, name: string, amounts: Amounts, atSeconds: number) => {
    const allocatable = capacityOf(node)
    if (allocatable === undefined) return
    if (atSeconds - (changedAt.get(name) ?? Number.NEGATIVE_INFINITY) < KNOWN_AFTER_SECONDS) return
    const sum = sums.get(name) ?? {}
    for (const resource in amounts) {
      if ((amounts[resource] ?? 0) === 0) continue
      const most = scaledValue(allocatable[resource] ?? "0", MILLI)
      if ((sum[resource] ?? 0) <= most * (1 + SLACK)) continue
      const key = `${pod.metadata.namespace ?? ""}/${pod.metadata.name ?? ""}`
      report(
        `${key} was bound to ${name}, which has ${most / 1000} of ${resource}; its pods request ${(sum[resource] ?? 0) / 1000}`
      )
    }
  }

  return {
    node: (previous, next, atSeconds) => {
      const name = next?.metadata.name ?? previous?.metadata.name ?? ""
      if (next === undefined || previous === undefined) changedAt.delete(name)
      else if (!sameResources(capacityOf(previous), capacityOf(next))) changedAt.set(name, atSeconds)
    },
    pod: (previous, next, atSeconds) => {
      if (previous !== undefined && previous.metadata.uid !== next?.metadata.uid) leave(previous.metadata.uid ?? "")
      if (next === undefined) return
      const uid = next.metadata.uid ?? ""
      const node = next.spec.nodeName ?? ""
      if (node === "") return
      if (isOver(next)) {
        leave(uid)
        return
      }
      if (previous !== undefined && previous.metadata.uid === uid && (previous.spec.nodeName ?? "") !== "") return
      const one = { node, amounts: amountsOf(next) }
      if (previous === undefined || previous.metadata.uid !== uid) {
        unobserved.set(uid, { ...one, at: atSeconds })
        return
      }
      take(uid, one)
      check(next, known.node(node), node, one.amounts, atSeconds)
    },
    tick: (atSeconds) => {
      for (const [uid, { at, node, amounts }] of unobserved) {
        if (atSeconds - at < KNOWN_AFTER_SECONDS) return
        unobserved.delete(uid)
        take(uid, { node, amounts })
      }
    }
  }
}
