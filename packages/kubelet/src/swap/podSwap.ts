import type { Pod, Release } from "@rollcall/api"
import type { Machine } from "../runtime/NodeHost.ts"
import { swapMachineOf } from "./swapAtStart.ts"
import { type SwapBehaviour, type SwapConfig, swapLimitOf } from "./swapLimit.ts"

/** What a container of a pod may swap, as its control group says it. */
export interface ContainerSwapLimit {
  readonly container: string
  readonly behaviour: SwapBehaviour
  /** `memory.swap.max`: bytes, or `max` where nothing limits it. On cgroup v1: `memory.memsw.limit_in_bytes`, memory and swap together. */
  readonly limit: string
}

/** The limits of all containers of a pod, init containers first; none on a machine without swap. */
export const podSwap = (
  pod: Pod,
  machine: Machine,
  config: SwapConfig,
  release: Release
): ReadonlyArray<ContainerSwapLimit> => {
  const swapMachine = swapMachineOf(machine)
  if (swapMachine.swapBytes === 0) return []
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((container) => {
    const swap = swapLimitOf(pod, container, swapMachine, config, release)
    const together = swap.memorySwapLimitBytes
    // On cgroup v1 neither 0 nor less is a limit.
    const limit = swap.memorySwapMax ?? (together === undefined || together <= 0 ? "max" : String(together))
    return { container: container.name, behaviour: swap.behaviour, limit }
  })
}
