import { isNodeReady, type Node, releases, value } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { declaredFeatures } from "../../src/admission/DeclaredFeatures.ts"
import {
  healthyObservation,
  kubeletConfig,
  type Machine,
  makeModelledHost,
  nodeSetting,
  reservationStartProblem
} from "../../src/index.ts"
import { machineResources } from "../../src/node/MachineResources.ts"
import { computeNode, nodeStatusChanged } from "../../src/rules.ts"
import { setUpKubelet } from "../setUpKubelet.ts"
import type { TestApi } from "../TestApi.ts"

const noReservation = kubeletConfig({ evictionHard: {} })
const capacity = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", "hugepages-2Mi": "1Gi" }
const machineWith = (more: Partial<Machine> = {}): Machine => ({
  ...makeModelledHost({ name: "n1", capacity }).machine(),
  ...more
})

const observation = healthyObservation

const bareNode: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
const NOW = "2026-01-01T00:00:00Z"
const statusOf = (machine: Machine, read: Node = bareNode, config = noReservation, release = releases["1.36"]) =>
  computeNode(read, nodeSetting(machine, config, release), observation, NOW).node

describe("resources", () => {
  it("are those of the machine less what is reserved and all huge pages; pods and devices cannot be reserved", () => {
    const config = kubeletConfig({
      systemReserved: { cpu: "500m", memory: "1Gi", pods: "10", "example.com/gpu": "1" },
      evictionHard: { "memory.available": "100%", "nodefs.available": "0%" }
    })
    const devices = {
      capacity: { "example.com/gpu": "4" },
      allocatable: { "example.com/gpu": "3" },
      removed: ["example.com/fpga"]
    }
    const { status } = statusOf(machineWith({ devices }), bareNode, config)
    assert.deepStrictEqual(status?.allocatable, {
      cpu: "3500m",
      memory: "6Gi",
      "ephemeral-storage": "100Gi",
      "hugepages-2Mi": "1Gi",
      pods: "110",
      "example.com/gpu": "3",
      "example.com/fpga": "0"
    })
    assert.deepInclude(status?.capacity, { "example.com/gpu": "4", "example.com/fpga": "0" })
  })

  it("keep entries of other writers, except removed extended resources", () => {
    const held = {
      capacity: { "example.com/dongle": "5", "hugepages-1Gi": "2Gi" },
      allocatable: { "example.com/dongle": "1", "example.com/gone": "7", other: "1" }
    }
    const { allocatable } = machineResources(held, machineWith(), noReservation)
    assert.strictEqual(allocatable["example.com/dongle"], "5")
    assert.isUndefined(allocatable["example.com/gone"])
    assert.strictEqual(allocatable.other, "1")
    assert.strictEqual(allocatable.memory, "5Gi", "pages of sizes that are no longer there count too")
  })

  it("are shared by machines of a group, and are the same objects while nothing changes", () => {
    const { capacity: shared } = machineWith()
    const [one, two] = ["a", "b"].map((name) => statusOf(makeModelledHost({ name, capacity: shared }).machine()))
    assert.strictEqual(one?.status?.allocatable, two?.status?.allocatable)
    const again = statusOf(machineWith(), one)
    assert.strictEqual(again.status?.capacity, one?.status?.capacity)
    assert.strictEqual(again.status?.allocatable, one?.status?.allocatable)
  })

  it("cannot be reserved beyond the capacity", () => {
    const reserved = (cpu: string, memory: string) =>
      kubeletConfig({ systemReserved: { cpu, memory }, evictionHard: {} })
    assert.isUndefined(reservationStartProblem({ capacity }, reserved("4", "8Gi")))
    assert.strictEqual(
      reservationStartProblem({ capacity }, reserved("4001m", "9Gi")),
      'invalid Node Allocatable configuration. Resource "cpu" has a reservation of 4001m but capacity of 4. Expected capacity >= reservation. Resource "memory" has a reservation of 9Gi but capacity of 8Gi. Expected capacity >= reservation.'
    )
  })

  it("that pods may use are never above the capacity, nor below zero", () => {
    const percent = fc.integer({ min: 0, max: 100 }).map((each) => `${each}%`)
    const amount = fc.integer({ min: 0, max: 10_000 }).map((each) => `${each}Mi`)
    fc.assert(
      fc.property(amount, amount, fc.oneof(percent, amount), amount, (system, kube, eviction, huge) => {
        const config = kubeletConfig({
          systemReserved: { memory: system },
          kubeReserved: { memory: kube },
          evictionHard: { "memory.available": eviction }
        })
        const machine = machineWith({ capacity: { ...capacity, "hugepages-2Mi": huge } })
        const { allocatable } = machineResources({}, machine, config)
        assert.isAtLeast(value(allocatable.memory ?? "-1"), 0)
        assert.isAtMost(value(allocatable.memory ?? "-1"), 8 * 2 ** 30)
      })
    )
  })
})

const amounts = fc.dictionary(
  fc.constantFrom(
    "cpu",
    "memory",
    "pods",
    "hugepages-2Mi",
    "hugepages-1Gi",
    "example.com/gpu",
    "example.com/fpga",
    "other"
  ),
  fc.integer({ min: 0, max: 10_000 }).map(String)
)

describe("the setters", () => {
  it("change nothing in their own result, whatever the input", () => {
    const read = fc.record({
      capacity: amounts,
      allocatable: amounts,
      removed: fc.subarray(["example.com/gpu", "example.com/fpga"])
    })
    fc.assert(
      fc.property(read, ({ allocatable, capacity: held, removed }) => {
        const machine = machineWith({ devices: { capacity: {}, allocatable: {}, removed } })
        const setting = nodeSetting(machine, kubeletConfig(), releases["1.36"])
        const node: Node = { ...bareNode, status: { capacity: held, allocatable } }
        const once = computeNode(node, setting, observation, NOW).node
        const twice = computeNode(once, setting, observation, "2026-01-01T00:05:00Z")
        assert.isFalse(nodeStatusChanged(once.status ?? {}, twice.node.status ?? {}))
        assert.isFalse(twice.relabelled)
        assert.strictEqual(twice.node.status?.allocatable, once.status?.allocatable, "the very same value")
        for (const name of removed) assert.strictEqual(once.status?.allocatable?.[name], "0")
      })
    )
  })
})

describe("a machine with unreadable facts", () => {
  const known = statusOf(machineWith())

  it("keeps the versions of the Node", () => {
    const versions = { ...machineWith().versions, osImage: "another" }
    const { status } = statusOf(machineWith({ versions, unreadable: ["versions"] }), known)
    assert.strictEqual(status?.nodeInfo, known.status?.nodeInfo)
  })

  it("reports no images, and zero cpu and memory", () => {
    const images = [{ repoDigests: [], repoTags: ["a"], sizeBytes: 1 }]
    const read = statusOf(machineWith({ images }))
    assert.lengthOf(read.status?.images ?? [], 1)
    const { status } = statusOf(machineWith({ images, unreadable: ["images", "info"], bootID: "another" }), read)
    assert.lengthOf(status?.images ?? [], 0)
    assert.deepInclude(status?.capacity, { cpu: "0", memory: "0", "ephemeral-storage": "100Gi" })
    assert.strictEqual(status?.nodeInfo?.bootID, read.status?.nodeInfo?.bootID)
  })
})

describe("the status of a machine", () => {
  it("of swap, handlers, features and warnings is in the status", () => {
    const machine = machineWith({
      swapBytes: 2 ** 30,
      runtimeHandlers: [{ name: "runc" }, { name: "", features: { userNamespaces: true } }],
      supplementalGroupsPolicy: false,
      softRequirements: "CPU hardcapping unsupported"
    })
    const { status } = statusOf(machine)
    assert.deepStrictEqual(status?.nodeInfo?.swap, { capacity: 2 ** 30 })
    assert.deepStrictEqual(
      status?.runtimeHandlers?.map(({ name }) => name),
      ["", "runc"]
    )
    assert.deepStrictEqual(status?.features, { supplementalGroupsPolicy: false })
    const ready = status?.conditions?.find(({ type }) => type === "Ready")
    assert.strictEqual(ready?.message, "kubelet is posting ready status. WARNING: CPU hardcapping unsupported")
    const without = statusOf(machineWith(), { ...bareNode, ...(status === undefined ? {} : { status }) })
    assert.deepStrictEqual(without.status?.nodeInfo?.swap, { capacity: 2 ** 30 }, "nobody takes it away")
  })

  it("is what its release knows", () => {
    const told = (name: "1.4" | "1.26" | "1.31" | "1.35" | "1.36") => {
      const release = releases[name]
      const { status } = statusOf(machineWith({ swapBytes: 1 }), bareNode, kubeletConfig({}, release), release)
      const { kubeletVersion, kubeProxyVersion, swap } = status?.nodeInfo ?? {}
      return [
        kubeletVersion,
        kubeProxyVersion,
        swap?.capacity,
        status?.features !== undefined,
        status?.declaredFeatures
      ]
    }
    assert.deepStrictEqual(told("1.4"), ["v1.4.0", "v1.4.0", undefined, false, undefined])
    assert.deepStrictEqual(told("1.26"), ["v1.26.0", "v1.26.0", undefined, false, undefined])
    assert.deepStrictEqual(told("1.31"), ["v1.31.0", "v1.31.0", undefined, false, undefined])
    assert.deepStrictEqual(told("1.35"), ["v1.35.0", "", 1, true, undefined])
    assert.deepStrictEqual(told("1.36"), [
      "v1.36.2",
      "",
      1,
      true,
      [
        "ExtendWebSocketsToKubelet",
        "InPlacePodLevelResourcesVerticalScaling",
        "InPlacePodVerticalScalingInitContainers",
        "RestartAllContainersOnContainerExits"
      ]
    ])
  })

  it("declares features by their gates, and resizing with exclusive CPUs in 1.35 only", () => {
    const on = {
      ...noReservation.featureGates,
      NodeDeclaredFeatures: true,
      InPlacePodVerticalScalingInitContainers: false
    }
    const declared = (name: "1.35" | "1.36", cpuManagerPolicy = "none") =>
      declaredFeatures({ featureGates: on, cpuManagerPolicy }, releases[name]) ?? []
    assert.include(declared("1.35"), "GuaranteedQoSPodCPUResize")
    assert.notInclude(declared("1.35", "static"), "GuaranteedQoSPodCPUResize")
    assert.notInclude(declared("1.36"), "GuaranteedQoSPodCPUResize")
    assert.notInclude(declared("1.36"), "InPlacePodVerticalScalingInitContainers")
  })

  it("has no volumes in use before they are known", () => {
    const held: Node = { ...bareNode, status: { volumesInUse: ["old"] } }
    assert.deepStrictEqual(statusOf(machineWith(), held).status?.volumesInUse, ["old"])
    assert.deepStrictEqual(statusOf(machineWith({ volumesInUse: [] }), held).status?.volumesInUse, [])
    assert.deepStrictEqual(statusOf(machineWith({ volumesInUse: ["new"] }), held).status?.volumesInUse, ["new"])
  })
})

const makeRecorder = () => {
  const events: Array<string> = []
  return {
    events,
    recorder: {
      event: (_about: unknown, type: string, reason: string, message: string) => {
        events.push(`${type} ${reason}: ${message}`)
      }
    }
  }
}

const cordon = (api: TestApi, unschedulable: boolean) =>
  api.ask({ verb: "patch", kind: "Node", name: "n1", patchType: "merge", body: { spec: { unschedulable } } })

describe("a kubelet", () => {
  it("records the conditions of a newly registered node, and again after a restart", () => {
    const { events, recorder } = makeRecorder()
    const { kubelet, untilMs } = setUpKubelet({ recorder })
    kubelet.startKubelet()
    untilMs(100)
    const ofStart = [
      "Normal Starting: Starting kubelet.",
      "Normal NodeHasSufficientMemory: Node n1 status is now: NodeHasSufficientMemory",
      "Normal NodeHasNoDiskPressure: Node n1 status is now: NodeHasNoDiskPressure",
      "Normal NodeHasSufficientPID: Node n1 status is now: NodeHasSufficientPID"
    ]
    assert.deepStrictEqual(events.splice(0), ofStart)
    untilMs(10_000)
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(60_000)
    assert.deepStrictEqual(events, ofStart)
  })

  it("records with its next update that its node was cordoned, and once again after a restart", () => {
    const { events, recorder } = makeRecorder()
    const { api, kubelet, plans, untilMs } = setUpKubelet({ recorder })
    kubelet.startKubelet()
    untilMs(10_500)
    events.length = 0
    cordon(api, true)
    untilMs(19_999)
    assert.lengthOf(events, 0)
    untilMs(20_000)
    assert.deepStrictEqual(events, ["Normal NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable"])
    const before = plans()
    untilMs(60_000)
    assert.lengthOf(events, 1)
    assert.isAtMost(plans() - before, 8, "leases, and no looks")
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(80_000)
    assert.deepStrictEqual(
      events.slice(1).filter((event) => event.includes("Schedulable")),
      ["Normal NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable"]
    )
    cordon(api, false)
    untilMs(100_000)
    assert.strictEqual(events.at(-1), "Normal NodeSchedulable: Node n1 status is now: NodeSchedulable")
  })

  it("with registerNode off uses an existing node, and keeps its taints", () => {
    const registerWithTaints = [{ key: "mine", effect: "NoSchedule" } as const]
    const { api, kubelet, untilMs } = setUpKubelet({
      config: kubeletConfig({ registerNode: false, registerWithTaints })
    })
    kubelet.startKubelet()
    untilMs(60_000)
    assert.isUndefined(api.node("n1"))
    api.createNode({ metadata: { name: "n1", labels: { owner: "ops" } } })
    untilMs(80_000)
    const node = api.node("n1")
    assert.isTrue(node !== undefined && isNodeReady(node))
    assert.deepInclude(node?.metadata.labels, {
      owner: "ops",
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64"
    })
    assert.isUndefined(node?.metadata.labels?.["kubernetes.io/hostname"], "nothing is reconciled")
    assert.isFalse(node?.spec?.taints?.some(({ key }) => key === "mine"))
  })

  it("on a recreated machine resets its device resources", () => {
    const machine = machineWith({ recreated: true })
    const { api, kubelet, untilMs } = setUpKubelet({ host: { machine: () => machine, booted: () => {} } })
    api.createNode({ metadata: { name: "n1" } })
    const status = { capacity: { "example.com/gpu": "4" }, allocatable: { "example.com/gpu": "4" } }
    api.update("Node", { ...bareNode, status } as Node, "status")
    kubelet.startKubelet()
    untilMs(1_000)
    assert.strictEqual(api.node("n1")?.status?.allocatable?.["example.com/gpu"], "0")
    assert.isTrue(isNodeReady(api.node("n1") as Node))
  })
})
