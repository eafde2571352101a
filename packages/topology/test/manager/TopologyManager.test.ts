import { assert, describe, it } from "@effect/vitest"
import { metricsText } from "@rollcall/time"
import * as Result from "effect/Result"
import {
  type AllocateFailure,
  type HintLists,
  type HintProvider,
  makeResourceMetrics,
  makeTopologyManager,
  type TopologyManagerOptions
} from "../../src/index.ts"
import { allocateFailure, maskOf } from "../../src/rules.ts"
import { gates, machineOf, podOf } from "../fixtures.ts"

const pod = podOf("pod", { a: {}, b: {} })
const metrics = () => makeResourceMetrics()

const managerOf = (options: Partial<TopologyManagerOptions> = {}) =>
  makeTopologyManager({
    policy: "single-numa-node",
    scope: "container",
    policyOptions: {},
    numaNodes: machineOf(2).numaNodes,
    gates,
    ...options
  })

const cpuHintOn = (...nodes: ReadonlyArray<number>): HintLists => ({ cpu: [{ mask: maskOf(nodes), preferred: true }] })

const providerOf = (
  hints: Readonly<Record<string, HintLists>>,
  fails: Readonly<Record<string, AllocateFailure>> = {}
): HintProvider & { readonly told: Array<string> } => {
  const told: Array<string> = []
  return {
    told,
    name: "test",
    getTopologyHints: (_, { name }) => hints[name] ?? null,
    getPodTopologyHints: () => hints.pod ?? null,
    allocate: (_, { name }) => {
      told.push(name)
      return fails[name]
    },
    allocatePod: () => {
      told.push("pod")
      return fails.pod
    },
    removeStale: () => undefined
  }
}

describe("the topology manager", () => {
  it("keeps earlier containers' allocations when a later one is refused, container by container", () => {
    const provider = providerOf({ a: cpuHintOn(1), b: cpuHintOn(0, 1) })
    const manager = Result.getOrThrow(managerOf())
    assert.deepStrictEqual(manager.admit(pod, [provider]), {
      reason: "TopologyAffinityError",
      message: "Resources cannot be allocated with Topology locality"
    })
    assert.deepStrictEqual(provider.told, ["a"])
    assert.deepStrictEqual(manager.affinityOf("pod"), { a: { mask: 2n, preferred: true } })
    manager.retainOnly(new Set())
    assert.deepStrictEqual(manager.getAffinity("pod", "a"), { mask: undefined, preferred: false })
  })

  it("stops at the provider that fails, and names the kind of failure", () => {
    const cases: ReadonlyArray<readonly [AllocateFailure, string, string]> = [
      [allocateFailure("no room"), "UnexpectedAdmissionError", "Allocate failed due to no room, which is unexpected"],
      [allocateFailure("SMT Alignment Error: x", "SMTAlignmentError"), "SMTAlignmentError", "SMT Alignment Error: x"],
      [allocateFailure("pod rejected", "EmptyPodSharedPoolError"), "EmptyPodSharedPoolError", "pod rejected"]
    ]
    for (const scope of ["container", "pod"]) {
      for (const [failure, reason, message] of cases) {
        const [first, second] = [providerOf({}, { a: failure }), providerOf({})]
        const counted = metrics()
        const refusal = Result.getOrThrow(managerOf({ scope, metrics: counted })).admit(pod, [first, second])
        assert.deepStrictEqual(refusal, { reason, message })
        assert.deepStrictEqual([first.told, second.told], [["a"], []])
        assert.strictEqual(counted.value("kubelet_topology_manager_admission_errors_total"), 1)
      }
    }
  })

  it("asks each provider once for a pod with pod-level resources, in pod scope and with the gate", () => {
    const whole = { ...pod, spec: { ...pod.spec, resources: { requests: { cpu: "4" } } } }
    const managed = { ...gates, PodLevelResourceManagers: true }
    const provider = providerOf({ pod: cpuHintOn(0) })
    const manager = Result.getOrThrow(managerOf({ scope: "pod", gates: managed }))
    assert.isUndefined(manager.admit(whole, [provider]))
    assert.deepStrictEqual(provider.told, ["pod"])
    assert.deepStrictEqual(Object.keys(manager.affinityOf("pod")), ["a", "b"])

    const refused = (scope: string, used: typeof gates) =>
      Result.getOrThrow(managerOf({ scope, gates: used })).admit(whole, [
        providerOf({ a: cpuHintOn(0, 1), pod: cpuHintOn(0, 1) })
      ])
    const begin = "Pod Scope pod with pod-level resources failed admission"
    assert.strictEqual(refused("pod", managed)?.message, `${begin} under pod-scope topology manager`)
    assert.strictEqual(refused("container", managed)?.message, `${begin} with a container-level topology manager`)
    assert.strictEqual(refused("pod", gates)?.message, "Resources cannot be allocated with Topology locality")
  })

  it("measures admissions in whole milliseconds", () => {
    let now = 0
    const counted = metrics()
    const manager = Result.getOrThrow(managerOf({ policy: "none", metrics: counted, now: () => (now += 1.7) }))
    manager.admit(pod, [])
    const page = metricsText(counted.context)
    for (const sample of ["sum 1", 'bucket{le="0.8"} 0', 'bucket{le="1.6"} 1', 'bucket{le="+Inf"} 1']) {
      assert.include(page, `\nkubelet_topology_manager_admission_duration_ms_${sample}\n`)
    }
  })

  it("fails with the reason when it cannot be made", () => {
    const nine = machineOf(9).numaNodes
    const silent = [{ id: 0 }, { id: 1, distances: [20, 10] }]
    const distant = { "prefer-closest-numa-nodes": "true" }
    const cases: ReadonlyArray<readonly [Partial<TopologyManagerOptions>, string]> = [
      [{ numaNodes: nine }, "unsupported on machines with more than 8 NUMA Nodes"],
      [
        { numaNodes: silent, policyOptions: distant },
        "cannot discover NUMA topology: error getting NUMA distances from cadvisor"
      ],
      [{ policy: "strict" }, 'unknown policy: "strict"'],
      [{ scope: "" }, 'unknown scope: ""'],
      [
        { policyOptions: { "max-allowable-numa-nodes": "99999999999999999999" } },
        'unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "99999999999999999999": value out of range'
      ],
      [
        { policyOptions: { "max-allowable-numa-nodes": "" } },
        'unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "": invalid syntax'
      ]
    ]
    for (const [options, error] of cases) assert.deepStrictEqual(managerOf(options), Result.fail(error))
    const anything = { policy: "none", scope: "?", policyOptions: { x: "" }, numaNodes: nine }
    assert.strictEqual(Result.getOrThrow(managerOf(anything)).scope, "none")
    assert.isTrue(
      Result.isSuccess(managerOf({ numaNodes: nine, policyOptions: { "max-allowable-numa-nodes": "+16" } }))
    )
  })
})
