import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { cpusOfUnit, cpusPerCore } from "../../src/cpu/CpuTopology.ts"
import { selectCpus } from "../../src/cpu/selection/selectCpus.ts"
import { CpuSet } from "../../src/index.ts"
import { type CpuTopology, cpuTopologyOf, noCpuPolicyOptions, takeDistributed, takePacked } from "../../src/rules.ts"
import { dualSocket, eightNodes, fourNodes, machineOf, machines, withCaches } from "./machines.ts"
import { cpus } from "./pods.ts"

const topologies = Object.values(machines).map(cpuTopologyOf)
const packedOptions = { spread: false, alignByUncoreCache: false }

/** A machine, some of its CPUs, and how many of these to take. */
const requests = fc
  .constantFrom(...topologies)
  .chain((topology) => fc.tuple(fc.constant(topology), fc.subarray([...topology.all.ids]), fc.nat(topology.all.size)))
  .map(([topology, ids, count]) => ({
    topology,
    available: CpuSet.of(ids),
    wanted: Math.min(count, ids.length)
  }))

const countWholeUnits = (topology: CpuTopology, set: CpuSet, unit: "core" | "uncoreCache"): number =>
  [...topology.units[unit].values()].filter((all) => all.isSubsetOf(set)).length

describe("selection", () => {
  it("takes exactly as many as wanted, of those available, whatever the options", () => {
    const options = fc.record({
      ...noOptions,
      distributeCpusAcrossNuma: fc.boolean(),
      distributeCpusAcrossCores: fc.boolean(),
      fullPcpusOnly: fc.boolean(),
      preferAlignByUncoreCache: fc.boolean()
    })
    fc.assert(
      fc.property(requests, options, ({ available, topology, wanted }, chosen) => {
        const taken = Result.getOrThrow(selectCpus(topology, available, wanted, chosen))
        assert.strictEqual(taken.size, wanted)
        assert.isTrue(taken.isSubsetOf(available))
      }),
      { numRuns: 300 }
    )
  })

  it("reports how many it lacks", () => {
    const answer = takePacked(cpuTopologyOf(dualSocket), cpus("0-2"), 4, packedOptions)
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(answer)), {
      kind: "Other",
      message: "not enough cpus available to satisfy request: requested=4, available=3"
    })
  })

  it("breaks at most one core that was whole when it packs", () => {
    fc.assert(
      fc.property(requests, ({ available, topology, wanted }) => {
        const taken = Result.getOrThrow(takePacked(topology, available, wanted, packedOptions))
        const broken = [...topology.units.core.values()].filter(
          (core) => core.isSubsetOf(available) && ![0, core.size].includes(core.intersection(taken).size)
        )
        assert.isAtMost(broken.length, 1)
      })
    )
  })

  it("puts threads on as many cores as it can when it spreads", () => {
    const topology = cpuTopologyOf(dualSocket)
    const taken = Result.getOrThrow(takePacked(topology, topology.all, 6, { ...packedOptions, spread: true }))
    assert.strictEqual(taken.toString(), "0-5")
  })

  it("keeps a request that fits within one cache, if the option is on", () => {
    const topology = cpuTopologyOf(withCaches)
    const available = topology.all.difference(cpus("0,16"))
    const taken = Result.getOrThrow(takePacked(topology, available, 8, { ...packedOptions, alignByUncoreCache: true }))
    assert.strictEqual(countWholeUnits(topology, taken, "uncoreCache"), 1)
    const scattered = Result.getOrThrow(takePacked(topology, available, 8, packedOptions))
    assert.strictEqual(countWholeUnits(topology, scattered, "uncoreCache"), 0)
  })

  it("takes a remainder from one cache, an odd one without the last sibling", () => {
    const topology = cpuTopologyOf(withCaches)
    const taken = Result.getOrThrow(
      takePacked(topology, topology.all, 11, { ...packedOptions, alignByUncoreCache: true })
    )
    assert.strictEqual(taken.toString(), "0-5,16-20")
  })
})

const noOptions = {
  alignBySocket: fc.constant(noCpuPolicyOptions.alignBySocket),
  strictCpuReservation: fc.constant(noCpuPolicyOptions.strictCpuReservation)
}

describe("distributed selection", () => {
  const perNode = (topology: CpuTopology, taken: CpuSet): ReadonlyArray<number> =>
    topology.numaNodeIds.map((node) => cpusOfUnit(topology, "numaNode", node).intersection(taken).size)

  it("takes equal parts from as few nodes as the request needs", () => {
    const topology = cpuTopologyOf(eightNodes)
    for (const nodes of [2, 3, 4, 5, 6, 7, 8]) {
      const wanted = 8 * (nodes - 1) + 2
      const taken = Result.getOrThrow(takeDistributed(topology, topology.all, wanted, { spread: false, groupSize: 1 }))
      const counts = perNode(topology, taken).filter((count) => count > 0)
      assert.strictEqual(counts.length, nodes)
      assert.isAtMost(Math.max(...counts) - Math.min(...counts), 1)
    }
  })

  it("takes whole cores with a group size", () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), fc.nat(), (topology, seed) => {
        const groupSize = cpusPerCore(topology)
        const wanted = (1 + (seed % topology.numCores)) * groupSize
        const taken = Result.getOrThrow(takeDistributed(topology, topology.all, wanted, { spread: false, groupSize }))
        assert.strictEqual(countWholeUnits(topology, taken, "core") * groupSize, wanted)
        const counts = perNode(topology, taken).filter((count) => count > 0)
        assert.isAtMost(Math.max(...counts) - Math.min(...counts), groupSize)
      })
    )
  })

  it("packs a request without an even distribution", () => {
    const topology = cpuTopologyOf(fourNodes)
    const available = cpus("0-3,16-19,4")
    const even = { spread: false, groupSize: 2 }
    const packedAnswer = takePacked(topology, available, 9, packedOptions)
    assert.deepStrictEqual(takeDistributed(topology, available, 9, even), packedAnswer)
  })

  it("leaves the nodes balanced", () => {
    const topology = cpuTopologyOf(machineOf({ sockets: 4, coresPerNode: 4 }))
    const available = topology.all.difference(cpus("0-1"))
    const taken = Result.getOrThrow(takeDistributed(topology, available, 6, { spread: false, groupSize: 1 }))
    assert.deepStrictEqual(perNode(topology, taken), [0, 3, 3, 0])
  })
})
