import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { MachineMemory, NodeMemory, TopologyHint } from "../../src/index.ts"
import { blocksFor } from "../../src/memory/allocateMemory.ts"
import { bestHint, haveFree, hintsAround, memoryHints, violatesNumaGroups } from "../../src/memory/memoryHints.ts"
import { allocateMemory, type Bytes, maskIds, maskOf, memoryHintLists, type Reusable } from "../../src/rules.ts"

interface Node {
  readonly of: number
  readonly free?: number
  /** Serves this group of nodes. */
  readonly group?: ReadonlyArray<number>
  readonly pages?: number
}

/** Nodes with so many bytes of memory and of huge pages; those in a group are used. */
const machineOf = (...nodes: ReadonlyArray<Node>): MachineMemory =>
  Object.fromEntries(
    nodes.map(({ free, group, of, pages = 0 }, id): [number, NodeMemory] => {
      const table = (size: number, left: number) => ({
        total: size,
        systemReserved: 0,
        allocatable: size,
        reserved: size - left,
        free: left
      })
      return [
        id,
        {
          numberOfAssignments: group === undefined ? 0 : 1,
          memoryMap: { memory: table(of, free ?? of), "hugepages-2Mi": table(pages, pages) },
          cells: group ?? [id]
        }
      ]
    })
  )

const hintTexts = (hints: ReadonlyArray<TopologyHint>) =>
  hints.map(({ mask, preferred }) => `${maskIds(mask ?? 0n).join("+")}${preferred ? "!" : ""}`)
const hintsOf = (memory: MachineMemory, requested: Bytes, reusable?: Reusable) =>
  hintTexts(memoryHints(memory, requested, reusable))
const hint = (preferred: boolean, ...ids: ReadonlyArray<number>): TopologyHint => ({ mask: maskOf(ids), preferred })

describe("the hints for memory", () => {
  it("name all sets of nodes with enough free memory; the smallest are preferred", () => {
    const machine = machineOf({ of: 10 }, { of: 10 }, { of: 4 })
    assert.deepStrictEqual(hintsOf(machine, { memory: 5 }), ["0!", "1!", "0+1", "0+2", "1+2", "0+1+2"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 10 }), ["0!", "1!", "0+1", "0+2", "1+2", "0+1+2"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 15 }), ["0+1!", "0+1+2"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 24 }), ["0+1+2!"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 25 }), [])
  })

  it("prefer the size that an empty machine would need", () => {
    const half = machineOf({ of: 10, free: 4 }, { of: 10, free: 4 })
    assert.deepStrictEqual(hintsOf(half, { memory: 8 }), ["0+1"])
  })

  it("require enough of every memory type", () => {
    const machine = machineOf({ of: 10 }, { of: 10, pages: 4 })
    assert.deepStrictEqual(hintsOf(machine, { memory: 5, "hugepages-2Mi": 2 }), ["1!", "0+1"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 5, "hugepages-1Gi": 2 }), [])
    // One node would do for the huge pages, but not for the memory.
    assert.deepStrictEqual(hintsOf(machine, { memory: 15, "hugepages-2Mi": 2 }), ["0+1!"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 5, "hugepages-1Gi": 0 }), ["0!", "1!", "0+1"])
  })

  it("exclude single nodes that serve a group, and groups with a node that serves another", () => {
    const grouped = machineOf({ of: 10, group: [0, 1] }, { of: 10, group: [0, 1] }, { of: 10 })
    assert.deepStrictEqual(hintsOf(grouped, { memory: 1 }), ["2!", "0+1"])
    const alone = machineOf({ of: 10, group: [0] }, { of: 10 }, { of: 10 })
    assert.deepStrictEqual(hintsOf(alone, { memory: 1 }), ["0!", "1!", "2!", "1+2"])
    assert.isFalse(violatesNumaGroups(grouped, [0]))
    assert.isFalse(violatesNumaGroups(grouped, [0, 1]))
    assert.isTrue(violatesNumaGroups(grouped, [0, 1, 2]))
    assert.isTrue(violatesNumaGroups(grouped, [0, 2]))
    assert.isTrue(violatesNumaGroups(machineOf({ of: 1, group: [0, 2] }, { of: 1 }, { of: 1, group: [0, 2] }), [0, 1]))
    assert.isFalse(violatesNumaGroups(machineOf({ of: 1 }, { of: 1 }), [0, 1]))
    assert.isFalse(violatesNumaGroups(machineOf({ of: 1 }), [0, 5]))
  })

  it("count reusable memory on exactly the same nodes", () => {
    const machine = machineOf({ of: 10, free: 2, group: [0] }, { of: 10, free: 2, group: [1] })
    const left: Reusable = (mask, kind) => (mask === maskOf([0]) && kind === "memory" ? 3 : 0)
    assert.deepStrictEqual(hintsOf(machine, { memory: 5 }, left), ["0!"])
    assert.deepStrictEqual(hintsOf(machine, { memory: 6 }, left), [])
  })

  it("are the same for every memory type, and absent if it fits nowhere", () => {
    const machine = machineOf({ of: 10, pages: 4 })
    const both = [{ mask: 1n, preferred: true }]
    const nothing = () => 0
    assert.deepStrictEqual(memoryHintLists(machine, { memory: 5, "hugepages-2Mi": 4 }, nothing), {
      memory: both,
      "hugepages-2Mi": both
    })
    assert.deepStrictEqual(memoryHintLists(machine, { memory: 5, "hugepages-2Mi": 5 }, nothing), {})
  })

  it("are ordered by preference, then by the number of nodes, then by IDs", () => {
    assert.isUndefined(bestHint([]))
    assert.deepStrictEqual(bestHint([hint(false, 0), hint(true, 0, 1), hint(false, 1)]), hint(true, 0, 1))
    assert.deepStrictEqual(bestHint([hint(true, 0, 1), hint(false, 0)]), hint(true, 0, 1))
    assert.deepStrictEqual(bestHint([hint(true, 0, 1), hint(true, 2), hint(true, 1)]), hint(true, 1))
    assert.deepStrictEqual(bestHint([hint(true, 1), hint(true, 2)]), hint(true, 1))
    const hints = [hint(true, 1), hint(false, 0, 1), { mask: undefined, preferred: true }, hint(false, 1, 2)]
    assert.deepStrictEqual(hintsAround(hints, maskOf([1])), [hint(true, 1), hint(false, 0, 1), hint(false, 1, 2)])
    assert.deepStrictEqual(hintsAround(hints, maskOf([0])), [hint(false, 0, 1)])
  })

  it("count the free memory of all their nodes together", () => {
    const machine = machineOf({ of: 10, free: 3 }, { of: 10, free: 2, pages: 1 })
    assert.isTrue(haveFree(machine, [0, 1], { memory: 5, "hugepages-2Mi": 1 }))
    assert.isFalse(haveFree(machine, [0, 1], { memory: 6 }))
    assert.isFalse(haveFree(machine, [0], { memory: 3, "hugepages-2Mi": 1 }))
  })
})

describe("an allocation of memory", () => {
  const anywhere: TopologyHint = { mask: undefined, preferred: false }
  const served = (memory: MachineMemory, stored: TopologyHint, requested: Bytes, reusable?: Reusable) => {
    const result = allocateMemory(memory, stored, requested, reusable)
    return Result.isFailure(result)
      ? result.failure
      : {
          nodes: result.success.blocks.map(({ numaAffinity }) => numaAffinity),
          free: Object.values(result.success.memory).map(({ memoryMap }) => memoryMap.memory?.free)
        }
  }
  const machine = machineOf({ of: 10 }, { of: 10 }, { of: 10 })

  it("is a block for each memory type, by name", () => {
    assert.deepStrictEqual(blocksFor({ memory: 5, "hugepages-2Mi": 2 }, [1]), [
      { numaAffinity: [1], type: "hugepages-2Mi", size: 2 },
      { numaAffinity: [1], type: "memory", size: 5 }
    ])
  })

  it("comes from the nodes of the merged hint, or of the manager's best hint without one", () => {
    assert.deepStrictEqual(served(machine, hint(true, 1), { memory: 5 }), { nodes: [[1]], free: [10, 5, 10] })
    assert.deepStrictEqual(served(machine, anywhere, { memory: 5 }), { nodes: [[0]], free: [5, 10, 10] })
    assert.deepStrictEqual(served(machine, anywhere, { memory: 15 }), { nodes: [[0, 1]], free: [0, 5, 10] })
  })

  it("extends the hint's nodes if they have too little free memory", () => {
    const used = machineOf({ of: 10 }, { of: 10 }, { of: 10, free: 4 })
    assert.deepStrictEqual(served(used, hint(false, 2), { memory: 5 }), { nodes: [[0, 2]], free: [5, 10, 4] })
    assert.strictEqual(
      served(used, hint(true, 2), { memory: 5 }),
      "[memorymanager] failed to find the extended preferred hint"
    )
    assert.strictEqual(
      served(used, hint(false, 2), { memory: 25 }),
      "[memorymanager] failed to find NUMA nodes to extend the current topology hint"
    )
  })

  it("fails if nothing fits, or if the hint was preferred and no preferred allocation fits", () => {
    assert.strictEqual(
      served(machine, anywhere, { memory: 31 }),
      "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"
    )
    const half = machineOf({ of: 10, free: 4 }, { of: 10, free: 4 })
    assert.strictEqual(
      served(half, { mask: undefined, preferred: true }, { memory: 8 }),
      "[memorymanager] failed to find the default preferred hint"
    )
    assert.deepStrictEqual(served(half, anywhere, { memory: 8 }), { nodes: [[0, 1]], free: [0, 0] })
    assert.deepStrictEqual(served(machine, { mask: undefined, preferred: true }, { memory: 8 }), {
      nodes: [[0]],
      free: [2, 10, 10]
    })
  })

  it("fails where the hint's nodes serve other groups", () => {
    const grouped = machineOf({ of: 10, group: [0, 1] }, { of: 10, group: [0, 1] }, { of: 10 })
    assert.strictEqual(
      served(grouped, hint(true, 1, 2), { memory: 5 }),
      "[memorymanager] preferred hint violates NUMA node allocation"
    )
  })

  it("does not allocate reusable memory again", () => {
    const left: Reusable = (mask, kind) => (mask === maskOf([1]) && kind === "memory" ? 3 : 0)
    assert.deepStrictEqual(served(machine, hint(true, 1), { memory: 5 }, left), { nodes: [[1]], free: [10, 8, 10] })
    assert.deepStrictEqual(served(machine, hint(true, 1), { memory: 2 }, left), { nodes: [[1]], free: [10, 10, 10] })
  })
})
