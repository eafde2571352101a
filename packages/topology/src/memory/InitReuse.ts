import { type Container, isSidecar, type Pod } from "@rollcall/api"
import { maskOf, type NumaMask } from "../masks.ts"
import { isOrdinaryInit } from "../podResources.ts"
import type { MemoryBlock } from "./MachineMemory.ts"
import { nothingReusable, type Reusable } from "./memoryHints.ts"

/**
 * What ordinary init containers leave to those after them, of the pod that is being admitted; by exact nodes and kind. Upstream:
 * policy_static.go updatePodReusableMemory.
 */
export interface InitReuse {
  readonly of: (podUid: string) => Reusable
  /** A container got these blocks: an ordinary init container leaves them, any other uses up what there is. */
  readonly note: (pod: Pod, container: Container, blocks: ReadonlyArray<MemoryBlock>) => void
  /** What the pod held is given back. */
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
      const leaves = isOrdinaryInit(pod, container)
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
 * The blocks of earlier ordinary init containers, smaller by what a container reuses of them, so that the sum over the pod stays what it
 * takes; only those that change. Upstream: policy_static.go updateInitContainersMemoryBlocks.
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
