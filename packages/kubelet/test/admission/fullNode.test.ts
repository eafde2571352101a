import { getPodCondition } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledHost } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const host = makeModelledHost({ name: "n1", capacity: { cpu: "2", memory: "4Gi", "ephemeral-storage": "10Gi" } })
const specWithCpu = (cpu: string, more = {}) => ({
  containers: [{ name: "c", image: "pause", resources: { requests: { cpu } } }],
  ...more
})

const startKubelet = () => {
  const testNode = setUpKubelet({ host })
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return testNode
}

describe("a full node", () => {
  it("rejects a pod permanently", () => {
    const { api, kubelet, untilMs } = startKubelet()
    api.createPod("a", "n1", specWithCpu("1500m"))
    api.createPod("b", "n1", specWithCpu("1"))
    untilMs(6_000)
    const { status } = api.pod("b") ?? {}
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.reason, "OutOfcpu")
    assert.strictEqual(
      status?.message,
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000"
    )
    api.deletePod("a")
    untilMs(60_000)
    assert.isUndefined(api.pod("a"))
    assert.strictEqual(api.pod("b")?.status?.phase, "Failed", "room that comes later is too late")
    assert.deepStrictEqual(
      kubelet.pods().map(({ stage }) => stage),
      ["rejected"]
    )
  })

  it("preempts a pod for a critical one, which starts when the other has terminated", () => {
    const { api, untilMs } = startKubelet()
    api.createPod("a", "n1", specWithCpu("1500m", { terminationGracePeriodSeconds: 5 }))
    untilMs(10_000)
    const critical = specWithCpu("1", { priorityClassName: "system-node-critical" })
    api.createPod("b", "n1", critical)
    api.createPod("c", "n1", specWithCpu("100m"))
    untilMs(10_500)
    assert.isUndefined(api.pod("b")?.status?.containerStatuses, "it waits")
    assert.isUndefined(api.pod("c")?.status?.containerStatuses, "and so do those behind it")
    untilMs(20_000)
    const { status } = api.pod("a") ?? {}
    assert.deepInclude(status, {
      phase: "Failed",
      reason: "Preempting",
      message: "Preempted in order to admit critical pod"
    })
    assert.deepInclude(getPodCondition(status, "DisruptionTarget"), {
      status: "True",
      reason: "TerminationByKubelet",
      message: "Pod was preempted by Kubelet to accommodate a critical pod."
    })
    assert.strictEqual(api.pod("b")?.status?.phase, "Running")
    assert.strictEqual(api.pod("c")?.status?.phase, "Running")
  })
})
