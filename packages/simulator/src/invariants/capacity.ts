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

/** A pod on a node. */
interface Placement {
  readonly uid: string
  readonly amounts: Amounts
  readonly at: number
}

interface NodeUse {
  /** The pods that the scheduler counts. */
  readonly counted: Array<Placement>
  /** The sum of their amounts. */
  readonly sum: Record<string, number>
  /** Pods created with a nodeName, or resized, which the scheduler may not have observed yet, in time order. */
  readonly unobserved: Array<Placement>
}

/** Removes the pod from the list and returns its placement. A node has few pods: a search costs less than an index of all. */
const take = (placements: Array<Placement>, uid: string): Placement | undefined => {
  const index = placements.findIndex((placement) => placement.uid === uid)
  return index < 0 ? undefined : placements.splice(index, 1)[0]
}

/** The scheduler has observed pods that others bound, and changes of a node, after this time at the latest. */
const OBSERVED_AFTER_SECONDS = 120
/** The decimal exponent of `scaledValue` for thousandths. */
const MILLI_SCALE = -3
/** Sums of large quantities lose their last digits. */
const RELATIVE_TOLERANCE = 1e-9

/** The amounts without those of extended resources that a claim provides. */
const withoutClaimed = ({ status }: Pod, amounts: Amounts): Amounts => {
  const { requestMappings = [] } = (status?.extendedResourceClaimStatus ?? {}) as {
    readonly requestMappings?: ReadonlyArray<{ readonly resourceName: string }>
  }
  const claimed = new Set(requestMappings.map(({ resourceName }) => resourceName))
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => !claimed.has(name)))
}

/**
 * Makes the function that returns a pod's amounts. Pods with equal amounts share one object, because many pods have few distinct amounts.
 */
const makeAmountsOf = (sum: typeof podRequests): ((pod: Pod) => Amounts) => {
  const sharedAmounts = new Map<string, Amounts>()
  const byContainers = new WeakMap<object, Amounts>()
  const measure = (pod: Pod): Amounts => {
    const amounts: Record<string, number> = { pods: 1000 }
    let key = ""
    for (const [name, amount] of Object.entries(sum(pod))) {
      const value = scaledValue(amount, MILLI_SCALE)
      amounts[name] = value
      key += `${name} ${value} `
    }
    const known = sharedAmounts.get(key)
    if (known === undefined) sharedAmounts.set(key, amounts)
    return known ?? amounts
  }
  return (pod) => {
    const { containers, initContainers, overhead, resources } = pod.spec
    if (pod.status?.extendedResourceClaimStatus !== undefined) return withoutClaimed(pod, measure(pod))
    if (initContainers !== undefined || overhead !== undefined || resources !== undefined) return measure(pod)
    const known = byContainers.get(containers)
    if (known !== undefined) return known
    const amounts = measure(pod)
    byContainers.set(containers, amounts)
    return amounts
  }
}

const isTerminal = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

const sameResources = (left: ResourceList = {}, right: ResourceList = {}): boolean =>
  left === right ||
  (Object.keys(left).length === Object.keys(right).length &&
    Object.entries(left).every(([name, amount]) => right[name] === amount))

const add = ({ sum }: NodeUse, amounts: Amounts, sign: 1 | -1) => {
  for (const name in amounts) sum[name] = (sum[name] ?? 0) + sign * (amounts[name] ?? 0)
}

/** Whether a pod takes other amounts than before. Equal amounts are one value, and other updates share the spec. */
const isResized = (previous: Pod, next: Pod, amountsOf: (pod: Pod) => Amounts): boolean =>
  previous.spec !== next.spec && amountsOf(previous) !== amountsOf(next)

/**
 * Checks that the scheduler binds a pod only to a node with room for it: the requests and the number of the node's pods stay within
 * its allocatable resources.
 *
 * Pods that were bound without the scheduler, and resized pods, count once it must have observed them. A node whose allocatable resources changed
 * within the last `OBSERVED_AFTER_SECONDS` is not checked.
 */
export const capacity = (
  cluster: ClusterState,
  report: Report,
  podsFitBy: Release["podsFitBy"] = "requestsInAllocatable"
): Invariant => {
  const usesLimits = podsFitBy === "limitsInCapacity"
  const amountsOf = makeAmountsOf(usesLimits ? podLimits : podRequests)
  const capacityOf = (node: Node | undefined) => (usesLimits ? node?.status?.capacity : node?.status?.allocatable)
  const perNode = new Map<string, NodeUse>()
  const changedAt = new Map<string, number>()

  const useOf = (node: string): NodeUse => {
    const known = perNode.get(node)
    if (known !== undefined) return known
    const use: NodeUse = { counted: [], sum: {}, unobserved: [] }
    perNode.set(node, use)
    return use
  }
  const count = (use: NodeUse, placement: Placement) => {
    use.counted.push(placement)
    add(use, placement.amounts, 1)
  }
  const remove = (uid: string, node: string) => {
    const use = perNode.get(node)
    if (use === undefined || take(use.unobserved, uid) !== undefined) return
    const placement = take(use.counted, uid)
    if (placement !== undefined) add(use, placement.amounts, -1)
  }
  /** The amounts of a node's pods that the scheduler must have observed. */
  const observedOn = (node: string, atSeconds: number): Amounts => {
    const use = useOf(node)
    // In time order: none after the first that is too new has been observed.
    const newer = use.unobserved.findIndex(({ at }) => atSeconds - at < OBSERVED_AFTER_SECONDS)
    for (const placement of use.unobserved.splice(0, newer < 0 ? use.unobserved.length : newer)) count(use, placement)
    return use.sum
  }

  const check = (pod: Pod, node: Node | undefined, name: string, amounts: Amounts, atSeconds: number) => {
    const allocatable = capacityOf(node)
    if (allocatable === undefined) return
    if (atSeconds - (changedAt.get(name) ?? Number.NEGATIVE_INFINITY) < OBSERVED_AFTER_SECONDS) return
    const sum = observedOn(name, atSeconds)
    for (const resource in amounts) {
      if ((amounts[resource] ?? 0) === 0) continue
      const most = scaledValue(allocatable[resource] ?? "0", MILLI_SCALE)
      if ((sum[resource] ?? 0) <= most * (1 + RELATIVE_TOLERANCE)) continue
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
      if (previous !== undefined && previous.metadata.uid !== next?.metadata.uid) {
        remove(previous.metadata.uid ?? "", previous.spec.nodeName ?? "")
      }
      if (next === undefined) return
      const uid = next.metadata.uid ?? ""
      const node = next.spec.nodeName ?? ""
      if (node === "") return
      if (isTerminal(next)) {
        remove(uid, node)
        return
      }
      const isNew = previous === undefined || previous.metadata.uid !== uid
      const wasBound = !isNew && (previous.spec.nodeName ?? "") !== ""
      if (wasBound && !isResized(previous, next, amountsOf)) return
      if (wasBound) remove(uid, node)
      const placement = { uid, amounts: amountsOf(next), at: atSeconds }
      const use = useOf(node)
      if (isNew || wasBound) {
        use.unobserved.push(placement)
        return
      }
      count(use, placement)
      check(next, cluster.node(node), node, placement.amounts, atSeconds)
    }
  }
}
