import { assert, describe, it } from "@effect/vitest"
import { isMemoryChecksum, memoryChecksum, type SavedMemory } from "../../src/memory/memoryChecksum.ts"

const block = { numaAffinity: [0], type: "memory", size: 512 }
const table = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 }
const savedState: SavedMemory = {
  policyName: "static",
  machineState: { 0: { numberOfAssignments: 0, memoryMap: { memory: table }, cells: [] } },
  entries: { pod: { container1: [block] } },
  podEntries: undefined
}
const stateWithPodEntries: SavedMemory = { ...savedState, podEntries: { pod: { memoryBlocks: [block] } } }

// The figures are in the files of memorymanager/state/state_checkpoint_test.go.
describe("the checksum of the memory manager's state", () => {
  it("equals the kubelet's", () => {
    assert.strictEqual(memoryChecksum(savedState), 4215593881)
    assert.strictEqual(memoryChecksum(stateWithPodEntries), 1278640530)
  })

  it("may be missing, but not wrong", () => {
    for (const [checksum, state] of [
      [0, savedState],
      [4215593881, savedState],
      [1278640530, stateWithPodEntries]
    ] as const) {
      assert.isTrue(isMemoryChecksum(checksum, state))
    }
    assert.isFalse(isMemoryChecksum(101010, savedState))
    assert.isFalse(isMemoryChecksum(4215593881, stateWithPodEntries))
  })
})
