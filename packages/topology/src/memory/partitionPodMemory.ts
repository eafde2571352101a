import { isSidecar, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { PodLevelGates } from "../podResources.ts"
import { blocksFor } from "./allocateMemory.ts"
import type { Bytes, MemoryBlock } from "./MachineMemory.ts"
import { containerMemory, podMemory } from "./requests.ts"

const addBytes = (sums: Bytes, bytes: Bytes): Bytes => ({
  ...sums,
  ...Object.fromEntries(Object.entries(bytes).map(([kind, size]) => [kind, (sums[kind] ?? 0) + size]))
})

const subtractBytes = (total: Bytes, taken: Bytes): Bytes =>
  Object.fromEntries(Object.entries(total).map(([kind, size]) => [kind, size - (taken[kind] ?? 0)]))

const isEmpty = (bytes: Bytes): boolean => Object.keys(bytes).length === 0

/** Returns the first kind, by name, for which the predicate is true: a fixed order, so that errors are reproducible. */
const firstKindWhere = (bytes: Bytes, predicate: (kind: string, size: number) => boolean): string | undefined =>
  Object.keys(bytes)
    .sort()
    .find((kind) => predicate(kind, bytes[kind] ?? 0))

/**
 * Returns why a pod cannot be managed at pod level: its containers' exclusive requests leave no memory for those that
 * share the rest. Returns undefined if it can. Upstream: memorymanager/policy_static.go validatePodScopeResources.
 */
export const divisionError = (pod: Pod, gates: PodLevelGates): string | undefined => {
  const whole = podMemory(pod, gates)
  if (Result.isFailure(whole)) return whole.failure
  const total = whole.success
  let exclusive: Bytes = {}
  let hasSharing = false
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const own = containerMemory(pod, container, gates)
    if (Result.isFailure(own)) return own.failure
    const isRegularInit = pod.spec.initContainers?.includes(container) === true && !isSidecar(container)
    if (!isRegularInit) {
      hasSharing ||= isEmpty(own.success)
      exclusive = addBytes(exclusive, own.success)
      continue
    }
    const pool = subtractBytes(total, exclusive)
    if (isEmpty(own.success)) {
      const kind = firstKindWhere(pool, (_, size) => size <= 0)
      if (kind !== undefined) return `pod rejected, pod has shared init containers but no ${kind} available for them`
    } else {
      const kind = firstKindWhere(pool, (name, size) => (own.success[name] ?? 0) > size)
      if (kind !== undefined) {
        return `pod rejected, largest exclusive init container requests ${own.success[kind]} of ${kind}, but only ${pool[kind]} available`
      }
    }
  }
  const exhaustedKind = hasSharing ? firstKindWhere(total, (kind, size) => (exclusive[kind] ?? 0) >= size) : undefined
  return exhaustedKind === undefined
    ? undefined
    : `pod rejected, sum of exclusive container ${exhaustedKind} requests equals pod budget, leaving no memory for shared containers`
}

const nonEmptyBlocks = (bytes: Bytes, nodes: ReadonlyArray<number>): ReadonlyArray<MemoryBlock> =>
  blocksFor(bytes, nodes).filter(({ size }) => size > 0)

/**
 * Returns the blocks of each container: its exclusive memory if it requests some; for other regular init containers all
 * that earlier sidecars leave; and for all others the shared rest. Upstream: policy_static.go AllocatePod.
 */
export const partitionPodMemory = (
  pod: Pod,
  total: Bytes,
  nodes: ReadonlyArray<number>,
  gates: PodLevelGates
): ReadonlyMap<string, ReadonlyArray<MemoryBlock>> => {
  const exclusiveOf = (container: Parameters<typeof containerMemory>[1]) =>
    Result.getOrElse(containerMemory(pod, container, gates), (): Bytes => ({}))
  const parts = new Map<string, ReadonlyArray<MemoryBlock>>()
  const sharing: Array<string> = []
  let shared = total
  for (const container of pod.spec.initContainers ?? []) {
    const own = exclusiveOf(container)
    if (!isSidecar(container)) parts.set(container.name, nonEmptyBlocks(isEmpty(own) ? shared : own, nodes))
    else if (isEmpty(own)) sharing.push(container.name)
    else {
      parts.set(container.name, nonEmptyBlocks(own, nodes))
      shared = subtractBytes(shared, own)
    }
  }
  for (const container of pod.spec.containers) {
    const own = exclusiveOf(container)
    if (isEmpty(own)) sharing.push(container.name)
    else {
      parts.set(container.name, nonEmptyBlocks(own, nodes))
      shared = subtractBytes(shared, own)
    }
  }
  for (const name of sharing) parts.set(name, nonEmptyBlocks(shared, nodes))
  return parts
}
