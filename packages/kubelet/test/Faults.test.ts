import { getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { setUpKubelet } from "./setUpKubelet.ts"

const startWithPods = (count = 1) => {
  const testNode = setUpKubelet()
  testNode.kubelet.startKubelet()
  testNode.untilMs(1_000)
  for (let index = 0; index < count; index++) testNode.api.createPod(`p${index}`, "n1")
  testNode.untilMs(20_000)
  return testNode
}

const container = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]

describe("a partition", () => {
  it("leaves containers running, and the kubelet learns of deletions once it ends", () => {
    const { api, kubelet, link, untilMs } = startWithPods(3)
    link.setCut(true)
    untilMs(30_000)
    api.deletePod("p0", 0)
    api.deletePod("p1")
    untilMs(300_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ stage }) => stage),
      ["running", "running", "running"]
    )
    link.setCut(false)
    // The reflector's back-off is at most 30 s times two; a second more to stop.
    untilMs(362_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ name, stage }) => `${name} ${stage}`),
      ["p2 running"]
    )
    assert.isUndefined(api.pod("p1"))
    assert.strictEqual(container(api.pod("p2"))?.restartCount, 0)
  })
})

describe("a kubelet that is stopped", () => {
  it("leaves containers running, and adopts them when it starts again", () => {
    const { api, kubelet, untilMs } = startWithPods()
    kubelet.stopKubelet()
    const asked = api.requests.length
    untilMs(400_000)
    assert.lengthOf(api.requests, asked)
    assert.deepStrictEqual(
      kubelet.pods().map(({ hasContainers }) => hasContainers),
      [true]
    )
    kubelet.startKubelet()
    untilMs(401_000)
    assert.strictEqual(container(api.pod("p0"))?.restartCount, 0)
    assert.strictEqual(getPodCondition(api.pod("p0")?.status, "Ready")?.status, "True")
    assert.strictEqual(api.pod("p0")?.status?.containerStatuses?.[0]?.state?.running?.startedAt, "2026-01-01T00:00:02Z")
  })

  it("removes pods that were deleted meanwhile when it starts again", () => {
    const { api, kubelet, untilMs } = startWithPods()
    kubelet.stopKubelet()
    api.deletePod("p0")
    untilMs(60_000)
    assert.isDefined(api.pod("p0"))
    kubelet.startKubelet()
    untilMs(61_000)
    assert.isUndefined(api.pod("p0"))
  })
})

describe("a crash", () => {
  it("loses containers; after the boot they are started again and counted", () => {
    const { boot, api, kubelet, untilMs } = startWithPods()
    const before = api.node("n1")?.status?.nodeInfo?.bootID
    const address = api.pod("p0")?.status?.podIP
    kubelet.powerLost()
    assert.isFalse(kubelet.running)
    assert.deepStrictEqual(
      kubelet.pods().map(({ hasContainers }) => hasContainers),
      [false]
    )
    untilMs(120_000)
    kubelet.startKubelet()
    assert.isFalse(kubelet.running, "a machine without power runs nothing")
    boot()
    untilMs(120_500)
    assert.notStrictEqual(api.node("n1")?.status?.nodeInfo?.bootID, before)
    assert.strictEqual(getPodCondition(api.pod("p0")?.status, "Ready")?.status, "False")
    assert.strictEqual(container(api.pod("p0"))?.state?.terminated?.exitCode, 255)
    assert.strictEqual(api.pod("p0")?.status?.phase, "Running")
    untilMs(121_000)
    const { restartCount, lastState, state } = container(api.pod("p0")) ?? {}
    assert.strictEqual(restartCount, 1)
    assert.strictEqual(lastState?.terminated?.reason, "Unknown")
    assert.isDefined(state?.running)
    assert.strictEqual(getPodCondition(api.pod("p0")?.status, "Ready")?.status, "True")
    assert.notStrictEqual(api.pod("p0")?.status?.podIP, address, "it may still be known by what ran before")
  })

  it("drops pods that were deleted meanwhile, and stops those that are being deleted", () => {
    const { boot, api, kubelet, untilMs } = startWithPods(3)
    kubelet.powerLost()
    api.deletePod("p0", 0)
    api.deletePod("p1")
    untilMs(60_000)
    boot()
    untilMs(60_000)
    assert.isUndefined(api.pod("p1"), "nothing of it is left to stop")
    untilMs(65_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ name, stage }) => `${name} ${stage}`),
      ["p2 running"]
    )
  })

  it("records the reboot once", () => {
    const told: Array<string> = []
    const recorder = {
      event: (_: unknown, type: string, reason: string, message: string) => told.push(`${type} ${reason} ${message}`)
    }
    const { boot, kubelet, untilMs, api } = setUpKubelet({ recorder })
    kubelet.startKubelet()
    untilMs(10_000)
    assert.strictEqual(told[0], "Normal Starting Starting kubelet.")
    told.length = 0
    kubelet.powerLost()
    untilMs(20_000)
    boot()
    untilMs(900_000)
    const id = api.node("n1")?.status?.nodeInfo?.bootID
    assert.deepStrictEqual(told, [
      "Normal Starting Starting kubelet.",
      "Normal NodeHasSufficientMemory Node n1 status is now: NodeHasSufficientMemory",
      "Normal NodeHasNoDiskPressure Node n1 status is now: NodeHasNoDiskPressure",
      "Normal NodeHasSufficientPID Node n1 status is now: NodeHasSufficientPID",
      `Warning Rebooted Node n1 has been rebooted, boot id: ${id}`
    ])
  })
})

describe("a container runtime that does not answer", () => {
  it("starts and stops no container until it answers again, which the kubelet observes at its next check", () => {
    const { api, kubelet, untilMs } = startWithPods()
    untilMs(21_000)
    kubelet.runtimeDown(true)
    api.deletePod("p0")
    api.createPod("p1", "n1")
    untilMs(299_000)
    assert.strictEqual(getPodCondition(api.pod("p0")?.status, "Ready")?.status, "True")
    assert.strictEqual(api.pod("p1")?.status?.phase, "Pending")
    kubelet.runtimeDown(false)
    untilMs(299_900)
    assert.isDefined(api.pod("p0"))
    untilMs(303_000)
    assert.isUndefined(api.pod("p0"))
    assert.strictEqual(api.pod("p1")?.status?.phase, "Running")
  })

  it("drops queued requests when the machine loses power", () => {
    const { boot, api, kubelet, untilMs } = startWithPods()
    kubelet.runtimeDown(true)
    api.createPod("p1", "n1")
    untilMs(60_000)
    kubelet.powerLost()
    boot()
    kubelet.runtimeDown(false)
    untilMs(120_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ name, stage }) => `${name} ${stage}`),
      ["p0 running", "p1 running"]
    )
    assert.strictEqual(container(api.pod("p1"))?.restartCount, 0)
  })
})
