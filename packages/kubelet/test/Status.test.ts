import { formatTime, getNodeCondition, type Node, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type Kubelet, kubeletConfig, makeModelledHost } from "../src/index.ts"
import { START, setUpKubelet } from "./setUpKubelet.ts"

const PATCH = "patch Node/status"
const condition = (node: Node | undefined, type: string) =>
  node === undefined ? undefined : getNodeCondition(node, type)

describe("registration", () => {
  it("sleeps 100 ms before the first try, and posts a complete Node", () => {
    const taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" } as const
    const config = kubeletConfig({ registerWithTaints: [taint], nodeLabels: { "topology.kubernetes.io/zone": "a" } })
    const { api, kubelet, untilMs } = setUpKubelet({ config })
    kubelet.startKubelet()
    untilMs(99)
    assert.isUndefined(api.node("n1"))
    untilMs(100)
    const node = api.node("n1")
    assert.deepStrictEqual(node?.spec?.taints?.[0], taint)
    assert.strictEqual(node?.metadata.labels?.["topology.kubernetes.io/zone"], "a")
    assert.deepStrictEqual(
      node?.status?.conditions?.map(({ status, type }) => `${type}=${status}`),
      ["MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True"]
    )
  })

  it("tries again after 0.2 s doubling to 7 s", () => {
    const { kubelet, link, api, untilMs } = setUpKubelet()
    link.setCut(true)
    kubelet.startKubelet()
    untilMs(26_000)
    link.setCut(false)
    untilMs(26_699)
    assert.isUndefined(api.node("n1"))
    untilMs(26_700)
    assert.isDefined(api.node("n1"), "0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 6.4 + 7 + 7 s")
  })

  it("corrects its own fields of a Node that exists, and leaves taints and other labels", () => {
    const { api, kubelet, untilMs } = setUpKubelet({
      config: kubeletConfig({
        nodeLabels: { team: "blue" },
        registerWithTaints: [{ key: "new", effect: "NoSchedule" }]
      })
    })
    api.createNode({
      metadata: { name: "n1", labels: { owner: "ops", "kubernetes.io/hostname": "old" } },
      spec: { taints: [{ key: "kept", effect: "NoSchedule" }] }
    })
    kubelet.startKubelet()
    untilMs(100)
    const node = api.node("n1")
    assert.strictEqual(node?.metadata.labels?.["kubernetes.io/hostname"], "n1")
    assert.strictEqual(node?.metadata.labels?.owner, "ops")
    assert.isUndefined(node?.metadata.labels?.team)
    assert.deepStrictEqual(
      node?.spec?.taints?.map(({ key }) => key),
      ["kept", "node.kubernetes.io/not-ready"]
    )
    assert.strictEqual(condition(node, "Ready")?.status, "True")
    assert.strictEqual(api.asked("create Node").length, 1)
  })

  it("does not recreate a deleted Node, until the process restarts", () => {
    const { api, kubelet, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(5_000)
    api.ask({ verb: "delete", kind: "Node", name: "n1" })
    untilMs(600_000)
    assert.isUndefined(api.node("n1"))
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(600_100)
    assert.isDefined(api.node("n1"))
  })
})

describe("the status loop", () => {
  const started = (kubelet: Kubelet, untilMs: (ms: number) => void) => {
    kubelet.startKubelet()
    untilMs(15_000)
  }

  it("posts at the next check what changes while a report is under way", () => {
    const { api, kubelet, link, time, untilMs } = setUpKubelet()
    const { send } = link.connection
    let delayMs = 0
    Object.assign(link.connection, {
      send: ((request, reply) =>
        send(request, (answer) => {
          if (delayMs === 0) reply(answer)
          else time.timers.after(delayMs, () => reply(answer))
        })) satisfies typeof send
    })
    started(kubelet, untilMs)
    kubelet.pressure("DiskPressure", true)
    delayMs = 5_000
    untilMs(21_000)
    assert.strictEqual(condition(api.node("n1"), "DiskPressure")?.status, "True")
    kubelet.pressure("MemoryPressure", true)
    untilMs(36_000)
    assert.strictEqual(condition(api.node("n1"), "MemoryPressure")?.status, "True")
  })

  it("posts a changed input at the next check", () => {
    const { api, kubelet, untilMs } = setUpKubelet()
    started(kubelet, untilMs)
    kubelet.pressure("MemoryPressure", true)
    untilMs(19_999)
    assert.strictEqual(condition(api.node("n1"), "MemoryPressure")?.status, "False")
    untilMs(20_000)
    assert.deepStrictEqual(condition(api.node("n1"), "MemoryPressure"), {
      type: "MemoryPressure",
      status: "True",
      lastHeartbeatTime: formatTime(START + 20_000),
      lastTransitionTime: formatTime(START + 20_000),
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available"
    })
  })

  it("does not post a change that was undone before the next check", () => {
    const { kubelet, times, untilMs } = setUpKubelet()
    started(kubelet, untilMs)
    kubelet.pressure("DiskPressure", true)
    untilMs(17_000)
    kubelet.pressure("DiskPressure", false)
    untilMs(60_000)
    assert.deepStrictEqual(times(PATCH), [100])
  })

  it("overwrites what the node controller wrote, at the next check", () => {
    const { api, kubelet, untilMs } = setUpKubelet()
    started(kubelet, untilMs)
    const node = api.node("n1") as Node
    const conditions = node.status?.conditions?.map((held) => ({
      ...held,
      status: "Unknown" as const,
      reason: "NodeStatusUnknown"
    }))
    api.update("Node", { ...node, status: { ...node.status, conditions } } as Node, "status")
    untilMs(19_999)
    assert.strictEqual(condition(api.node("n1"), "Ready")?.status, "Unknown")
    untilMs(20_000)
    const held = api.node("n1")?.status?.conditions
    assert.deepStrictEqual(
      held?.map(({ status }) => status),
      ["False", "False", "False", "True"]
    )
    assert.strictEqual(condition(api.node("n1"), "Ready")?.lastTransitionTime, formatTime(START + 20_000))
  })

  it("repeats an unchanged status once the report period is over, every 5 minutes from the second time on", () => {
    const { kubelet, times, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(1_800_000)
    const [first, second = 0, ...rest] = times(PATCH)
    assert.strictEqual(first, 100)
    assert.isAtLeast(second, 150_100, "the first report is followed after 2.5 to 7.5 minutes")
    assert.isAtMost(second, 460_000)
    assert.deepStrictEqual(
      rest,
      rest.map((_, index) => second + 300_000 * (index + 1))
    )
    assert.isAtLeast(rest.length, 4)
  })

  it("sets no timer for checks that would find nothing", () => {
    const { kubelet, plans, untilMs } = setUpKubelet({ release: { ...releases["1.36"], nodeLeases: false } })
    kubelet.startKubelet()
    untilMs(1_000)
    const before = plans()
    untilMs(140_000)
    assert.strictEqual(plans(), before)
  })

  it("treats the runtime as down 30 s after the last check that found it healthy", () => {
    const { api, kubelet, untilMs } = setUpKubelet()
    started(kubelet, untilMs)
    untilMs(18_000)
    kubelet.runtimeDown(true)
    untilMs(49_999)
    assert.strictEqual(condition(api.node("n1"), "Ready")?.status, "True")
    untilMs(50_000)
    const ready = condition(api.node("n1"), "Ready")
    assert.strictEqual(ready?.status, "False")
    assert.strictEqual(ready?.reason, "KubeletNotReady")
    assert.strictEqual(ready?.message, "container runtime is down")
    untilMs(61_000)
    kubelet.runtimeDown(false)
    untilMs(69_999)
    assert.strictEqual(condition(api.node("n1"), "Ready")?.status, "False")
    untilMs(70_000)
    assert.strictEqual(condition(api.node("n1"), "Ready")?.status, "True")
  })

  it("ignores a runtime that was down between two checks", () => {
    const { kubelet, times, untilMs } = setUpKubelet()
    started(kubelet, untilMs)
    kubelet.runtimeDown(true)
    untilMs(35_000)
    kubelet.runtimeDown(false)
    untilMs(120_000)
    assert.deepStrictEqual(times(PATCH), [100])
  })

  it("tries five times, and again at each check", () => {
    const { api, kubelet, link, untilMs, times } = setUpKubelet()
    started(kubelet, untilMs)
    link.setCut(true)
    kubelet.pressure("PIDPressure", true)
    untilMs(35_000)
    link.setCut(false)
    untilMs(39_999)
    assert.deepStrictEqual(times(PATCH), [100])
    untilMs(40_000)
    assert.strictEqual(condition(api.node("n1"), "PIDPressure")?.status, "True")
  })

  it("reports the conditions and the period of an old release", () => {
    const release = releases["1.4"]
    const { api, kubelet, times, untilMs } = setUpKubelet({ release, config: kubeletConfig({}, release) })
    kubelet.startKubelet()
    untilMs(60_000)
    assert.deepStrictEqual(
      api.node("n1")?.status?.conditions?.map(({ type }) => type),
      ["OutOfDisk", "MemoryPressure", "DiskPressure", "Ready"]
    )
    assert.isAtLeast(times(PATCH).length, 5, "the status is the only heartbeat")
    assert.isUndefined(api.lease("n1"))
  })

  it("subtracts reservations from allocatable, and uses a configured allocatable unchanged", () => {
    const config = kubeletConfig({ systemReserved: { cpu: "500m" }, evictionHard: {}, maxPods: 30 })
    const { api, kubelet, untilMs } = setUpKubelet({ config })
    started(kubelet, untilMs)
    assert.deepStrictEqual(api.node("n1")?.status?.allocatable, {
      cpu: "7500m",
      memory: "32Gi",
      "ephemeral-storage": "100Gi",
      pods: "30"
    })
    const known = { cpu: "3", memory: "1Gi", pods: "7" }
    const host = makeModelledHost({ name: "n1", capacity: { cpu: "4", memory: "2Gi", pods: "7" }, allocatable: known })
    const other = setUpKubelet({ host })
    started(other.kubelet, other.untilMs)
    assert.deepStrictEqual(other.api.node("n1")?.status?.allocatable, known)
    assert.strictEqual(other.api.node("n1")?.status?.capacity?.pods, "7")
  })
})

describe("a node that shuts down", () => {
  it("is not Ready as soon as its kubelet is told to sync, and Ready again with the next update after a cancellation", () => {
    let status: string | undefined
    const { api, kubelet, untilMs } = setUpKubelet({ shutdownStatus: () => status })
    const ready = () => condition(api.node("n1"), "Ready")
    kubelet.startKubelet()
    untilMs(1_000)
    assert.strictEqual(ready()?.status, "True")
    status = "node is shutting down"
    kubelet.syncNodeStatus()
    untilMs(1_001)
    assert.strictEqual(ready()?.status, "False")
    assert.strictEqual(ready()?.message, "node is shutting down")
    // Nobody tells the kubelet that it is off.
    untilMs(5_000)
    status = undefined
    untilMs(9_900)
    assert.strictEqual(ready()?.status, "False")
    untilMs(10_200)
    assert.strictEqual(ready()?.status, "True")
  })
})
