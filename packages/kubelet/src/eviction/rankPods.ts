import { type Amount, compareQuantity, makeQuantity, type Pod, subtractQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { FilesystemLayout } from "./containerFs.ts"
import { diskParts, diskUsed, requestOf } from "./podUsage.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

export interface RankOptions extends FilesystemLayout {
  /** Gate PodLevelResources. */
  readonly podLevelResources: boolean
}

/** What ranking looks at, worked out once a pod. */
interface Standing {
  readonly pod: Pod
  readonly measured: boolean
  readonly exceedsRequest: boolean
  readonly priority: number
  /** Usage above the request, or processes. */
  readonly excess: Amount
}

type Order = (a: Standing, b: Standing) => number

const trueFirst = (a: boolean, b: boolean): number => Number(b) - Number(a)
const unmeasuredFirst: Order = (a, b) => trueFirst(!a.measured, !b.measured)
const lowPriorityFirst: Order = (a, b) => a.priority - b.priority
const exceedingFirst: Order = (a, b) => trueFirst(a.exceedsRequest, b.exceedsRequest)
const greatestFirst: Order = (a, b) => compareQuantity(b.excess, a.excess)

const compareText = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0)

/** Upstream's sort leaves ties in any order; by name, so that runs repeat. */
const byName: Order = ({ pod: { metadata: a } }, { pod: { metadata: b } }) =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.uid, b.uid)

const pidOrder: ReadonlyArray<Order> = [lowPriorityFirst, unmeasuredFirst, greatestFirst, byName]
const usualOrder: ReadonlyArray<Order> = [unmeasuredFirst, exceedingFirst, lowPriorityFirst, greatestFirst, byName]

const standingOf = (
  pod: Pod,
  usage: PodUsage | undefined,
  signal: EvictionSignal,
  { podLevelResources, ...layout }: RankOptions
): Standing => {
  const { format, resource } = signalFacts[signal]
  const priority = pod.spec.priority ?? 0
  const count = (used: number) => makeQuantity(used, format)
  if (usage === undefined) return { pod, measured: false, exceedsRequest: false, priority, excess: count(0) }
  if (resource === "pids") {
    return { pod, measured: true, exceedsRequest: false, priority, excess: count(usage.processes ?? 0) }
  }
  const used = count(
    resource === "memory" ? (usage.memoryBytes ?? 0) : diskUsed(pod, usage, diskParts(signal, layout), resource)
  )
  // Upstream subtracts the bytes that a pod asked for from its inodes, too.
  const asked = requestOf(pod, resource === "inodes" ? "ephemeral-storage" : resource, podLevelResources)
  const limit = resource === "inodes" ? count(0) : asked
  return {
    pod,
    measured: true,
    exceedsRequest: compareQuantity(used, limit) > 0,
    priority,
    excess: subtractQuantity(used, asked)
  }
}

/**
 * The order in which pods are considered for eviction: those that use more than they asked for, then low priorities, then those
 * that exceed their request by most; where process numbers run out, requests play no part. Pods of which nothing was measured
 * come first. Upstream: pkg/kubelet/eviction/helpers.go rankMemoryPressure, rankPIDPressure, rankDiskPressureFunc.
 */
export const rankPods = (
  signal: EvictionSignal,
  pods: ReadonlyArray<Pod>,
  usageOf: (uid: string) => PodUsage | undefined,
  options: RankOptions
): ReadonlyArray<Pod> => {
  const orders = signal === "pid.available" ? pidOrder : usualOrder
  return pods
    .map((pod) => standingOf(pod, usageOf(pod.metadata.uid ?? ""), signal, options))
    .sort((a, b) => {
      for (const order of orders) {
        const difference = order(a, b)
        if (difference !== 0) return difference
      }
      return 0
    })
    .map(({ pod }) => pod)
}
