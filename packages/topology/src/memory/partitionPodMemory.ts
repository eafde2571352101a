import { isSidecar, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { PodLevelGates } from "../podResources.ts"
import { blocksFor } from "./allocateMemory.ts"
import type { Bytes, MemoryBlock } from "./MachineMemory.ts"
import { containerMemory, podMemory } from "./requests.ts"

const plus = (sums: Bytes, bytes: Bytes): Bytes => ({
  ...sums,
  ...Object.fromEntries(Object.entries(bytes).map(([kind, size]) => [kind, (sums[kind] ?? 0) + size]))
})

const minus = (total: Bytes, taken: Bytes): Bytes =>
  Object.fromEntries(Object.entries(total).map(([kind, size]) => [kind, size - (taken[kind] ?? 0)]))

const isNothing = (bytes: Bytes): boolean => Object.keys(bytes).length === 0

/** Kinds in a fixed order, so that the same kind is reported each time. */
const kindWhere = (bytes: Bytes, holds: (kind: string, size: number) => boolean): string | undefined =>
  Object.keys(bytes)
    .sort()
    .find((kind) => holds(kind, bytes[kind] ?? 0))

/**
 * Why a pod cannot be managed at pod level: containers that share the rest would have no memory.
 * Upstream: memorymanager/policy_static.go validatePodScopeResources.
 */
export const divisionError = (pod: Pod, gates: PodLevelGates): string | undefined => {
  const whole = podMemory(pod, gates)
  if (Result.isFailure(whole)) return whole.failure
  const total = whole.success
  let lasting: Bytes = {}
  let someShare = false
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const own = containerMemory(pod, container, gates)
    if (Result.isFailure(own)) return own.failure
    const isOrdinary = pod.spec.initContainers?.includes(container) === true && !isSidecar(container)
    if (!isOrdinary) {
      someShare ||= isNothing(own.success)
      lasting = plus(lasting, own.success)
      continue
    }
    const pool = minus(total, lasting)
    if (isNothing(own.success)) {
      const kind = kindWhere(pool, (_, size) => size <= 0)
      if (kind !== undefined) return `pod rejected, pod has shared init containers but no ${kind} available for them`
    } else {
      const kind = kindWhere(pool, (name, size) => (own.success[name] ?? 0) > size)
      if (kind !== undefined) {
        return `pod rejected, largest exclusive init container requests ${own.success[kind]} of ${kind}, but only ${pool[kind]} available`
      }
    }
  }
  const spent = someShare ? kindWhere(total, (kind, size) => (lasting[kind] ?? 0) >= size) : undefined
  return spent === undefined
    ? undefined
    : `pod rejected, sum of exclusive container ${spent} requests equals pod budget, leaving no memory for shared containers`
}

const blocksAbove0 = (bytes: Bytes, nodes: ReadonlyArray<number>): ReadonlyArray<MemoryBlock> =>
  blocksFor(bytes, nodes).filter(({ size }) => size > 0)

/**
 * The blocks of each container: its own; for a regular init container all that sidecars leave; for others the shared
 * rest. Upstream: policy_static.go AllocatePod.
 */
export const partitionPodMemory = (
  pod: Pod,
  total: Bytes,
  nodes: ReadonlyArray<number>,
  gates: PodLevelGates
): ReadonlyMap<string, ReadonlyArray<MemoryBlock>> => {
  const ownOf = (container: Parameters<typeof containerMemory>[1]) =>
    Result.getOrElse(containerMemory(pod, container, gates), (): Bytes => ({}))
  const divided = new Map<string, ReadonlyArray<MemoryBlock>>()
  const sharing: Array<string> = []
  let left = total
  for (const container of pod.spec.initContainers ?? []) {
    const own = ownOf(container)
    if (!isSidecar(container)) divided.set(container.name, blocksAbove0(isNothing(own) ? left : own, nodes))
    else if (isNothing(own)) sharing.push(container.name)
    else {
      divided.set(container.name, blocksAbove0(own, nodes))
      left = minus(left, own)
    }
  }
  for (const container of pod.spec.containers) {
    const own = ownOf(container)
    if (isNothing(own)) sharing.push(container.name)
    else {
      divided.set(container.name, blocksAbove0(own, nodes))
      left = minus(left, own)
    }
  }
  for (const name of sharing) divided.set(name, blocksAbove0(left, nodes))
  return divided
}
