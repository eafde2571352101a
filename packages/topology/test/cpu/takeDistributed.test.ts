import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { bestDistribution } from "../../src/cpu/selection/distribution.ts"
import { selectCpus } from "../../src/cpu/selection/selectCpus.ts"
import type { MachineTopology } from "../../src/index.ts"
import { cpuTopologyOf, noCpuPolicyOptions, takeDistributed } from "../../src/rules.ts"
import { dualSocket, fourNodes, irregularMachine, machineOf, singleSocket, withCaches } from "./machines.ts"
import { cpus } from "./pods.ts"

/** Twenty CPUs on each of four nodes. Upstream's tests: topoDualSocketMultiNumaPerSocketHT. */
const largeMachine = machineOf({ sockets: 2, nodesPerSocket: 2, coresPerNode: 10, threads: 2 })

const takenCpus = (machine: MachineTopology, available: string, wanted: number, groupSize = 1): string =>
  `${Result.getOrThrow(takeDistributed(cpuTopologyOf(machine), cpus(available), wanted, { spread: false, groupSize }))}`

/** Expected sets are those of upstream's cpu_assignment_test.go, TestTakeByTopologyNUMADistributed. */
describe("a distributed selection", () => {
  it("of 0 CPUs is empty, and of too many is refused", () => {
    assert.strictEqual(takenCpus(singleSocket, "0-7", 0), "")
    const answer = takeDistributed(cpuTopologyOf(singleSocket), cpus("0,2,4,6"), 5, { spread: false, groupSize: 1 })
    assert.deepStrictEqual(Result.merge(answer), {
      kind: "Other",
      message: "not enough cpus available to satisfy request: requested=5, available=4"
    })
  })

  it("takes from one node what one node has", () => {
    assert.strictEqual(takenCpus(singleSocket, "0-3,6", 2), "2,6")
    assert.strictEqual(takenCpus(largeMachine, "0-79", 20), "0-9,40-49")
    // Node 0 lacks one.
    assert.strictEqual(takenCpus(largeMachine, "1-79", 20), "10-19,50-59")
  })

  it("takes equal parts from as few nodes as needed", () => {
    assert.strictEqual(takenCpus(largeMachine, "1-39,41-79", 60), "10-39,50-79")
    assert.strictEqual(takenCpus(largeMachine, "0-79", 26), "0-6,10-16,40-45,50-55")
    assert.strictEqual(takenCpus(dualSocket, "0-23", 24), "0-23")
    // As many as fit on one node, were it empty, but no two nodes have eight each.
    const eight = "0-2,10-12,20-22,30-32,40-41,50-51,60-61,70-71"
    assert.strictEqual(takenCpus(largeMachine, eight, 16), "0-1,10-11,20-21,30-31,40-41,50-51,60-61,70-71")
  })

  it("keeps threads of a core together when it takes whole cores", () => {
    assert.strictEqual(takenCpus(largeMachine, "0-79", 26, 2), "0-6,10-15,40-46,50-55")
    assert.strictEqual(takenCpus(fourNodes, "0-5,7-14,16-23,25-31", 8, 2), "0-3,16-19")
    // No multiple of a core, or no even distribution: packed.
    assert.strictEqual(takenCpus(fourNodes, "0-31", 3, 2), "0-1,16")
    assert.strictEqual(takenCpus(fourNodes, "0,8,15,20,24", 4, 2), "0,8,15,24")
  })

  it("starts with the number of nodes that nodes of average size would need", () => {
    // Nodes of twelve and four CPUs, eight on the average: ten are five cores of two nodes, and the second has two.
    const uneven = irregularMachine(16, (id) => ({ core: Math.floor(id / 2), numaNode: id < 12 ? 0 : 1 }))
    assert.strictEqual(takenCpus(uneven, "0-15", 10, 2), "0-5,12-15")
  })

  it("packs within a node, by cores and not by caches, or spreads there", () => {
    assert.strictEqual(takenCpus(withCaches, "1-7,16-23", 4), "1-2,17-18")
    const spread = takeDistributed(cpuTopologyOf(fourNodes), cpus("0-31"), 2, { spread: true, groupSize: 1 })
    assert.strictEqual(`${Result.getOrThrow(spread)}`, "0-1")
  })

  it("takes the remainder a second time from nodes that have more", () => {
    assert.strictEqual(takenCpus(fourNodes, "0-1,4-6,8,12", 7), "0-1,4-6,8,12")
  })

  it("takes the remainder where that leaves the nodes most balanced", () => {
    const uneven = "0-8,10-18,20-48,50-58,60-79"
    assert.strictEqual(takenCpus(largeMachine, uneven, 62), "0-7,10-17,20-27,30-37,40-46,50-56,60-67,70-77")
    assert.strictEqual(takenCpus(largeMachine, uneven, 62, 2), "0-7,10-16,20-27,30-37,40-47,50-56,60-67,70-77")
    const full = "0-3,10-13,20-23,30-36,40-43,50-53,60-63,70-76"
    assert.strictEqual(takenCpus(largeMachine, full, 34), "0-3,10-13,20-23,30-34,40-43,50-53,60-63,70-74")
  })
})

describe("the best distribution over some nodes", () => {
  const free = (...counts: ReadonlyArray<number>) => new Map(counts.entries())
  const best = (counts: ReadonlyArray<number>, wanted: number, count: number, groupSize = 1) =>
    bestDistribution(free(...counts), wanted, groupSize, count)

  it("leaves the nodes most equally free; the first of equal ones is used", () => {
    assert.deepInclude(best([4, 4, 8, 8], 8, 2), { nodes: [2, 3], perNode: 4, remainderNodes: [] })
    assert.deepInclude(best([4, 4, 4, 4], 4, 2), { nodes: [0, 1], perNode: 2 })
    assert.deepInclude(best([8, 6, 6, 6], 2, 1), { nodes: [0], perNode: 2, score: 0 })
  })

  it("takes the remainder from nodes with the most free CPUs", () => {
    assert.deepInclude(best([4, 5], 3, 2), { nodes: [0, 1], perNode: 1, remainderNodes: [1], score: 0 })
    assert.deepInclude(best([4, 4, 4], 5, 3), { perNode: 1, remainderNodes: [0, 1, 2], score: 0.471 })
    assert.deepInclude(best([2, 3, 1, 1], 7, 4), { perNode: 1, remainderNodes: [0, 1], score: 0 })
    assert.deepInclude(best([6, 4, 2], 6, 3, 2), { perNode: 2, remainderNodes: [] })
  })

  it("rounds as upstream does, to three decimals", () => {
    // Free afterwards: 3 and 3 and 4 have a mean of 3.333 and a deviation of 0.471.
    assert.strictEqual(best([4, 4, 4], 2, 2)?.score, 0.471)
    assert.strictEqual(best([4, 4, 4], 3, 3)?.score, 0)
    assert.strictEqual(best([4, 4, 7], 2, 1)?.score, 0.471)
  })

  it("does not exist if a node has less than its share, or all nodes together have too few", () => {
    assert.isUndefined(best([1, 8], 6, 2))
    assert.isUndefined(best([2, 2], 6, 2))
    assert.isUndefined(best([3, 3], 6, 2, 2))
    assert.isUndefined(best([4, 4], 4, 3))
    assert.deepInclude(best([3, 3], 4, 2, 2), { nodes: [0, 1], perNode: 2 })
  })

  it("takes the last CPU of each node, and the last group of the one that gives the remainder", () => {
    assert.deepInclude(best([4, 4], 8, 2), { nodes: [0, 1], perNode: 4, remainderNodes: [], score: 0 })
    assert.deepInclude(best([2, 2], 4, 2, 2), { nodes: [0, 1], perNode: 2, remainderNodes: [], score: 0 })
    assert.deepInclude(best([1, 2], 3, 2), { nodes: [0, 1], perNode: 1, remainderNodes: [1], score: 0 })
    assert.deepInclude(best([2, 4], 6, 2, 2), { nodes: [0, 1], perNode: 2, remainderNodes: [1], score: 0 })
  })
})

describe("the options of the static policy", () => {
  const topology = cpuTopologyOf(fourNodes)
  const selected = (wanted: number, options: Partial<typeof noCpuPolicyOptions>) =>
    `${Result.getOrThrow(selectCpus(topology, topology.all, wanted, { ...noCpuPolicyOptions, ...options }))}`

  it("say how CPUs are selected", () => {
    const numa = { distributeCpusAcrossNuma: true }
    assert.strictEqual(selected(10, {}), "0-4,16-20")
    assert.strictEqual(selected(10, numa), "0-2,4-6,16-17,20-21")
    assert.strictEqual(selected(10, { ...numa, fullPcpusOnly: true }), "0-2,4-5,16-18,20-21")
    assert.strictEqual(selected(4, { distributeCpusAcrossCores: true }), "0-3")
    assert.strictEqual(selected(4, { preferAlignByUncoreCache: true }), "0-1,16-17")
  })
})
