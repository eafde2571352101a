import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { MachineMemory, MemoryManager } from "../../src/index.ts"
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
} from "../fixtures.ts"

const config = configOf({ cpuManagerPolicy: "none" })
const machine = machineOf(2)
const makeManagers = (policy = "none", scope = "container", nodes = 2) =>
  testManagersOf({
    machine: machineOf(nodes),
    config: { ...config, topologyManagerPolicy: policy, topologyManagerScope: scope }
  })

const freeOf = (memory: MachineMemory, kind = "memory") =>
  Object.values(memory).map(({ memoryMap }) => (memoryMap[kind]?.free ?? 0) / Gi)
const nodesOf = ({ memory }: TestManagers, pod: string, container = "a") => memory.numaNodesOf(pod, container)

/** Nothing is given away twice, and the books agree with what containers hold. */
const checkSums = (memory: MemoryManager, held: ReadonlyArray<string>): void => {
  const sums: Record<string, number> = {}
  for (const [id, node] of Object.entries(memory.machineMemory())) {
    assert.isAtLeast(node.numberOfAssignments, 0)
    if (node.numberOfAssignments === 0) assert.deepStrictEqual(node.cells, [Number(id)])
    for (const [kind, { allocatable, free, reserved }] of Object.entries(node.memoryMap)) {
      assert.isAtLeast(free, 0)
      assert.isAtLeast(reserved, 0)
      assert.strictEqual(free + reserved, allocatable)
      sums[kind] = (sums[kind] ?? 0) + reserved
    }
  }
  for (const uid of held) {
    for (const name of ["init", "side", "a", "b"]) {
      for (const { size, type } of memory.blocksOf(uid, name)) sums[type] = (sums[type] ?? 0) - size
    }
  }
  assert.deepStrictEqual(
    Object.values(sums),
    Object.keys(sums).map(() => 0)
  )
}

describe("the memory manager", () => {
  it("starts with the memory after reservations and huge pages", () => {
    assert.deepStrictEqual(freeOf(makeManagers().memory.machineMemory()), [6, 7])
    assert.deepStrictEqual(freeOf(makeManagers().memory.machineMemory(), "hugepages-2Mi"), [1, 1])
    assert.deepStrictEqual(
      makeManagers()
        .memory.allocatable()
        .map(({ numaAffinity, size, type }) => [numaAffinity, type, size / Gi]),
      [
        [[0], "hugepages-2Mi", 1],
        [[0], "memory", 6],
        [[1], "hugepages-2Mi", 1],
        [[1], "memory", 7]
      ]
    )
  })

  it("ignores pods that are not Guaranteed, or have pod-level resources", () => {
    const managers = makeManagers()
    const pod = podOf("one", { a: {} })
    managers.place({ ...pod, status: { qosClass: "Burstable" } })
    const own = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } }
    managers.place({ ...podOf("two", { a: {} }), spec: { ...pod.spec, resources: own } })
    assert.deepStrictEqual(freeOf(managers.memory.machineMemory()), [6, 7])
    assert.isUndefined(nodesOf(managers, "one"))
    assert.strictEqual(managers.metrics.value("kubelet_memory_manager_pinning_requests_total"), 0)
  })

  it("does not mix groups of nodes and single nodes", () => {
    const managers = makeManagers()
    assert.isUndefined(managers.place(podOf("big", { a: { memory: "8Gi" } })))
    assert.deepStrictEqual(nodesOf(managers, "big"), [0, 1])
    // 5 GiB are free on node 1, but a group serves the groups' pods only: this one joins it.
    assert.isUndefined(managers.place(podOf("small", { a: { memory: "1Gi" } })))
    assert.deepStrictEqual(nodesOf(managers, "small"), [0, 1])
    managers.end("big")
    managers.end("small")
    assert.isUndefined(managers.place(podOf("small", { a: { memory: "1Gi" } })))
    assert.deepStrictEqual(nodesOf(managers, "small"), [0])
    const refused =
      "UnexpectedAdmissionError: Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available, which is unexpected"
    assert.strictEqual(managers.place(podOf("big", { a: { memory: "8Gi" } })), refused)
  })

  it("fails in allocation, not in the merge, where nothing fits", () => {
    const managers = makeManagers("single-numa-node")
    const refusal = managers.place(podOf("big", { a: { memory: "20Gi" } }))
    assert.match(refusal ?? "", /^UnexpectedAdmissionError: .*failed to get the default NUMA affinity/)
    assert.strictEqual(managers.metrics.value("kubelet_memory_manager_pinning_errors_total"), 1)
    // Two nodes could hold this one: preferred, but not on one node.
    const affinity = "TopologyAffinityError: Resources cannot be allocated with Topology locality"
    assert.strictEqual(managers.place(podOf("two", { a: { memory: "8Gi" } })), affinity)
  })

  it("refuses amounts that are no whole bytes", () => {
    const refusal = makeManagers().place(podOf("odd", { a: { memory: "100m" } }))
    assert.match(refusal ?? "", /\[memorymanager\] failed to represent quantity as int64/)
  })

  it("reuses memory of earlier init containers", () => {
    const managers = makeManagers()
    const pod = podOf("pod", { a: { memory: "2Gi" }, b: { memory: "2Gi" } }, { init: { memory: "3Gi" } })
    assert.isUndefined(managers.place(pod))
    // a takes 2 of 3, b the last one and one more.
    assert.deepStrictEqual(freeOf(managers.memory.machineMemory()), [2, 7])
    const sizes = ["init", "a", "b"].map((name) => managers.memory.blocksOf("pod", name)[0]?.size)
    assert.deepStrictEqual(sizes, [0, 2 * Gi, 2 * Gi])
    checkSums(managers.memory, ["pod"])
  })

  it("does not reuse memory of sidecars", () => {
    const managers = makeManagers()
    managers.place(podOf("pod", { a: { memory: "2Gi" } }, { side: { memory: "2Gi", sidecar: true } }))
    assert.deepStrictEqual(freeOf(managers.memory.machineMemory()), [2, 7])
  })

  it("requests the peak of a whole pod in pod scope", () => {
    const managers = makeManagers("single-numa-node", "pod")
    const pod = podOf(
      "pod",
      { a: { memory: "3Gi" } },
      { side: { memory: "2Gi", sidecar: true }, init: { memory: "5Gi" } }
    )
    // 2 + 5 beside each other: node 1 alone has 7.
    assert.isUndefined(managers.place(pod))
    assert.deepStrictEqual(
      ["side", "init", "a"].map((name) => nodesOf(managers, "pod", name)),
      [[1], [1], [1]]
    )
  })

  it("divides the memory of a pod with pod-level resources", () => {
    const featureGates = { ...config.featureGates, PodLevelResourceManagers: true }
    const managers = testManagersOf({
      config: { ...config, featureGates, topologyManagerPolicy: "restricted", topologyManagerScope: "pod" }
    })
    const own = { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "2", memory: "4Gi" } }
    const pod = podOf("pod", { a: { memory: "3Gi" }, b: {} })
    const [a, b] = pod.spec.containers
    if (a === undefined || b === undefined) throw new Error("two containers")
    const whole = { ...pod, spec: { ...pod.spec, resources: own, containers: [a, { name: b.name }] } }
    assert.isUndefined(managers.place(whole))
    const sizes = ["a", "b"].map((name) => managers.memory.blocksOf("pod", name)[0]?.size)
    assert.deepStrictEqual(sizes, [3 * Gi, Gi])
    assert.deepStrictEqual(freeOf(managers.memory.machineMemory()), [2, 7])
    managers.end("pod")
    assert.deepStrictEqual(freeOf(managers.memory.machineMemory()), [6, 7])

    const greedy = { ...own, requests: { ...own.requests, memory: "3Gi" }, limits: { ...own.limits, memory: "3Gi" } }
    const spent = { ...whole, spec: { ...whole.spec, resources: greedy } }
    assert.match(managers.place(spent) ?? "", /^TopologyAffinityError: Pod Scope/)
  })

  it("never allocates memory twice, and gets all of it back", () => {
    const asked: fc.Arbitrary<RequestedResources> = fc.record({
      memory: fc.constantFrom("1Gi", "2Gi", "3Gi", "5Gi", "9Gi"),
      hugePages: fc.constantFrom("0", "512Mi", "1Gi")
    })
    const step = fc.oneof(
      fc.record({ uid: fc.nat(7), a: asked, b: fc.option(asked), init: fc.option(asked), side: fc.option(asked) }),
      fc.record({ end: fc.nat(7) })
    )
    const policies = fc.constantFrom("none", "best-effort", "restricted", "single-numa-node")
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 25 }),
        policies,
        fc.constantFrom("container", "pod"),
        (steps, policy, scope) => {
          const checkpoint = filesOf()
          const options = {
            machine: machineOf(4),
            config: { ...config, topologyManagerPolicy: policy, topologyManagerScope: scope },
            checkpoint
          }
          const managers = testManagersOf(options)
          const before = managers.memory.machineMemory()
          for (const step of steps) {
            if ("end" in step) managers.end(`${step.end}`)
            else if (!managers.pods.has(`${step.uid}`)) {
              const { a, b, init, side, uid } = step
              managers.place(
                podOf(
                  `${uid}`,
                  { a, ...(b === null ? {} : { b }) },
                  {
                    ...(side === null ? {} : { side: { ...side, sidecar: true } }),
                    ...(init === null ? {} : { init })
                  }
                )
              )
              managers.remove("")
            }
            checkSums(managers.memory, [...managers.pods.keys()])
            // What is written can be gone on from at any time.
            const restarted = testManagersOf(options, managers.pods)
            assert.deepStrictEqual(restarted.memory.machineMemory(), managers.memory.machineMemory())
          }
          managers.pods.clear()
          managers.remove("")
          assert.deepStrictEqual(managers.memory.machineMemory(), before)
        }
      ),
      { numRuns: 60 }
    )
  })
})

describe("the memory manager's state file", () => {
  const error = (text: string, given = config) => {
    const made = tryTestManagers({ config: given, checkpoint: filesOf(new Map([["memory_manager_state", text]])) })
    return made._tag === "Failure" ? made.failure : undefined
  }
  const written = () => {
    const checkpoint = filesOf()
    const managers = testManagersOf({ config, checkpoint })
    managers.place(podOf("pod", { a: { hugePages: "512Mi" } }))
    return { managers, checkpoint, text: checkpoint.read("memory_manager_state") ?? "" }
  }
  const advice =
    'please drain this node and delete the memory manager checkpoint file "/var/lib/kubelet/memory_manager_state" before restarting Kubelet'

  it("assigns containers the same memory after a restart", () => {
    const { checkpoint, managers } = written()
    const pods = new Map(managers.pods)
    const restarted = testManagersOf({ config: { ...config, topologyManagerPolicy: "restricted" }, checkpoint }, pods)
    for (const pod of pods.values()) assert.isUndefined(restarted.place(pod))
    assert.deepStrictEqual(restarted.memory.blocksOf("pod", "a"), managers.memory.blocksOf("pod", "a"))
    assert.deepStrictEqual(restarted.topology.getAffinity("pod", "a"), { mask: 1n, preferred: true })
    assert.deepStrictEqual(restarted.memory.machineMemory(), managers.memory.machineMemory())
  })

  it("is refused when damaged, of another policy, or of another machine", () => {
    const { text } = written()
    assert.isUndefined(error(text))
    const corrupted = `could not restore state from checkpoint: checkpoint is corrupted, ${advice}`
    assert.strictEqual(error(text.replace("1073741824", "1073741825")), corrupted)
    for (const broken of ["[]", "no JSON", '{"policyName":1}']) assert.strictEqual(error(broken), corrupted)
    assert.match(error(text.slice(0, -3)) ?? "", /: unexpected end of JSON input, please drain/)
    const other = { ...config, memoryManagerPolicy: "None" }
    assert.match(
      error(text, other) ?? "",
      /\[memorymanager\] configured policy "None" differs from state checkpoint policy "Static"/
    )
    const reserved = {
      kubeReserved: { memory: "1948Mi" },
      reservedMemory: [{ numaNode: 0, limits: { memory: "2Gi" } }]
    }
    const different = "[memorymanager] the expected machine state is different from the real one"
    assert.strictEqual(error(text, { ...config, ...reserved }), different)
    const unsealed = (fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields, checksum: 0 })
    assert.isUndefined(error(unsealed({})))
    assert.strictEqual(error(unsealed({ entries: {} })), different)
    const emptied = "[memorymanager] machine state can not be empty when it has memory assignments"
    assert.strictEqual(error(unsealed({ machineState: {} })), emptied)
    const elsewhere = { pod: { a: [{ numaAffinity: [7], type: "memory", size: 1 }] } }
    const nowhere = "[memorymanager] (pod: pod, container: a) the memory assignment uses the NUMA that does not exist"
    assert.strictEqual(error(unsealed({ entries: elsewhere })), nowhere)
  })

  it("fails with the kubelet's error for an invalid configuration", () => {
    const failure = (given: object) => {
      const made = tryTestManagers({ machine, config: { ...config, ...given } })
      return made._tag === "Failure" ? made.failure : undefined
    }
    assert.strictEqual(
      failure({ memoryManagerPolicy: "BestEffort" }),
      'policy "BestEffort" is not available for platform "linux"'
    )
    assert.strictEqual(failure({ memoryManagerPolicy: "static" }), 'unknown policy: "static"')
    assert.strictEqual(
      failure({ reservedMemory: [{ numaNode: 2, limits: { memory: "1Gi" } }] }),
      "the reserved memory configuration references a NUMA node 2 that does not exist on this machine"
    )
    assert.strictEqual(
      failure({
        reservedMemory: [
          { numaNode: 0, limits: { memory: "1Gi" } },
          { numaNode: 1, limits: { memory: "512Mi" } }
        ]
      }),
      'the total amount "1536Mi" of type "memory" is not equal to the value "1Gi" determined by Node Allocatable feature'
    )
    const nothing = { reservedMemory: [], kubeReserved: {}, evictionHard: {} }
    assert.strictEqual(failure(nothing), "[memorymanager] you should specify the system reserved memory")
  })
})
