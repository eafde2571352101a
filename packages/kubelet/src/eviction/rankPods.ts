import { type Amount, compareQuantity, makeQuantity, type Pod, subtractQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { FilesystemLayout } from "./containerFs.ts"
import { diskParts, diskUsed, requestOf } from "./podUsage.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

export interface RankOptions extends FilesystemLayout {
  /** Gate PodLevelResources. */
  readonly podLevelResources: boolean
}

/** The sort keys of a pod, computed once. */
interface Standing {
  readonly pod: Pod
  readonly measured: boolean
  readonly exceedsRequest: boolean
  readonly priority: number
  /** Usage above the request, or the number of processes. */
  readonly excess: Amount
}

type Order = (a: Standing, b: Standing) => number

const trueFirst = (a: boolean, b: boolean): number => Number(b) - Number(a)
const unmeasuredFirst: Order = (a, b) => trueFirst(!a.measured, !b.measured)
const lowPriorityFirst: Order = (a, b) => a.priority - b.priority
const exceedingFirst: Order = (a, b) => trueFirst(a.exceedsRequest, b.exceedsRequest)
const greatestFirst: Order = (a, b) => compareQuantity(b.excess, a.excess)

const compareText = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0)

/** Upstream's sort leaves ties undefined; by name, so that runs are reproducible. */
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
  // Upstream subtracts the requested bytes from the inodes, too.
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
 * Orders pods for eviction: those above their request first, then low priorities, then the largest excess; for process
 * numbers requests do not count. Pods without measurements come first. Upstream: pkg/kubelet/eviction/helpers.go
 * rankMemoryPressure, rankPIDPressure, rankDiskPressureFunc.
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
