import {
  type Node,
  type Pod,
  podLimits,
  podRequests,
  type Release,
  type ResourceList,
  scaledValue
} from "@rollcall/api"
import type { Invariant, Known, Report } from "./Invariant.ts"

/** What a pod takes, in thousandths, by resource. */
type Taken = Readonly<Record<string, number>>

interface Placed {
  readonly node: string
  readonly taken: Taken
}

/** What others put on a node by themselves, and changes of the node, the scheduler knows after so long whatever happens. */
const KNOWN_AFTER_SECONDS = 120
const MILLI = -3
/** Sums of large quantities are not exact to the last digit. */
const SLACK = 1e-9

/** Pods are many, and their shapes few: one that is known is shared. */
const makeTakenBy = (sum: typeof podRequests): ((pod: Pod) => Taken) => {
  const shapes = new Map<string, Taken>()
  const byContainers = new WeakMap<object, Taken>()
  const measure = (pod: Pod): Taken => {
    const taken: Record<string, number> = { pods: 1000 }
    let key = ""
    for (const [name, amount] of Object.entries(sum(pod))) {
      const value = scaledValue(amount, MILLI)
      taken[name] = value
      key += `${name} ${value} `
    }
    const known = shapes.get(key)
    if (known === undefined) shapes.set(key, taken)
    return known ?? taken
  }
  return (pod) => {
    const { containers, initContainers, overhead, resources } = pod.spec
    if (initContainers !== undefined || overhead !== undefined || resources !== undefined) return measure(pod)
    const known = byContainers.get(containers)
    if (known !== undefined) return known
    const taken = measure(pod)
    byContainers.set(containers, taken)
    return taken
  }
}

const isOver = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

const sameResources = (left: ResourceList = {}, right: ResourceList = {}): boolean =>
  left === right ||
  (Object.keys(left).length === Object.keys(right).length &&
    Object.entries(left).every(([name, amount]) => right[name] === amount))

/**
 * The scheduler never binds a pod to a node that has not the room for it: what the pods there ask for, and their number, stay
 * within what is allocatable.
 *
 * Pods that were put there without the scheduler count once it must have heard of them, and a node whose allocatable resources
 * have just changed is not looked at.
 */
export const capacity = (
  known: Known,
  report: Report,
  podsFitBy: Release["podsFitBy"] = "requestsInAllocatable"
): Invariant => {
  const byLimits = podsFitBy === "limitsInCapacity"
  const takenBy = makeTakenBy(byLimits ? podLimits : podRequests)
  const offerOf = (node: Node | undefined) => (byLimits ? node?.status?.capacity : node?.status?.allocatable)
  const placed = new Map<string, Placed>()
  const sums = new Map<string, Record<string, number>>()
  const changedAt = new Map<string, number>()
  /** In the order of their times. */
  const unheard = new Map<string, Placed & { readonly at: number }>()

  const add = ({ node, taken }: Placed, sign: 1 | -1) => {
    const sum = sums.get(node) ?? {}
    for (const name in taken) sum[name] = (sum[name] ?? 0) + sign * (taken[name] ?? 0)
    sums.set(node, sum)
  }
  const take = (uid: string, one: Placed) => {
    placed.set(uid, one)
    add(one, 1)
  }
  const leave = (uid: string) => {
    const one = placed.get(uid)
    if (one !== undefined) add(one, -1)
    else unheard.delete(uid)
    placed.delete(uid)
  }

  const check = (pod: Pod, node: Node | undefined, name: string, taken: Taken, atSeconds: number) => {
    const allocatable = offerOf(node)
    if (allocatable === undefined) return
    if (atSeconds - (changedAt.get(name) ?? Number.NEGATIVE_INFINITY) < KNOWN_AFTER_SECONDS) return
    const sum = sums.get(name) ?? {}
    for (const resource in taken) {
      if ((taken[resource] ?? 0) === 0) continue
      const most = scaledValue(allocatable[resource] ?? "0", MILLI)
      if ((sum[resource] ?? 0) <= most * (1 + SLACK)) continue
      const key = `${pod.metadata.namespace ?? ""}/${pod.metadata.name ?? ""}`
      report(
        `${key} is bound to ${name}, which has ${most / 1000} of ${resource}; ${(sum[resource] ?? 0) / 1000} are asked`
      )
    }
  }

  return {
    node: (previous, next, atSeconds) => {
      const name = next?.metadata.name ?? previous?.metadata.name ?? ""
      if (next === undefined || previous === undefined) changedAt.delete(name)
      else if (!sameResources(offerOf(previous), offerOf(next))) changedAt.set(name, atSeconds)
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
      const one = { node, taken: takenBy(next) }
      if (previous === undefined || previous.metadata.uid !== uid) {
        unheard.set(uid, { ...one, at: atSeconds })
        return
      }
      take(uid, one)
      check(next, known.node(node), node, one.taken, atSeconds)
    },
    look: (atSeconds) => {
      for (const [uid, { at, node, taken }] of unheard) {
        if (atSeconds - at < KNOWN_AFTER_SECONDS) return
        unheard.delete(uid)
        take(uid, { node, taken })
      }
    }
  }
}
