import type { Pod } from "@rollcall/api"
import { podSwap } from "../swap/podSwap.ts"
import type { SwapStats } from "./Summary.ts"
import { machineTime, type SummarySource } from "./SummarySource.ts"

/** Upstream: pkg/kubelet/stats/helper.go cadvisorInfoToSwapStats. */
const statsOf = (time: string, limit: number | undefined, used: number | undefined): SwapStats => ({
  time,
  ...(limit === undefined || used === undefined ? {} : { swapAvailableBytes: Math.max(0, limit - used) }),
  ...(used === undefined ? {} : { swapUsageBytes: used })
})

/** Whether the release reports swap in its stats. It does not on Windows. */
const includesSwap = ({ machine, release }: SummarySource): boolean =>
  release.swap.inStats && machine.operatingSystem !== "windows"

/** Returns the usage of the machine's swap and what is available, or undefined if the release does not report swap. */
export const nodeSwapStats = (source: SummarySource): SwapStats | undefined => {
  const { machine, nowMs, readings } = source
  if (!includesSwap(source)) return undefined
  const { swapBytes = 0 } = machine
  const used = swapBytes === 0 ? 0 : readings?.swapUsedBytes
  return statsOf(machineTime(source, nowMs), swapBytes, used === undefined ? undefined : Math.min(used, swapBytes))
}

/**
 * The swap of each container of a pod: its limit, which `podSwap` computes, less its usage. On a machine that has
 * swapped nothing out no container has any; otherwise that of a container is known if its pod's usage has it, and is no
 * more than its limit.
 */
export const containerSwapStats = (source: SummarySource, pod: Pod): ((container: string) => SwapStats | undefined) => {
  if (!includesSwap(source)) return () => undefined
  const { config, machine, nowMs, readings, release } = source
  const time = machineTime(source, nowMs)
  const usages = readings?.podUsage(pod.metadata.uid ?? "")?.containers
  const limits = new Map(podSwap(pod, machine, config, release).map(({ container, limit }) => [container, limit]))
  return (container) => {
    // Without swap on the machine there are no limits, and the usage is 0.
    const text = limits.get(container) ?? "0"
    const limit = text === "max" ? undefined : Number(text)
    if (limit === 0 || readings?.swapUsedBytes === 0) return statsOf(time, limit, 0)
    const used = usages?.[container]?.swapBytes
    return statsOf(time, limit, used === undefined ? undefined : Math.min(used, limit ?? used))
  }
}

/** A kubelet sets no swap limit for a pod as a whole: only its usage is reported. */
export const podSwapStats = (containers: ReadonlyArray<SwapStats | undefined>): SwapStats | undefined => {
  const [first] = containers
  if (first === undefined) return undefined
  const used = containers.reduce<number | undefined>(
    (sum, swap) => (sum === undefined || swap?.swapUsageBytes === undefined ? undefined : sum + swap.swapUsageBytes),
    0
  )
  return statsOf(first.time, undefined, used)
}
