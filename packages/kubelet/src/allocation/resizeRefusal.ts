import { type Container, compareQuantity, type Pod, qosClassOf, type Release } from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import { swapMachineOf } from "../swap/swapAtStart.ts"
import { swapLimitOf } from "../swap/swapLimit.ts"
import { resizableContainers } from "./Allocation.ts"

/** Why a node can never grant a resize. */
export interface InfeasibleResize {
  readonly message: string
  /** The value of `reason_detail` in the metric `kubelet_pod_infeasible_resizes_total`. */
  readonly detail: string
}

const requestOf = (container: Container | undefined, name: "cpu" | "memory") =>
  container?.resources?.requests?.[name] ?? "0"

const allContainers = ({ spec }: Pod): ReadonlyArray<Container> => [...spec.containers, ...(spec.initContainers ?? [])]

const changesRequest = (container: Container, allocated: Container | undefined, name: "cpu" | "memory"): boolean =>
  compareQuantity(requestOf(container, name), requestOf(allocated, name)) !== 0

const restartsForMemory = ({ resizePolicy = [] }: Container): boolean =>
  resizePolicy.find(({ resourceName }) => resourceName === "memory")?.restartPolicy === "RestartContainer"

/** Whether the memory of a container changes that may swap, and that is not restarted for it. */
const resizesSwap = (pod: Pod, allocated: Pod, machine: Machine, config: KubeletConfig, release: Release): boolean => {
  const swapMachine = swapMachineOf(machine)
  const swaps = (of: Pod, container: Container) =>
    swapLimitOf(of, container, swapMachine, config, release).behaviour !== "NoSwap"
  return allContainers(pod).some((container) => {
    const before = allContainers(allocated).find(({ name }) => name === container.name)
    if (before === undefined || !changesRequest(container, before, "memory") || restartsForMemory(before)) return false
    return swaps(pod, container) || swaps(allocated, before)
  })
}

/**
 * Returns why the node can never grant the resize of a pod, or undefined if it may. `allocated` is the pod with what it
 * was granted. Upstream: pkg/kubelet/allocation/handlers.go.
 */
export const infeasibleResize = (
  pod: Pod,
  allocated: Pod,
  machine: Machine,
  config: KubeletConfig,
  release: Release
): InfeasibleResize | undefined => {
  if (resizesSwap(pod, allocated, machine, config, release)) {
    return { message: "In-place resize of containers with swap is not supported.", detail: "swap_limitation" }
  }
  if (qosClassOf(pod) !== "Guaranteed") return undefined
  const changes = (name: "cpu" | "memory") =>
    resizableContainers(pod, config.featureGates).some((container) =>
      changesRequest(
        container,
        allContainers(allocated).find((each) => each.name === container.name),
        name
      )
    )
  const refusal = (manager: "CPU" | "Memory", policy: string): InfeasibleResize => ({
    message: `Resize is infeasible for Guaranteed Pods alongside ${manager} Manager policy "${policy}"`,
    detail: `guaranteed_pod_${manager.toLowerCase()}_manager_static_policy`
  })
  if (config.cpuManagerPolicy === "static" && changes("cpu")) return refusal("CPU", "static")
  return config.memoryManagerPolicy === "Static" && changes("memory") ? refusal("Memory", "Static") : undefined
}
