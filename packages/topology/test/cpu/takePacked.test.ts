import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { CpuSet, type MachineTopology } from "../../src/index.ts"
import { cpuTopologyOf, type PackedOptions, takePacked } from "../../src/rules.ts"
import { dualSocket, fourNodes, irregularMachine, machineOf, singleSocket, withCaches } from "./machines.ts"
import { cpus } from "./pods.ts"

const packedOptions: PackedOptions = { spread: false, alignByUncoreCache: false }
const spreadOptions: PackedOptions = { ...packedOptions, spread: true }
const cacheAlignedOptions: PackedOptions = { ...packedOptions, alignByUncoreCache: true }

const takenCpus = (machine: MachineTopology, available: string, wanted: number, options = packedOptions): string =>
  `${Result.getOrThrow(takePacked(cpuTopologyOf(machine), cpus(available), wanted, options))}`

/** Cores that alternate between the sockets, as some machines number them. Upstream's tests: topoDualSocketHT. */
const machineWithAlternatingNodes: MachineTopology = {
  numaNodes: [0, 1].map((id) => ({ id, memory: 2 ** 34, hugePages: [] })),
  cpus: Array.from({ length: 12 }, (_, id) => {
    const core = id % 6
    return { id, core, socket: core % 2, numaNode: core % 2, uncoreCache: core % 2 }
  })
}

/** Twenty CPUs on each of four nodes. Upstream's tests: topoDualSocketMultiNumaPerSocketHT. */
const largeMachine = machineOf({ sockets: 2, nodesPerSocket: 2, coresPerNode: 10, threads: 2 })

/** Expected sets are those of upstream's cpu_assignment_test.go, TestTakeByTopologyNUMAPacked. */
describe("a packed selection", () => {
  it("of 0 CPUs is empty", () => {
    assert.strictEqual(takenCpus(singleSocket, "0-7", 0), "")
    assert.strictEqual(takenCpus(singleSocket, "", 0), "")
  })

  it("takes whole cores before single CPUs, and single CPUs from cores with the fewest free", () => {
    assert.strictEqual(takenCpus(singleSocket, "0-7", 2), "0,4")
    assert.strictEqual(takenCpus(singleSocket, "0-3,6", 2), "2,6")
    assert.strictEqual(takenCpus(singleSocket, "1,3,5-7", 1), "6")
    assert.strictEqual(takenCpus(singleSocket, "0-7", 8), "0-7")
    assert.strictEqual(takenCpus(machineWithAlternatingNodes, "1-5,7-11", 1), "2")
  })

  it("takes whole NUMA nodes and sockets first, of equal ones the lower", () => {
    assert.strictEqual(takenCpus(largeMachine, "0-79", 20), "0-9,40-49")
    assert.strictEqual(takenCpus(largeMachine, "0-79", 60), "0-29,40-69")
    // Node 0 has lost a core: node 1 is whole, and socket 1 too.
    assert.strictEqual(takenCpus(largeMachine, "1-39,41-79", 20), "10-19,50-59")
    assert.strictEqual(takenCpus(largeMachine, "1-39,41-79", 40), "20-39,60-79")
    assert.strictEqual(takenCpus(fourNodes, "1-15,16-31", 16), "8-15,24-31")
  })

  it("prefers the socket, then the node, then the core with the fewest free CPUs", () => {
    // Socket 1 has lost more than socket 0.
    assert.strictEqual(takenCpus(dualSocket, "0-5,12-17,8-11,20-23", 2), "8,20")
    // In socket 0 node 1 has lost more than node 0.
    assert.strictEqual(takenCpus(fourNodes, "0-3,16-19,6-7,22-23", 2), "6,22")
    // A lone thread before half of a whole core.
    assert.strictEqual(takenCpus(dualSocket, "0-5,12-15", 1), "4")
    assert.strictEqual(takenCpus(dualSocket, "0-5,12-15", 5), "0-1,4,12-13")
  })

  it("counts NUMA nodes within sockets only where there are more of them", () => {
    const nodesOfSeveralSockets: MachineTopology = {
      ...dualSocket,
      cpus: dualSocket.cpus.map((cpu) => ({ ...cpu, numaNode: 0 }))
    }
    assert.strictEqual(takenCpus(nodesOfSeveralSockets, "1-11,12-23", 12), "6-11,18-23")
    // The node's second socket has less left than its first.
    assert.strictEqual(takenCpus(nodesOfSeveralSockets, "0-5,12-17,8-11,20-23", 2), "8,20")
  })

  it("prefers lower IDs of cores, not of CPUs, among equal cores", () => {
    const backwards = irregularMachine(8, (id) => ({ core: 7 - id }))
    assert.strictEqual(takenCpus(backwards, "0-7", 2), "6-7")
  })

  // Upstream: isCoreFree and isSocketFree compare with CPUsPerCore and CPUsPerSocket, which are averages rounded down.
  it("treats a core as whole if it has as many free threads as the machine's average", () => {
    // Two cores of two threads, four of one: 8 CPUs, 6 cores.
    const hybrid = irregularMachine(8, (id) => (id < 4 ? { core: id % 2 } : { core: id - 2 }))
    assert.strictEqual(takenCpus(hybrid, "1-7", 1), "2")
    assert.strictEqual(takenCpus(hybrid, "1,3-7", 1), "4")
  })

  it("treats a socket as whole if it has as many free CPUs as the machine's average", () => {
    const uneven = irregularMachine(16, (id) => ({ socket: id < 4 ? 0 : 1 }))
    // Socket 1 is untouched, but larger than the average of 8.
    assert.strictEqual(takenCpus(uneven, "0-1,4-15", 12), "0-1,4-13")
  })

  it("takes one thread of each core where it spreads", () => {
    assert.strictEqual(takenCpus(machineWithAlternatingNodes, "0-11", 6, spreadOptions), "0,2,4,6,8,10")
    assert.strictEqual(takenCpus(machineWithAlternatingNodes, "0-11", 8, spreadOptions), "0-4,6,8,10")
    assert.strictEqual(takenCpus(largeMachine, "0-79", 8, spreadOptions), "0-7")
    assert.strictEqual(takenCpus(fourNodes, "0-2,4-17,19-31", 6, spreadOptions), "0-2,4-6")
    // Socket 1 has less left.
    assert.strictEqual(takenCpus(dualSocket, "0-9,12-21", 3, spreadOptions), "6-8")
  })

  it("reports how much is missing", () => {
    const answer = takePacked(cpuTopologyOf(singleSocket), CpuSet.empty, 1, packedOptions)
    assert.deepStrictEqual(Result.merge(answer), {
      kind: "Other",
      message: "not enough cpus available to satisfy request: requested=1, available=0"
    })
  })

  it("fails if available CPUs are not on the machine", () => {
    const answer = takePacked(cpuTopologyOf(singleSocket), cpus("4-9"), 6, packedOptions)
    assert.deepStrictEqual(Result.merge(answer), { kind: "Other", message: "failed to allocate cpus" })
  })
})

/** Upstream's tests: the topologies of TestTakeByTopologyUnCorePacked. */
describe("a selection by last-level caches", () => {
  const fourCaches = machineOf({ sockets: 1, coresPerNode: 16, cachesPerNode: 4 })
  const twoSockets = machineOf({ sockets: 2, coresPerNode: 8, cachesPerNode: 2 })

  it("takes whole caches, then a part of one cache that has enough", () => {
    assert.strictEqual(takenCpus(fourCaches, "1-15", 10, cacheAlignedOptions), "1-2,4-11")
    assert.strictEqual(takenCpus(twoSockets, "2-15", 6, cacheAlignedOptions), "2-7")
    assert.strictEqual(takenCpus(fourCaches, "0-15", 4, cacheAlignedOptions), "0-3")
    assert.strictEqual(takenCpus(fourCaches, "1-3,5-15", 4, cacheAlignedOptions), "8-11")
  })

  it("takes a part of the first cache that has enough", () => {
    assert.strictEqual(takenCpus(fourCaches, "0,4-5,8-15", 2, cacheAlignedOptions), "4-5")
    assert.strictEqual(takenCpus(fourCaches, "0,4,8-15", 3, cacheAlignedOptions), "8-10")
  })

  it("continues core by core if no cache has it", () => {
    assert.strictEqual(takenCpus(fourCaches, "0-2,4-6,8-10", 4, cacheAlignedOptions), "0-2,4")
    assert.strictEqual(takenCpus(fourCaches, "0-2,4-6,8-10", 4), "0-2,4")
  })

  it("takes both threads of a core, and one sibling less for an odd request", () => {
    assert.strictEqual(takenCpus(withCaches, "0-31", 4, cacheAlignedOptions), "0-1,16-17")
    assert.strictEqual(takenCpus(withCaches, "0-31", 3, cacheAlignedOptions), "0-1,16")
    // Of core 0 one thread is left: two cores of the first cache have three CPUs, two of the second four.
    assert.strictEqual(takenCpus(withCaches, "1-31", 4, cacheAlignedOptions), "4-5,20-21")
    // Two lone threads in the first cache, two whole cores in the second.
    assert.strictEqual(takenCpus(withCaches, "0-1,4-7,20-23", 3, cacheAlignedOptions), "4-5,20")
    // Two cores of the first cache have three CPUs: nothing to give back.
    assert.strictEqual(takenCpus(withCaches, "0-1,16,4-7,20-23", 3, cacheAlignedOptions), "0-1,16")
  })

  it("returns the highest thread for an odd request, and none for an even one", () => {
    const fourThreads = machineOf({ sockets: 1, coresPerNode: 4, threads: 4, cachesPerNode: 2 })
    // Two threads of core 1 beside core 0: six CPUs, of which five are needed.
    assert.strictEqual(takenCpus(fourThreads, "0-1,4-5,8,12,2", 5, cacheAlignedOptions), "0-1,4-5,8")
    // Three threads of core 1: seven CPUs, which do not do for six.
    assert.strictEqual(
      takenCpus(fourThreads, "0-1,4-5,8-9,12,2-3,6-7,10-11,14-15", 6, cacheAlignedOptions),
      "0-1,4-5,8,12"
    )
  })

  it("prefers the node, and there the cache, with the fewest free CPUs", () => {
    assert.strictEqual(takenCpus(twoSockets, "0-5,8-10,12-13", 2, cacheAlignedOptions), "12-13")
  })

  it("takes the lowest cores of a cache", () => {
    const backwards = irregularMachine(8, (id) => ({ core: 7 - id, uncoreCache: id < 4 ? 0 : 1 }))
    assert.strictEqual(takenCpus(backwards, "0-2,4-7", 2, cacheAlignedOptions), "1-2")
  })

  it("takes whole caches once the request is at least the size of the average cache", () => {
    // Caches of two and six CPUs.
    const uneven = irregularMachine(8, (id) => ({ uncoreCache: id < 2 ? 0 : 1 }))
    assert.strictEqual(takenCpus(uneven, "0-7", 3, cacheAlignedOptions), "2-4")
    assert.strictEqual(takenCpus(uneven, "0-7", 4, cacheAlignedOptions), "0-3")
  })
})
