import type { Pod } from "@rollcall/api"
import { podSwap } from "../swap/podSwap.ts"
import type { SwapStats } from "./Summary.ts"
import { type SummarySource, timeOf } from "./SummarySource.ts"

/** Upstream: pkg/kubelet/stats/helper.go cadvisorInfoToSwapStats. */
const statsOf = (time: string, limit: number | undefined, used: number | undefined): SwapStats => ({
  time,
  ...(limit === undefined || used === undefined ? {} : { swapAvailableBytes: Math.max(0, limit - used) }),
  ...(used === undefined ? {} : { swapUsageBytes: used })
})

/** Stats know swap since a release, and of other systems than Windows. */
const isTold = ({ machine, release }: SummarySource): boolean =>
  release.swap.inStats && machine.operatingSystem !== "windows"

/** The machine's swap: all that it has, and what is in use. */
export const nodeSwapStats = (source: SummarySource): SwapStats | undefined => {
  const { machine, nowMs, readings } = source
  if (!isTold(source)) return undefined
  const { swapBytes = 0 } = machine
  return statsOf(timeOf(source, nowMs), swapBytes, swapBytes === 0 ? 0 : readings?.swapUsedBytes)
}

/**
 * The swap of each container of a pod: its limit, which `podSwap` works out, less what it uses. Of a machine that has swapped
 * nothing out no container has; else the share of one is not known.
 */
export const containerSwapStats = (source: SummarySource, pod: Pod): ((container: string) => SwapStats | undefined) => {
  if (!isTold(source)) return () => undefined
  const { config, machine, nowMs, readings, release } = source
  const time = timeOf(source, nowMs)
  const limits = new Map(podSwap(pod, machine, config, release).map(({ container, limit }) => [container, limit]))
  return (container) => {
    // Where the machine has no swap, nothing limits it and there is none.
    const text = limits.get(container) ?? "0"
    const limit = text === "max" ? undefined : Number(text)
    return statsOf(time, limit, limit === 0 || readings?.swapUsedBytes === 0 ? 0 : undefined)
  }
}

/** A kubelet sets no limit of swap for a pod as a whole: only what it uses is told. */
export const podSwapStats = (containers: ReadonlyArray<SwapStats | undefined>): SwapStats | undefined => {
  const [first] = containers
  if (first === undefined) return undefined
  const used = containers.reduce<number | undefined>(
    (sum, swap) => (sum === undefined || swap?.swapUsageBytes === undefined ? undefined : sum + swap.swapUsageBytes),
    0
  )
  return statsOf(first.time, undefined, used)
}
