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

const takenBy = (pod: Pod, sum: typeof podRequests): Taken => {
  const taken: Record<string, number> = { pods: 1000 }
  for (const [name, amount] of Object.entries(sum(pod))) taken[name] = scaledValue(amount, MILLI)
  return taken
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
  const offerOf = (node: Node | undefined) => (byLimits ? node?.status?.capacity : node?.status?.allocatable)
  const placed = new Map<string, Placed>()
  const sums = new Map<string, Record<string, number>>()
  const changedAt = new Map<string, number>()
  let unheard: Array<Placed & { readonly uid: string; readonly at: number }> = []

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
    else if (unheard.length > 0) unheard = unheard.filter((other) => other.uid !== uid)
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
      if (next === undefined) changedAt.delete(name)
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
      const one = { node, taken: takenBy(next, byLimits ? podLimits : podRequests) }
      if (previous === undefined || previous.metadata.uid !== uid) {
        unheard.push({ ...one, uid, at: atSeconds })
        return
      }
      take(uid, one)
      check(next, known.node(node), node, one.taken, atSeconds)
    },
    look: (atSeconds) => {
      const heard = unheard.filter(({ at }) => atSeconds - at >= KNOWN_AFTER_SECONDS)
      if (heard.length === 0) return
      unheard = unheard.filter(({ at }) => atSeconds - at < KNOWN_AFTER_SECONDS)
      for (const { node, taken, uid } of heard) take(uid, { node, taken })
    }
  }
}
