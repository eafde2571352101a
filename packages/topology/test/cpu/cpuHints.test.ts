import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { CpuSet, type MachineTopology, type TopologyHint } from "../../src/index.ts"
import { maskCount } from "../../src/masks.ts"
import { type CpuTopology, cpuHintsFor, cpuTopologyOf, maskIds, maskOf } from "../../src/rules.ts"
import { dualSocket, fourNodes, machineOf, machines } from "./machines.ts"
import { allocateAll, container, cpuManager, cpus, podOf } from "./pods.ts"

const topologies = Object.values(machines).map(cpuTopologyOf)

const nodesOf = (owned: CpuSet, machine: MachineTopology): bigint =>
  maskOf(owned.ids.flatMap((id) => cpuTopologyOf(machine).cpus.get(id)?.numaNode ?? []))

const onNodes = (topology: CpuTopology, cpuSet: CpuSet, { mask = 0n }: TopologyHint): CpuSet =>
  cpuSet.filter((id) => maskIds(mask).includes(topology.cpus.get(id)?.numaNode ?? -1))

describe("hints", () => {
  it("name only nodes with enough CPUs, including all reusable ones", () => {
    const cases = fc
      .constantFrom(...topologies)
      .chain((topology) =>
        fc.tuple(
          fc.constant(topology),
          fc.subarray([...topology.all.ids]),
          fc.subarray([...topology.all.ids], { maxLength: 4 }),
          fc.integer({ min: 1, max: topology.all.size })
        )
      )
    fc.assert(
      fc.property(cases, ([topology, free, reused, wanted]) => {
        const reusable = CpuSet.of(reused)
        const available = CpuSet.of(free).difference(reusable)
        const hints = cpuHintsFor(topology, false, available, reusable, wanted)
        for (const hint of hints) {
          assert.isTrue(onNodes(topology, reusable, hint).equals(reusable))
          assert.isAtLeast(onNodes(topology, available.union(reusable), hint).size, wanted)
        }
        assert.strictEqual(hints.length > 0, available.size + reusable.size >= wanted)
        assert.isAtMost(
          new Set(hints.filter((hint) => hint.preferred).map((hint) => maskCount(hint.mask ?? 0n))).size,
          1
        )
      }),
      { numRuns: 60 }
    )
  })

  it("prefer the size that the whole machine allows, not its free CPUs", () => {
    const topology = cpuTopologyOf(fourNodes)
    const hints = cpuHintsFor(topology, false, cpus("0-1,4-5,8-9,12-13"), CpuSet.empty, 4)
    assert.isAbove(hints.length, 0)
    assert.isFalse(hints.some(({ preferred }) => preferred))
  })

  it("prefer whole sockets with align-by-socket", () => {
    const topology = cpuTopologyOf(fourNodes)
    const preferred = cpuHintsFor(topology, true, topology.all, CpuSet.empty, 4).filter((hint) => hint.preferred)
    assert.deepStrictEqual(
      preferred.map(({ mask }) => maskIds(mask ?? 0n)),
      [[0], [1], [2], [3], [0, 1], [2, 3]]
    )
  })

  it("never prefer sockets where a node has several", () => {
    const topology = { ...cpuTopologyOf(machineOf({ sockets: 2, coresPerNode: 2 })), numNumaNodes: 1 }
    const preferred = cpuHintsFor(topology, true, topology.all, CpuSet.empty, 1).filter((hint) => hint.preferred)
    assert.deepStrictEqual(
      preferred.map(({ mask }) => mask),
      [maskOf([0]), maskOf([1])]
    )
  })
})

describe("a pod's hints", () => {
  const node0 = { cpu: [{ mask: maskOf([0]), preferred: true }] }

  it("are empty for containers on the shared pool", () => {
    const manager = cpuManager()
    const shared = podOf("a", [container("fraction", "1500m")])
    assert.isNull(manager.getTopologyHints(shared, container("fraction", "1500m")))
    assert.isNull(manager.getPodTopologyHints(shared))
    const burstable = { name: "b", resources: { requests: { cpu: "2" } } }
    assert.isNull(manager.getTopologyHints(podOf("b", [burstable]), burstable))
  })

  it("cannot be satisfied when too few are left", () => {
    const manager = cpuManager()
    const one = container("c", "24")
    assert.deepStrictEqual(manager.getTopologyHints(podOf("a", [one]), one), { cpu: [] })
    assert.deepStrictEqual(manager.getPodTopologyHints(podOf("a", [container("c", "12"), container("d", "12")])), {
      cpu: []
    })
  })

  it("name the nodes of CPUs that are already assigned", () => {
    const manager = cpuManager()
    const one = container("c", "10")
    const pod = podOf("a", [one])
    allocateAll(manager, pod)
    const [first, ...others] = manager.getTopologyHints(pod, one)?.cpu ?? []
    assert.deepStrictEqual(first, { mask: nodesOf(manager.cpusOf("a", "c"), dualSocket), preferred: true })
    assert.isTrue(others.every(({ preferred }) => !preferred))
    assert.deepStrictEqual(manager.getPodTopologyHints(pod), manager.getTopologyHints(pod, one))
  })

  it("cannot be satisfied once the request differs from the assignment", () => {
    const manager = cpuManager()
    allocateAll(manager, podOf("a", [container("c", "2")]))
    const grown = container("c", "4")
    assert.deepStrictEqual(manager.getTopologyHints(podOf("a", [grown]), grown), { cpu: [] })
    assert.deepStrictEqual(manager.getPodTopologyHints(podOf("a", [grown])), { cpu: [] })
  })

  it("include the CPUs of its containers with assignments", () => {
    const manager = cpuManager({ affinity: { getAffinity: () => ({ mask: maskOf([0]), preferred: true }) } })
    const pod = podOf("a", [container("c", "2"), container("d", "2")])
    manager.allocate(pod, container("c", "2"))
    const hints = manager.getPodTopologyHints(pod)?.cpu ?? []
    assert.deepStrictEqual({ cpu: hints.slice(0, 1) }, node0)
    assert.isTrue(hints.every(({ mask = 0n }) => maskIds(mask).includes(0)))
  })
})
