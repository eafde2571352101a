import type { Pod, Release } from "@rollcall/api"
import type { Machine } from "../runtime/NodeHost.ts"
import { swapMachineOf } from "./swapAtStart.ts"
import { type SwapBehaviour, type SwapConfig, swapLimitOf } from "./swapLimit.ts"

/** The swap limit of a container, as in its control group. */
export interface ContainerSwapLimit {
  readonly container: string
  readonly behaviour: SwapBehaviour
  /**
   * `memory.swap.max`: bytes, or `max` without a limit. On cgroup v1: `memory.memsw.limit_in_bytes`, memory and swap
   * together.
   */
  readonly limit: string
}

/**
 * Returns the swap limits of all containers of a pod, init containers first. The list is empty on a machine without
 * swap.
 */
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
    const limitBytes = swap.memorySwapLimitBytes
    // On cgroup v1 a value of 0 or less is no limit.
    const limit = swap.memorySwapMax ?? (limitBytes === undefined || limitBytes <= 0 ? "max" : String(limitBytes))
    return { container: container.name, behaviour: swap.behaviour, limit }
  })
}
