import { getNodeCondition, getPodCondition, type Node, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledPodRuntime, modelRecorded } from "../src/index.ts"
import { setUpKubelet } from "./setUpKubelet.ts"

/** As the recordings' own kubelets were set: Leases every 2 s, no periodic status. */
const startRecordedKubelet = () => {
  const testNode = setUpKubelet({
    model: modelRecorded,
    config: kubeletConfig({
      nodeStatusUpdateFrequencyMs: 2_000,
      nodeStatusReportFrequencyMs: Number.POSITIVE_INFINITY
    }),
    runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 50, stopMs: 1_000 })
  })
  testNode.kubelet.startKubelet()
  testNode.untilMs(1_500)
  return testNode
}

const node = (status: "True" | "Unknown", held: Node | undefined): Node =>
  ({
    ...held,
    status: {
      ...held?.status,
      conditions: held?.status?.conditions?.map((condition) =>
        condition.type === "Ready" ? { ...condition, status } : condition
      )
    }
  }) as Node

const withReadyFalse = (pod: Pod | undefined): Pod =>
  ({
    ...pod,
    status: {
      ...pod?.status,
      conditions: pod?.status?.conditions?.map((held) => (held.type === "Ready" ? { ...held, status: "False" } : held))
    }
  }) as Pod

describe("the recordings' kubelet", () => {
  it("renews at fixed intervals, and posts no status that the server has", () => {
    const { times, untilMs } = startRecordedKubelet()
    untilMs(20_000)
    assert.deepStrictEqual(times("update Lease"), [4_000, 6_000, 8_000, 10_000, 12_000, 14_000, 16_000, 18_000, 20_000])
    untilMs(3_600_000)
    assert.deepStrictEqual(times("patch Node/status"), [100])
  })

  it("shows a pod Running and Ready in one step after 50 ms", () => {
    const { api, untilMs } = startRecordedKubelet()
    api.createPod("a", "n1")
    untilMs(1_549)
    assert.lengthOf(api.asked("patch Pod/status"), 0)
    untilMs(1_550)
    assert.lengthOf(api.asked("patch Pod/status"), 1)
    assert.strictEqual(getPodCondition(api.pod("a")?.status, "Ready")?.status, "True")
  })

  it("deletes a pod a second after its deletionTimestamp, without a terminal phase", () => {
    const { api, untilMs } = startRecordedKubelet()
    api.createPod("a", "n1")
    untilMs(5_000)
    api.deletePod("a")
    untilMs(5_999)
    assert.isDefined(api.pod("a"))
    untilMs(6_000)
    assert.isUndefined(api.pod("a"))
    assert.lengthOf(api.asked("patch Pod/status"), 1)
  })

  it("posts a fault when it begins and when it ends", () => {
    const { api, kubelet, times, untilMs } = startRecordedKubelet()
    untilMs(3_300)
    kubelet.runtimeDown(true)
    assert.strictEqual(getNodeCondition(api.node("n1") as Node, "Ready")?.message, "container runtime is down")
    untilMs(7_300)
    kubelet.runtimeDown(false)
    kubelet.networkUnavailable(true)
    assert.strictEqual(getNodeCondition(api.node("n1") as Node, "Ready")?.status, "True")
    assert.strictEqual(getNodeCondition(api.node("n1") as Node, "NetworkUnavailable")?.reason, "NoRouteCreated")
    assert.deepStrictEqual(times("patch Node/status"), [100, 3_300, 7_300, 7_300])
  })

  it("sends status and lease at once when the link is restored, and updates its pods a second later", () => {
    const { api, kubelet, link, times, untilMs } = startRecordedKubelet()
    for (const name of ["kept", "marked", "deleted"]) api.createPod(name, "n1")
    untilMs(21_000)
    link.setCut(true)
    untilMs(40_000)
    api.update("Node", node("Unknown", api.node("n1")), "status")
    api.update("Pod", withReadyFalse(api.pod("marked")), "status")
    api.deletePod("deleted")
    untilMs(81_000)
    const renewed = times("update Lease").length
    link.setCut(false)
    kubelet.reconnected()
    assert.deepStrictEqual(times("patch Node/status"), [100, 81_000])
    assert.strictEqual(getNodeCondition(api.node("n1") as Node, "Ready")?.status, "True")
    assert.strictEqual(times("update Lease").length, renewed + 1)
    untilMs(81_999)
    assert.strictEqual(getPodCondition(api.pod("marked")?.status, "Ready")?.status, "False")
    assert.isDefined(api.pod("deleted"))
    untilMs(82_000)
    assert.strictEqual(getPodCondition(api.pod("marked")?.status, "Ready")?.status, "True")
    assert.isUndefined(api.pod("deleted"))
    assert.isDefined(api.pod("kept"))
    untilMs(86_000)
    assert.deepStrictEqual(times("update Lease").slice(-4), [81_000, 82_000, 84_000, 86_000])
  })
})
