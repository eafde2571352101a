import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { DeviceInventory } from "../../src/index.ts"
import { maskIds } from "../../src/rules.ts"
import { configOf, machineOf, podOf, type TestManagers, testManagersOf } from "../fixtures.ts"

const gpu = "example.com/gpu"
const gpus = (...nodes: ReadonlyArray<ReadonlyArray<number>>): DeviceInventory => ({
  [gpu]: nodes.map((numaNodes, index) => ({ id: `gpu-${index}`, healthy: true, numaNodes }))
})
const makeManagers = (devices: DeviceInventory, policy = "none", scope = "container", nodes = 2) =>
  testManagersOf({
    machine: machineOf(nodes),
    config: configOf({
      cpuManagerPolicy: "none",
      memoryManagerPolicy: "None",
      topologyManagerPolicy: policy,
      topologyManagerScope: scope
    }),
    devices
  })
const devicesHeldBy = ({ devices }: TestManagers, pod: string, container = "a") =>
  devices.devicesOf(pod, container)[gpu]
const hintsOf = ({ devices }: TestManagers, count: string) => {
  const pod = podOf("asking", { a: { gpu: count } })
  const [container] = pod.spec.containers
  const lists = container === undefined ? null : devices.getTopologyHints(pod, container)
  return lists?.[gpu]?.map(({ mask, preferred }) => [maskIds(mask ?? 0n), preferred]) ?? null
}

describe("the device manager", () => {
  it("returns hints for nodes with enough free devices, and prefers the fewest possible nodes", () => {
    const managers = makeManagers(gpus([0], [0], [1], [1]))
    assert.deepStrictEqual(hintsOf(managers, "2"), [
      [[0], true],
      [[1], true],
      [[0, 1], false]
    ])
    managers.place(podOf("one", { a: { gpu: "1" } }))
    assert.deepStrictEqual(hintsOf(managers, "2"), [
      [[1], true],
      [[0, 1], false]
    ])
    assert.deepStrictEqual(hintsOf(managers, "3"), [[[0, 1], true]])
    assert.deepStrictEqual(hintsOf(managers, "4"), [])
  })

  it("has no preference for devices without a NUMA node, and considers only nodes with devices", () => {
    assert.isNull(hintsOf(makeManagers(gpus([], [])), "1"))
    assert.deepStrictEqual(hintsOf(makeManagers(gpus([2]), "none", "container", 4), "1"), [[[2], true]])
    // The machine knows no node 9: all of its nodes are looked at, and the device is on none.
    assert.deepStrictEqual(hintsOf(makeManagers(gpus([9])), "1"), [])
  })

  it("aligns devices under a policy, and refuses a pod whose devices are apart", () => {
    const managers = makeManagers(gpus([0], [1], [1]), "single-numa-node")
    assert.isUndefined(managers.place(podOf("two", { a: { gpu: "2" } })))
    assert.deepStrictEqual(devicesHeldBy(managers, "two"), ["gpu-1", "gpu-2"])
    const refused = "TopologyAffinityError: Resources cannot be allocated with Topology locality"
    assert.strictEqual(managers.place(podOf("again", { a: { gpu: "2" } })), refused)
    managers.end("two")
    assert.isUndefined(managers.place(podOf("again", { a: { gpu: "2" } })))
  })

  it("takes devices on the hint's nodes first, then others, then those without a NUMA node", () => {
    const managers = makeManagers(gpus([], [0], [1]), "best-effort")
    assert.isUndefined(managers.place(podOf("pod", { a: { gpu: "1" } })))
    assert.deepStrictEqual(devicesHeldBy(managers, "pod"), ["gpu-1"])
    assert.isUndefined(managers.place(podOf("other", { a: { gpu: "2" } })))
    assert.deepStrictEqual(devicesHeldBy(managers, "other"), ["gpu-2", "gpu-0"])
  })

  it("reuses devices of earlier init containers, but not of sidecars", () => {
    const managers = makeManagers(gpus([0], [0], [0]))
    const inits = { init: { gpu: "2" }, side: { gpu: "1", sidecar: true } }
    assert.isUndefined(managers.place(podOf("pod", { a: { gpu: "1" }, b: { gpu: "1" } }, inits)))
    const devices = ["init", "side", "a", "b"].map((name) => devicesHeldBy(managers, "pod", name))
    assert.deepStrictEqual(devices, [["gpu-0", "gpu-1"], ["gpu-0"], ["gpu-1"], ["gpu-2"]])
  })

  it("requires the devices of a whole pod on one node in pod scope", () => {
    const managers = makeManagers(gpus([0], [1], [1]), "restricted", "pod")
    assert.isUndefined(managers.place(podOf("pod", { a: { gpu: "1" }, b: { gpu: "1" } })))
    assert.deepStrictEqual(
      [devicesHeldBy(managers, "pod", "a"), devicesHeldBy(managers, "pod", "b")],
      [["gpu-1"], ["gpu-2"]]
    )
  })

  it("fails with the kubelet's messages", () => {
    const managers = makeManagers(gpus([0], [1]))
    const failed = (what: string) => `UnexpectedAdmissionError: Allocate failed due to ${what}, which is unexpected`
    const short = `requested number of devices unavailable for ${gpu}. Requested: 3, Available: 2`
    assert.strictEqual(managers.place(podOf("three", { a: { gpu: "3" } })), failed(short))
    const pod = podOf("one", { a: { gpu: "1" } })
    managers.place(pod)
    managers.devices.setDevices(gpu, [
      { id: "gpu-0", healthy: false, numaNodes: [0] },
      { id: "gpu-1", healthy: true, numaNodes: [1] }
    ])
    assert.deepStrictEqual([managers.devices.capacity(), managers.devices.allocatable()], [{ [gpu]: 2 }, { [gpu]: 1 }])
    const sick = `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${gpu}`
    assert.strictEqual(managers.place(pod), failed(sick))
    const more = `pod "one" container "a" changed request for resource "${gpu}" from 1 to 2`
    assert.strictEqual(managers.place(podOf("one", { a: { gpu: "2" } })), failed(more))
    managers.devices.setDevices(gpu, [])
    const none = `no healthy devices present; cannot allocate unhealthy devices ${gpu}`
    assert.strictEqual(managers.place(podOf("new", { a: { gpu: "1" } })), failed(none))
  })

  it("gives no device to two pods", () => {
    const place = fc.record({ uid: fc.nat(5), a: fc.nat(3), b: fc.nat(2), init: fc.nat(3) })
    const step = fc.oneof(place, fc.record({ end: fc.nat(5) }))
    const policies = fc.constantFrom("none", "best-effort", "restricted", "single-numa-node")
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), policies, (steps, policy) => {
        const managers = makeManagers(gpus([0], [0], [1], [0, 1], []), policy)
        for (const step of steps) {
          if ("end" in step) managers.end(`${step.end}`)
          else if (!managers.pods.has(`${step.uid}`)) {
            const { a, b, init, uid } = step
            managers.place(podOf(`${uid}`, { a: { gpu: `${a}` }, b: { gpu: `${b}` } }, { init: { gpu: `${init}` } }))
          }
          const all = [...managers.pods.keys()].flatMap((uid) => [
            ...new Set(["init", "a", "b"].flatMap((name) => devicesHeldBy(managers, uid, name) ?? []))
          ])
          assert.strictEqual(new Set(all).size, all.length)
          for (const uid of managers.pods.keys()) {
            const [a = [], b = []] = [devicesHeldBy(managers, uid, "a"), devicesHeldBy(managers, uid, "b")]
            assert.isFalse(a.some((id) => b.includes(id)))
          }
        }
      })
    )
  })

  it("lets a plugin choose once among the free devices on the hint's nodes, if those are more than needed", () => {
    const managers = makeManagers(gpus([0], [0], [0], [1]), "single-numa-node")
    assert.isUndefined(managers.place(podOf("pod", { a: { gpu: "2" } })))
    const available = ["gpu-0", "gpu-1", "gpu-2"]
    const { devices } = managers
    assert.deepStrictEqual(devices.preferenceOf("pod", "a", gpu), { available, mustInclude: [], size: 2 })
    devices.prefer("pod", "a", gpu, ["gpu-3", "gpu-2"])
    assert.deepStrictEqual(devicesHeldBy(managers, "pod"), ["gpu-2", "gpu-0"])
    assert.isUndefined(devices.preferenceOf("pod", "a", gpu))
    devices.prefer("pod", "a", gpu, ["gpu-1"])
    assert.deepStrictEqual(devicesHeldBy(managers, "pod"), ["gpu-2", "gpu-0"])
  })

  it("lets a plugin choose the rest where the hint's nodes have too few, and nothing where all is taken", () => {
    const managers = makeManagers(gpus([0], [1], [1], []))
    assert.isUndefined(managers.place(podOf("all", { a: { gpu: "4" } })))
    assert.deepStrictEqual(managers.devices.preferenceOf("all", "a", gpu)?.size, 4)
    const few = makeManagers(gpus([0], [1], [1]), "best-effort")
    assert.isUndefined(few.place(podOf("one", { a: { gpu: "1" } })))
    assert.isUndefined(few.devices.preferenceOf("one", "a", gpu))
  })

  it("keeps devices of init containers, and lets no plugin choose those anew that later containers have", () => {
    const managers = makeManagers(gpus([], [], [], []))
    assert.isUndefined(managers.place(podOf("pod", { a: { gpu: "2" } }, { init: { gpu: "1" } })))
    assert.deepStrictEqual(devicesHeldBy(managers, "pod"), ["gpu-0", "gpu-1"])
    assert.isUndefined(managers.devices.preferenceOf("pod", "init", gpu))
    const preference = managers.devices.preferenceOf("pod", "a", gpu)
    assert.deepStrictEqual(preference?.mustInclude, ["gpu-0"])
    managers.devices.prefer("pod", "a", gpu, ["gpu-3"])
    assert.deepStrictEqual(devicesHeldBy(managers, "pod"), ["gpu-0", "gpu-3"])
  })
})
