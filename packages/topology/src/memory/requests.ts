import {
  type Container,
  compareQuantity,
  isSidecar,
  makeQuantity,
  type Pod,
  type ResourceList,
  value
} from "@rollcall/api"
import * as Result from "effect/Result"
import { isContainerGuaranteed, isManagedAtPodLevel, type PodLevelGates } from "../podResources.ts"
import type { Bytes } from "./MachineMemory.ts"

/** Whether a resource is a kind of memory that the manager handles. */
export const isMemoryKind = (name: string): boolean => name === "memory" || name.startsWith("hugepages-")

const bytesOf = (list: ResourceList | undefined): Result.Result<Bytes, string> => {
  const bytes: Record<string, number> = {}
  for (const [name, quantity] of Object.entries(list ?? {})) {
    if (!isMemoryKind(name)) continue
    const whole = value(quantity)
    if (compareQuantity(quantity, makeQuantity(whole)) !== 0) {
      return Result.fail("[memorymanager] failed to represent quantity as int64")
    }
    bytes[name] = whole
  }
  return Result.succeed(bytes)
}

const noRequest: Result.Result<Bytes, string> = Result.succeed({})

/**
 * Returns a container's request. In a pod that is managed at pod level it counts only if the container is Guaranteed.
 */
export const containerMemory = (pod: Pod, container: Container, gates: PodLevelGates): Result.Result<Bytes, string> =>
  isManagedAtPodLevel(pod, gates) && !isContainerGuaranteed(container)
    ? noRequest
    : bytesOf(container.resources?.requests)

const addTo = (sums: Record<string, number>, bytes: Bytes): void => {
  for (const [kind, size] of Object.entries(bytes)) sums[kind] = (sums[kind] ?? 0) + size
}

/**
 * Returns the peak request of all containers, for the kinds that a regular container requests; for a pod that is
 * managed at pod level the pod's own request. Upstream: memorymanager/policy_static.go getPodRequestedResources.
 */
export const podMemory = (pod: Pod, gates: PodLevelGates): Result.Result<Bytes, string> => {
  if (isManagedAtPodLevel(pod, gates)) {
    return Result.map(bytesOf(pod.spec.resources?.requests), (bytes) =>
      Object.fromEntries(Object.entries(bytes).filter(([, size]) => size > 0))
    )
  }
  const sidecars: Record<string, number> = {}
  const peaks: Record<string, number> = {}
  for (const container of pod.spec.initContainers ?? []) {
    const bytes = bytesOf(container.resources?.requests)
    if (Result.isFailure(bytes)) return bytes
    if (isSidecar(container)) addTo(sidecars, bytes.success)
    else {
      for (const [kind, size] of Object.entries(bytes.success)) {
        peaks[kind] = Math.max(peaks[kind] ?? 0, (sidecars[kind] ?? 0) + size)
      }
    }
  }
  const regular: Record<string, number> = {}
  for (const container of pod.spec.containers) {
    const bytes = bytesOf(container.resources?.requests)
    if (Result.isFailure(bytes)) return bytes
    addTo(regular, bytes.success)
  }
  const total: Record<string, number> = {}
  for (const [kind, size] of Object.entries(regular)) {
    total[kind] = Math.max(size + (sidecars[kind] ?? 0), peaks[kind] ?? 0)
  }
  return Result.succeed(total)
}
