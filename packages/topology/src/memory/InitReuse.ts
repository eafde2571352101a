import { type Container, isSidecar, type Pod } from "@rollcall/api"
import { maskOf, type NumaMask } from "../masks.ts"
import { isRegularInitContainer } from "../podResources.ts"
import type { MemoryBlock } from "./MachineMemory.ts"
import { nothingReusable, type Reusable } from "./memoryHints.ts"

/**
 * The memory that regular init containers leave to later containers of the pod being admitted; by exact nodes and
 * kind. Upstream: policy_static.go updatePodReusableMemory.
 */
export interface InitReuse {
  readonly of: (podUid: string) => Reusable
  /** Records a container's blocks: a regular init container leaves them, any other uses up reusable memory. */
  readonly note: (pod: Pod, container: Container, blocks: ReadonlyArray<MemoryBlock>) => void
  /** Drops the pod's reusable memory. */
  readonly forget: (podUid: string) => void
}

export const makeInitReuse = (): InitReuse => {
  let heldBy: string | undefined
  let sizes = new Map<NumaMask, Map<string, number>>()
  const sizeOf: Reusable = (mask, kind) => sizes.get(mask)?.get(kind) ?? 0
  const setSize = (mask: NumaMask, kind: string, size: number): void => {
    const held = sizes.get(mask)
    if (held === undefined) sizes.set(mask, new Map([[kind, size]]))
    else held.set(kind, size)
  }
  return {
    forget: (podUid) => {
      if (podUid === heldBy) heldBy = undefined
    },
    of: (podUid) => (podUid === heldBy ? sizeOf : nothingReusable),
    note: (pod, container, blocks) => {
      const uid = pod.metadata.uid ?? ""
      if (uid !== heldBy) {
        heldBy = uid
        sizes = new Map()
      }
      const leaves = isRegularInitContainer(pod, container)
      for (const { numaAffinity, size, type } of blocks) {
        const mask = maskOf(numaAffinity)
        const held = sizeOf(mask, type)
        setSize(mask, type, leaves ? Math.max(held, size) : Math.max(0, held - size))
      }
    }
  }
}

const sameNodes = (a: MemoryBlock, b: MemoryBlock): boolean => maskOf(a.numaAffinity) === maskOf(b.numaAffinity)

/**
 * The blocks of earlier regular init containers, reduced by what a container reuses of them, so that the pod's sum
 * stays right; only blocks that change. Upstream: policy_static.go updateInitContainersMemoryBlocks.
 */
export const shrunkInitBlocks = (
  pod: Pod,
  container: Container,
  blocks: ReadonlyArray<MemoryBlock>,
  heldBy: (containerName: string) => ReadonlyArray<MemoryBlock> | undefined
): ReadonlyMap<string, ReadonlyArray<MemoryBlock>> => {
  const remaining = blocks.map(({ size }) => size)
  const shrunk = new Map<string, ReadonlyArray<MemoryBlock>>()
  for (const init of pod.spec.initContainers ?? []) {
    if (init.name === container.name) break
    if (isSidecar(init)) continue
    const held = heldBy(init.name) ?? []
    const left = held.map((block) => {
      const index = blocks.findIndex((taken) => taken.type === block.type && sameNodes(taken, block))
      const reused = Math.min(block.size, remaining[index] ?? 0)
      if (reused === 0) return block
      remaining[index] = (remaining[index] ?? 0) - reused
      return { ...block, size: block.size - reused }
    })
    if (left.some((block, index) => block !== held[index])) shrunk.set(init.name, left)
  }
  return shrunk
}
