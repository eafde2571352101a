import { type Amount, compareQuantity, makeQuantity, type Pod, subtractQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { FilesystemLayout } from "./containerFs.ts"
import { diskParts, diskUsed, requestOf } from "./podUsage.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** What rankings depend on besides the pods. */
export interface RankOptions extends FilesystemLayout {
  /** Gate PodLevelResources. */
  readonly podLevelResources: boolean
}

/** The sort keys of a pod, computed once. */
interface SortKeys {
  readonly pod: Pod
  /** Whether the pod's usage is known. */
  readonly measured: boolean
  readonly exceedsRequest: boolean
  readonly priority: number
  /** Usage above the request, or the number of processes. */
  readonly excess: Amount
}

type Order = (a: SortKeys, b: SortKeys) => number

const trueFirst = (a: boolean, b: boolean): number => Number(b) - Number(a)
const unmeasuredFirst: Order = (a, b) => trueFirst(!a.measured, !b.measured)
const lowPriorityFirst: Order = (a, b) => a.priority - b.priority
const exceedingFirst: Order = (a, b) => trueFirst(a.exceedsRequest, b.exceedsRequest)
const greatestFirst: Order = (a, b) => compareQuantity(b.excess, a.excess)

const compareText = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0)

/** Orders ties, which upstream leaves to chance, by name, so that runs are reproducible. */
const byName: Order = ({ pod: { metadata: a } }, { pod: { metadata: b } }) =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.uid, b.uid)

const pidOrder: ReadonlyArray<Order> = [lowPriorityFirst, unmeasuredFirst, greatestFirst, byName]
const usualOrder: ReadonlyArray<Order> = [unmeasuredFirst, exceedingFirst, lowPriorityFirst, greatestFirst, byName]

const sortKeysOf = (
  pod: Pod,
  usage: PodUsage | undefined,
  signal: EvictionSignal,
  { podLevelResources, ...layout }: RankOptions
): SortKeys => {
  const { format, resource } = signalFacts[signal]
  const priority = pod.spec.priority ?? 0
  const quantityOf = (used: number) => makeQuantity(used, format)
  if (usage === undefined) return { pod, measured: false, exceedsRequest: false, priority, excess: quantityOf(0) }
  if (resource === "pids") {
    return { pod, measured: true, exceedsRequest: false, priority, excess: quantityOf(usage.processes ?? 0) }
  }
  const used = quantityOf(
    resource === "memory" ? (usage.memoryBytes ?? 0) : diskUsed(pod, usage, diskParts(signal, layout), resource)
  )
  // Upstream subtracts the requested bytes from the inodes, too.
  const requested = requestOf(pod, resource === "inodes" ? "ephemeral-storage" : resource, podLevelResources)
  const limit = resource === "inodes" ? quantityOf(0) : requested
  return {
    pod,
    measured: true,
    exceedsRequest: compareQuantity(used, limit) > 0,
    priority,
    excess: subtractQuantity(used, requested)
  }
}

/**
 * Returns the pods in the order in which they are evicted: those without measurements first, then those above their
 * request, then low priorities, then the largest excess. For process numbers the order is low priorities, those without
 * measurements, and then the most processes. Upstream: pkg/kubelet/eviction/helpers.go rankMemoryPressure,
 * rankPIDPressure, rankDiskPressureFunc.
 */
export const rankPods = (
  signal: EvictionSignal,
  pods: ReadonlyArray<Pod>,
  usageOf: (uid: string) => PodUsage | undefined,
  options: RankOptions
): ReadonlyArray<Pod> => {
  const orders = signal === "pid.available" ? pidOrder : usualOrder
  return pods
    .map((pod) => sortKeysOf(pod, usageOf(pod.metadata.uid ?? ""), signal, options))
    .sort((a, b) => {
      for (const order of orders) {
        const difference = order(a, b)
        if (difference !== 0) return difference
      }
      return 0
    })
    .map(({ pod }) => pod)
}
