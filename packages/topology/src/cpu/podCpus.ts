import { isSidecar, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AllocateFailure } from "../hints.ts"
import type { PodLevelGates } from "../podResources.ts"
import type { CpuSet } from "./CpuSet.ts"
import { exclusiveCpus, podExclusiveCpus } from "./exclusiveCpus.ts"
import type { StaticPolicy } from "./StaticPolicy.ts"
import { selectCpus } from "./selection/selectCpus.ts"

/**
 * Returns why a pod cannot be managed at pod level: its containers' exclusive CPUs leave none to those that share the
 * rest. Returns undefined if it can. Upstream: policy_static.go validatePodScopeResources. KEP-5526.
 */
export const podShareFault = (pod: Pod, gates: PodLevelGates): string | undefined => {
  const budget = podExclusiveCpus(pod, gates)
  let exclusive = 0
  let hasSharing = false
  for (const container of pod.spec.initContainers ?? []) {
    const cpus = exclusiveCpus(pod, container, gates)
    if (isSidecar(container)) {
      exclusive += cpus
      if (cpus === 0) hasSharing = true
    } else if (cpus > 0 && cpus > budget - exclusive) {
      const available = budget - exclusive
      return `pod rejected, largest exclusive init container requests ${cpus} cpus, but only ${available} available`
    } else if (exclusive >= budget) {
      return "pod rejected, pod has shared init containers but no cpus available for them"
    }
  }
  for (const container of pod.spec.containers) {
    const cpus = exclusiveCpus(pod, container, gates)
    exclusive += cpus
    if (cpus === 0) hasSharing = true
  }
  if (!hasSharing || exclusive < budget) return undefined
  return "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers"
}

/**
 * Divides a pod's CPUs among its containers: sidecars and regular containers get exclusive ones, an init container that
 * ends may use all but those of earlier sidecars, and containers without exclusive CPUs share the rest. Upstream:
 * policy_static.go AllocatePod.
 */
export const partitionPodCpus = (
  { options, topology }: StaticPolicy,
  pod: Pod,
  cpus: CpuSet,
  gates: PodLevelGates
): Result.Result<ReadonlyMap<string, CpuSet>, AllocateFailure> => {
  const parts = new Map<string, CpuSet>()
  let shared = cpus
  for (const container of pod.spec.initContainers ?? []) {
    const wanted = exclusiveCpus(pod, container, gates)
    const part = wanted === 0 ? Result.succeed(shared) : selectCpus(topology, shared, wanted, options)
    if (Result.isFailure(part)) return Result.fail(part.failure)
    if (!isSidecar(container)) parts.set(container.name, part.success)
    else if (wanted > 0) {
      parts.set(container.name, part.success)
      shared = shared.difference(part.success)
    }
  }
  for (const container of pod.spec.containers) {
    const wanted = exclusiveCpus(pod, container, gates)
    if (wanted === 0) continue
    const part = selectCpus(topology, shared, wanted, options)
    if (Result.isFailure(part)) return Result.fail(part.failure)
    parts.set(container.name, part.success)
    shared = shared.difference(part.success)
  }
  for (const { name } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    if (!parts.has(name)) parts.set(name, shared)
  }
  return Result.succeed(parts)
}
