import { assert, describe, it } from "@effect/vitest"
import { type Container, defaultRelease, featureGatesOf, isSidecar, type Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { ownedCpus } from "../../src/cpu/CpuState.ts"
import { zeroHint } from "../../src/hints.ts"
import { type CpuManager, CpuSet, type TopologyHint } from "../../src/index.ts"
import { containersOf } from "../../src/podResources.ts"
import { type CpuTopology, cpuTopologyOf, maskOf, noCpuState } from "../../src/rules.ts"
import { machines } from "./machines.ts"
import { allocateAll, container, cpuManager, memoryFiles, podOf, sidecar } from "./pods.ts"

const gates = { ...featureGatesOf(defaultRelease), CPUManagerPolicyAlphaOptions: true }

const optionSets: ReadonlyArray<Readonly<Record<string, string>>> = [
  {},
  { "full-pcpus-only": "true" },
  { "strict-cpu-reservation": "true" },
  { "distribute-cpus-across-numa": "true" },
  { "distribute-cpus-across-numa": "true", "full-pcpus-only": "true", "strict-cpu-reservation": "true" },
  { "distribute-cpus-across-cores": "true" },
  { "prefer-align-cpus-by-uncorecache": "true" },
  { "align-by-socket": "true" }
]

const amounts = fc.constantFrom("1", "2", "3", "4", "6", "8", "500m")
const pods = fc.record({
  main: fc.array(amounts, { minLength: 1, maxLength: 3 }),
  init: fc.array(fc.tuple(amounts, fc.boolean()), { maxLength: 3 })
})
interface Shape {
  readonly main: ReadonlyArray<string>
  readonly init: ReadonlyArray<readonly [cpu: string, stays: boolean]>
}

const podFrom = (uid: string, { init, main }: Shape): Pod =>
  podOf(
    uid,
    main.map((cpu, index) => container(`main${index}`, cpu)),
    init.map(([cpu, stays], index) => (stays ? sidecar(`init${index}`, cpu) : container(`init${index}`, cpu)))
  )

const lastingContainers = (pod: Pod): ReadonlyArray<Container> =>
  containersOf(pod).filter((one) => isSidecar(one) || pod.spec.containers.includes(one))

const ownedOf = (manager: CpuManager, pod: Pod, containers: ReadonlyArray<Container>): ReadonlyArray<CpuSet> =>
  containers.flatMap(
    ({ name }) =>
      manager
        .state()
        .containers.get(pod.metadata.uid ?? "")
        ?.get(name) ?? []
  )

const assertDisjoint = (sets: ReadonlyArray<CpuSet>): void =>
  assert.strictEqual(
    CpuSet.of(sets.flatMap(({ ids }) => ids)).size,
    sets.reduce((sum, { size }) => sum + size, 0)
  )

const checkState = (manager: CpuManager, active: ReadonlyArray<Pod>, everything: CpuSet): void => {
  const { shared } = manager.state()
  const owned = ownedCpus(manager.state())
  assertDisjoint([
    shared,
    ...active.map((pod) => CpuSet.of(ownedOf(manager, pod, containersOf(pod)).flatMap((s) => s.ids)))
  ])
  assert.isTrue(shared.union(owned).equals(everything))
  assert.isTrue(owned.isSubsetOf(manager.allocatable))
  for (const pod of active) assertDisjoint(ownedOf(manager, pod, lastingContainers(pod)))
}

const hintFor = (topology: CpuTopology, seed: number): TopologyHint => {
  const nodes = topology.numaNodeIds.filter((id) => ((seed >> id) & 1) === 1)
  return nodes.length === 0 ? zeroHint : { mask: maskOf(nodes), preferred: true }
}

describe("any sequence of pods", () => {
  it("each CPU is exclusive or shared, none is lost, and all are returned", () => {
    const steps = fc.array(fc.tuple(pods, fc.nat(), fc.nat()), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(machines)),
        fc.constantFrom(...optionSets),
        steps,
        (machine, policyOptions, arrivals) => {
          const topology = cpuTopologyOf(machine)
          let hint = zeroHint
          const checkpoint = memoryFiles()
          const options = { machine, policyOptions, gates, checkpoint, affinity: { getAffinity: () => hint } }
          let manager = cpuManager(options)
          const fresh = manager.state()
          let active: ReadonlyArray<Pod> = []
          arrivals.forEach(([shape, seed, leaving], index) => {
            hint = hintFor(topology, seed)
            const pod = podFrom(`pod${index}`, shape)
            const failure = allocateAll(manager, pod)
            active = [...active, pod]
            checkState(manager, active, fresh.shared)
            if (failure !== undefined || leaving % 3 === 0) {
              const gone = failure === undefined ? leaving % active.length : active.length - 1
              active = active.filter((_, place) => place !== gone)
              manager.removeStale(new Set(active.map(({ metadata }) => metadata.uid ?? "")))
              checkState(manager, active, fresh.shared)
            }
            // A kubelet whose shared set is empty does not start again: see the test of that name.
            if (leaving % 4 === 0 && !manager.state().shared.isEmpty) {
              const before = manager.state()
              manager = cpuManager(options)
              assert.deepStrictEqual(new Map(manager.state().containers), new Map(before.containers))
              assert.isTrue(manager.state().shared.equals(before.shared))
            }
          })
          manager.removeStale(new Set())
          assert.isTrue(manager.state().shared.equals(fresh.shared))
          assert.deepStrictEqual(manager.state().containers, noCpuState.containers)
        }
      ),
      { numRuns: 150 }
    )
  })
})
