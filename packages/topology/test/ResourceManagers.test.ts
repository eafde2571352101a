import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import * as fc from "fast-check"
import {
  type CpuSetChange,
  makeResourceManagers,
  parseCpuSet,
  resourceManagersConfig,
  usesResourceManagers
} from "../src/index.ts"
import {
  configOf,
  filesOf,
  Gi,
  machineOf,
  podOf,
  type RequestedResources,
  type TestManagers,
  testManagersOf,
  tryTestManagers
} from "./fixtures.ts"

const AFFINITY_ERROR = "TopologyAffinityError: Resources cannot be allocated with Topology locality"
const cpusOf = (managers: TestManagers, pod: string, container = "a") => managers.cpusOf(pod, container)
const singleNumaNodeConfig = configOf({ topologyManagerPolicy: "single-numa-node" })

describe("the resource managers of a kubelet", () => {
  it("do not align containers by default", () => {
    const config = resourceManagersConfig()
    assert.isFalse(usesResourceManagers(config))
    const managers = testManagersOf({ config })
    assert.isUndefined(managers.place(podOf("pod", { a: { cpu: "100", memory: "100Gi" } })))
    assert.isUndefined(managers.memoryNodesOf("pod", "a"))
    assert.deepStrictEqual(managers.topology.affinityOf("pod"), {})
    assert.strictEqual(managers.metrics.value("kubelet_topology_manager_admission_requests_total"), 1)
  })

  it("bring CPUs, memory and devices of a container onto one node", () => {
    const devices = { "example.com/gpu": [{ id: "gpu-0", healthy: true, numaNodes: [1] }] }
    const managers = testManagersOf({ config: singleNumaNodeConfig, devices })
    assert.isUndefined(managers.place(podOf("pod", { a: { cpu: "4", memory: "2Gi", gpu: "1" } })))
    assert.strictEqual(cpusOf(managers, "pod"), "4-5,12-13")
    assert.deepStrictEqual(managers.memoryNodesOf("pod", "a"), [1])
    // Seven CPUs and six GiB are on node 0, the device is not.
    assert.strictEqual(managers.place(podOf("other", { a: { cpu: "4", gpu: "1" } })), AFFINITY_ERROR)
    const labels = { scope: "container", boundary: "numa_node" }
    const { metrics } = managers
    assert.strictEqual(metrics.value("kubelet_container_aligned_compute_resources_count", labels), 1)
    assert.strictEqual(metrics.value("kubelet_container_aligned_compute_resources_failure_count", labels), 1)
  })

  it("refuse pods that do not fit one node, as the policy says", () => {
    const tried = (policy: string) => {
      const managers = testManagersOf({ config: configOf({ topologyManagerPolicy: policy }) })
      assert.isUndefined(managers.place(podOf("one", { a: { cpu: "6", memory: "1Gi" } })))
      assert.isUndefined(managers.place(podOf("two", { a: { cpu: "7", memory: "1Gi" } })))
      // One CPU is left on each node.
      return managers.place(podOf("three", { a: { cpu: "2", memory: "1Gi" } }))
    }
    assert.deepStrictEqual(["none", "best-effort", "restricted", "single-numa-node"].map(tried), [
      undefined,
      undefined,
      AFFINITY_ERROR,
      AFFINITY_ERROR
    ])
  })

  it("release the resources of a refused pod's earlier containers when the next pod is admitted", () => {
    const managers = testManagersOf({ config: singleNumaNodeConfig })
    assert.strictEqual(managers.place(podOf("pod", { a: { cpu: "4" }, b: { cpu: "9" } })), AFFINITY_ERROR)
    assert.strictEqual(cpusOf(managers, "pod"), "1-2,9-10")
    assert.isUndefined(managers.place(podOf("next", { a: { cpu: "4" } })))
    assert.strictEqual(cpusOf(managers, "next"), "1-2,9-10")
    assert.deepStrictEqual(managers.topology.affinityOf("pod"), {})
  })

  it("release a pod's resources once it is removed, and not while it is on the node", () => {
    const managers = testManagersOf()
    const shared = cpusOf(managers, "nobody")
    managers.place(podOf("one", { a: { cpu: "2" } }))
    managers.remove("somebody else")
    assert.strictEqual(cpusOf(managers, "one"), "1,9")
    managers.end("one")
    assert.strictEqual(cpusOf(managers, "one"), shared)
    assert.strictEqual(managers.metrics.value("kubelet_cpu_manager_exclusive_cpu_allocation_count"), 0)
  })

  it("release nothing while the node's pods are not known", () => {
    const checkpoint = filesOf()
    const first = testManagersOf({ checkpoint })
    first.place(podOf("old", { a: { cpu: "2", memory: "2Gi" } }))
    let known: ReadonlyArray<Pod> | undefined
    const made = makeResourceManagers({
      machine: machineOf(2),
      config: configOf(),
      checkpoint,
      activePods: () => known
    })
    if (made._tag === "Failure") throw new Error(made.failure)
    const restarted = made.success
    assert.isUndefined(restarted.admit({ pod: podOf("static", { a: { cpu: "2" } }) }))
    restarted.remove("static")
    assert.deepStrictEqual([restarted.cpusOf("old", "a"), restarted.cpusOf("static", "a")], ["1,9", "2,10"])
    known = []
    restarted.remove("static")
    assert.strictEqual(restarted.cpusOf("old", "a"), "0-15")
    assert.strictEqual(restarted.memory.machineMemory()[0]?.memoryMap.memory?.free, 6 * Gi)
  })

  it("give a restarted kubelet's pods the same again, in whatever order they come", () => {
    const checkpoint = filesOf()
    const first = testManagersOf({ config: singleNumaNodeConfig, checkpoint })
    for (const name of ["one", "two", "three"]) first.place(podOf(name, { a: { cpu: "3", memory: "1Gi" } }))
    const told = (managers: TestManagers) =>
      ["one", "two", "three"].map((name) => [cpusOf(managers, name), managers.memoryNodesOf(name, "a")])
    const second = testManagersOf({ config: singleNumaNodeConfig, checkpoint }, new Map(first.pods))
    for (const pod of [...second.pods.values()].reverse()) assert.isUndefined(second.place(pod))
    assert.deepStrictEqual(told(second), told(first))
  })

  it("update a runtime once when CPUs change", () => {
    const managers = testManagersOf()
    const running = { containerStatuses: [{ name: "a", containerID: "rt://1", state: { running: {} } }] }
    const pod = podOf("one", { a: { cpu: "2" } })
    managers.place({ ...pod, status: running } as Pod)
    const written: Array<string> = []
    const write = (change: CpuSetChange) => written.push(`${change.podUid}/${change.containerName} ${change.cpus}`) > 0
    managers.reconcile(write)
    managers.reconcile(write)
    assert.deepStrictEqual(written, ["one/a 1,9"])
  })

  it("fail with the kubelet's messages if they cannot start", () => {
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ topologyManagerPolicy: "strict" }, 'unknown policy: "strict"'],
      [{ cpuManagerPolicy: "dynamic" }, 'unknown policy: "dynamic"'],
      [
        { kubeReserved: {}, reservedMemory: [], memoryManagerPolicy: "None" },
        "[cpumanager] unable to determine reserved CPU resources for static policy"
      ],
      [{ reservedSystemCPUs: "0,99" }, "reserved-cpus: 0,99 is not a subset of online-cpus: 0-15"],
      [{ reservedSystemCPUs: "3-1" }, 'unable to parse reserved-cpus list: invalid range "3-1" (3 > 1)'],
      [
        { evictionHard: { "memory.available": "10%" } },
        // Single precision: 10 % of 16 GiB and a little.
        'the total amount "1Gi" of type "memory" is not equal to the value "2686871168" determined by Node Allocatable feature'
      ]
    ]
    for (const [given, error] of cases) {
      const made = tryTestManagers({ config: configOf(given) })
      const failure = made._tag === "Failure" ? made.failure : "it starts"
      assert.strictEqual(failure.replace("new static policy error: ", ""), error)
    }
  })

  it("give no CPU to two containers, and keep containers on the node of their hint", () => {
    const asked: fc.Arbitrary<RequestedResources> = fc.record({
      cpu: fc.constantFrom("500m", "1", "2", "3", "6"),
      memory: fc.constantFrom("1Gi", "3Gi")
    })
    const step = fc.oneof(
      fc.record({ uid: fc.nat(9), a: asked, b: fc.option(asked), init: fc.option(asked) }),
      fc.record({ end: fc.nat(9) })
    )
    const scopes = fc.constantFrom("container", "pod")
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), scopes, (steps, topologyManagerScope) => {
        const managers = testManagersOf({
          machine: machineOf(4),
          config: { ...singleNumaNodeConfig, topologyManagerScope }
        })
        const own = (uid: string, name: string) => {
          const all = managers.cpu.state().containers.get(uid)?.get(name)
          return all === undefined ? [] : all.ids
        }
        for (const step of steps) {
          if ("end" in step) managers.end(`${step.end}`)
          else if (!managers.pods.has(`${step.uid}`)) {
            const { a, b, init, uid } = step
            const containers = { a, ...(b === null ? {} : { b }) }
            managers.place(podOf(`${uid}`, containers, init === null ? {} : { init }))
          }
          managers.remove("")
          const taken = [...managers.pods.keys()].flatMap((uid) => ["a", "b"].flatMap((name) => own(uid, name)))
          assert.strictEqual(new Set(taken).size, taken.length)
          for (const uid of managers.pods.keys()) {
            for (const name of ["a", "b"]) {
              const nodes = new Set(own(uid, name).map((id) => Math.floor((id % 16) / 4)))
              assert.isAtMost(nodes.size, 1)
              const memory = managers.memoryNodesOf(uid, name)
              if (memory !== undefined && nodes.size > 0) assert.deepStrictEqual(memory, [...nodes])
            }
          }
          const shared = parseCpuSet(managers.cpusOf("nobody", "a"))
          if (shared._tag === "Success") assert.isFalse(taken.some((id) => shared.success.has(id)))
        }
      }),
      { numRuns: 60 }
    )
  })
})
