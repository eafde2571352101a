import { type Container, compareQuantity, type Pod, qosClassOf, type Release, signOf, value } from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"
import { isCriticalPod } from "../pod/CriticalPod.ts"

/** The machine's properties that matter for swap. */
export interface SwapMachine {
  readonly memoryBytes: number
  readonly swapBytes: number
  readonly cgroupVersion: 1 | 2
  /** Whether the kernel can limit the swap of a control group. */
  readonly swapController: boolean
}

/** A kubelet's settings for swap. */
export type SwapConfig = Pick<KubeletConfig, "swapBehavior" | "featureGates">

export type SwapBehaviour = "NoSwap" | "LimitedSwap" | "UnlimitedSwap"

/** The swap limit of one container. An unset limit is absent. */
export interface ContainerSwap {
  readonly behaviour: SwapBehaviour
  /** `memory.swap.max` of its control group, version 2. */
  readonly memorySwapMax?: string
  /**
   * Memory and swap together, version 1; equal to the memory limit, so that only usage below it may be swapped. -1: no
   * limit.
   */
  readonly memorySwapLimitBytes?: number
}

const isBehaviour = (name: string): name is SwapBehaviour =>
  name === "NoSwap" || name === "LimitedSwap" || name === "UnlimitedSwap"

/** The effective `memorySwap.swapBehavior` in a release: its default if it is empty or not supported. */
export const swapBehaviourOf = (name: string, { swap }: Release): SwapBehaviour | undefined =>
  isBehaviour(name) && swap.behaviours.includes(name) ? name : swap.defaultBehaviour

const memory = (container: Container, which: "requests" | "limits") => container.resources?.[which]?.memory ?? "0"

/**
 * Returns the share of the machine's swap that equals the container's share of the machine's memory. Upstream:
 * calcSwapForBurstablePods.
 */
const proportionalSwapBytes = (requestBytes: number, { memoryBytes, swapBytes }: SwapMachine): number =>
  memoryBytes <= 0 || requestBytes > memoryBytes ? 0 : Math.trunc((requestBytes / memoryBytes) * swapBytes)

/**
 * Whether LimitedSwap gives a container swap: its pod is Burstable and not critical, and its memory request differs
 * from its memory limit. KEP-2400.
 */
const sharesSwap = (pod: Pod, container: Container, podLevelResources: boolean): boolean => {
  if (isCriticalPod(pod) || qosClassOf(pod, { podLevelResources }) !== "Burstable") return false
  const request = memory(container, "requests")
  const limit = memory(container, "limits")
  return (signOf(request) !== 0 || signOf(limit) !== 0) && compareQuantity(request, limit) !== 0
}

/** Returns the limits with which a container cannot swap. */
const noSwap = (container: Container, { cgroupVersion }: SwapMachine): ContainerSwap =>
  cgroupVersion === 2
    ? { behaviour: "NoSwap", memorySwapMax: "0" }
    : { behaviour: "NoSwap", memorySwapLimitBytes: value(memory(container, "limits")) }

/**
 * The rule of releases before the second beta of swap: LimitedSwap allows swap within the memory limit on cgroup
 * version 1, and no swap on version 2.
 */
const limitByMemoryLimit = (behaviour: SwapBehaviour, container: Container, machine: SwapMachine): ContainerSwap => {
  if (behaviour !== "UnlimitedSwap") return { ...noSwap(container, machine), behaviour }
  return machine.cgroupVersion === 2 ? { behaviour, memorySwapMax: "max" } : { behaviour, memorySwapLimitBytes: -1 }
}

/**
 * The swap limit of a container, init containers included, by the rules of a release. Nothing is set where the kernel
 * cannot limit swap, or the release does not support it.
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go.
 */
export const swapLimitOf = (
  pod: Pod,
  container: Container,
  machine: SwapMachine,
  { featureGates, swapBehavior }: SwapConfig,
  release: Release
): ContainerSwap => {
  const behaviour = swapBehaviourOf(swapBehavior, release)
  if (behaviour === undefined || !machine.swapController) return { behaviour: "NoSwap" }
  if (release.swap.limitedSwap === "memoryLimit") {
    return featureGates.NodeSwap ? limitByMemoryLimit(behaviour, container, machine) : { behaviour: "NoSwap" }
  }
  const limited =
    behaviour === "LimitedSwap" &&
    featureGates.NodeSwap &&
    machine.cgroupVersion === 2 &&
    sharesSwap(pod, container, featureGates.PodLevelResources)
  if (!limited) return noSwap(container, machine)
  const bytes = proportionalSwapBytes(value(memory(container, "requests")), machine)
  return { behaviour: "LimitedSwap", memorySwapMax: String(bytes) }
}
