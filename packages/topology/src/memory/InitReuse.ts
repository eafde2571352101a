import { type Container, isSidecar, type Pod } from "@rollcall/api"
import { maskOf, type NumaMask } from "../masks.ts"
import { isRegularInitContainer } from "../podResources.ts"
import type { MemoryBlock } from "./MachineMemory.ts"
import { nothingReusable, type Reusable } from "./memoryHints.ts"

/**
 * The memory that regular init containers leave to later containers of the pod that is being admitted, by exact set of
 * nodes and kind. Upstream: policy_static.go updatePodReusableMemory.
 */
export interface InitReuse {
  /** Returns the reusable memory of a pod. */
  readonly of: (podUid: string) => Reusable
  /**
   * Records a container's blocks: those of a regular init container become reusable, any other uses up reusable memory.
   */
  readonly note: (pod: Pod, container: Container, blocks: ReadonlyArray<MemoryBlock>) => void
  /** Drops the pod's reusable memory. */
  readonly forget: (podUid: string) => void
}

export const makeInitReuse = (): InitReuse => {
  let ownerUid: string | undefined
  let sizes = new Map<NumaMask, Map<string, number>>()
  const sizeOf: Reusable = (mask, kind) => sizes.get(mask)?.get(kind) ?? 0
  const setSize = (mask: NumaMask, kind: string, size: number): void => {
    const current = sizes.get(mask)
    if (current === undefined) sizes.set(mask, new Map([[kind, size]]))
    else current.set(kind, size)
  }
  return {
    forget: (podUid) => {
      if (podUid === ownerUid) ownerUid = undefined
    },
    of: (podUid) => (podUid === ownerUid ? sizeOf : nothingReusable),
    note: (pod, container, blocks) => {
      const uid = pod.metadata.uid ?? ""
      if (uid !== ownerUid) {
        ownerUid = uid
        sizes = new Map()
      }
      const isLeftToLaterContainers = isRegularInitContainer(pod, container)
      for (const { numaAffinity, size, type } of blocks) {
        const mask = maskOf(numaAffinity)
        const current = sizeOf(mask, type)
        setSize(mask, type, isLeftToLaterContainers ? Math.max(current, size) : Math.max(0, current - size))
      }
    }
  }
}

const sameNodes = (a: MemoryBlock, b: MemoryBlock): boolean => maskOf(a.numaAffinity) === maskOf(b.numaAffinity)

/**
 * Returns the blocks of earlier regular init containers, by name, reduced by what a container reuses of them, so that
 * the sum over the pod stays right. Containers whose blocks do not change are left out. Upstream: policy_static.go
 * updateInitContainersMemoryBlocks.
 */
export const shrunkInitBlocks = (
  pod: Pod,
  container: Container,
  blocks: ReadonlyArray<MemoryBlock>,
  blocksOf: (containerName: string) => ReadonlyArray<MemoryBlock> | undefined
): ReadonlyMap<string, ReadonlyArray<MemoryBlock>> => {
  const remaining = blocks.map(({ size }) => size)
  const changed = new Map<string, ReadonlyArray<MemoryBlock>>()
  for (const init of pod.spec.initContainers ?? []) {
    if (init.name === container.name) break
    if (isSidecar(init)) continue
    const current = blocksOf(init.name) ?? []
    const reduced = current.map((block) => {
      const index = blocks.findIndex((taken) => taken.type === block.type && sameNodes(taken, block))
      const reused = Math.min(block.size, remaining[index] ?? 0)
      if (reused === 0) return block
      remaining[index] = (remaining[index] ?? 0) - reused
      return { ...block, size: block.size - reused }
    })
    if (reduced.some((block, index) => block !== current[index])) changed.set(init.name, reduced)
  }
  return changed
}
