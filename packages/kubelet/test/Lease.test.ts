import { formatMicroTime } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { kubeletConfig, modelUpstream } from "../src/index.ts"
import { modelWithoutJitter, START, setUpKubelet } from "./setUpKubelet.ts"

const PUT = "update Lease"

describe("the lease loop", () => {
  it("creates the lease an interval after the node, and renews it every quarter of its duration", () => {
    const { api, kubelet, times, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(9_999)
    assert.isUndefined(api.lease("n1"), "without a Node there is no owner, so nothing is created")
    untilMs(10_000)
    assert.deepStrictEqual(api.lease("n1")?.metadata.ownerReferences, [
      { apiVersion: "v1", kind: "Node", name: "n1", uid: api.node("n1")?.metadata.uid ?? "" }
    ])
    untilMs(19_999)
    assert.deepStrictEqual(times(PUT), [])
    untilMs(20_000)
    assert.deepStrictEqual(times(PUT), [20_000])
    assert.strictEqual(api.lease("n1")?.spec?.renewTime, formatMicroTime(START + 20_000))
    untilMs(60_000)
    assert.deepStrictEqual(times(PUT), [20_000, 30_000, 40_000, 50_000, 60_000])
    assert.lengthOf(times("get Lease"), 2, "no reads in the steady state")
  })

  it("follows nodeLeaseDurationSeconds", () => {
    const { kubelet, times, untilMs } = setUpKubelet({ config: kubeletConfig({ nodeLeaseDurationSeconds: 20 }) })
    kubelet.startKubelet()
    untilMs(20_000)
    assert.deepStrictEqual(times(PUT), [10_000, 15_000, 20_000])
  })

  it("keeps intervals within 4 % above the quarter", () => {
    const { kubelet, times, untilMs } = setUpKubelet({ model: modelUpstream })
    kubelet.startKubelet()
    untilMs(3_600_000)
    const puts = times(PUT)
    const gaps = puts.slice(1).map((at, index) => at - (puts[index] ?? 0))
    assert.isAtLeast(Math.min(...gaps), 10_000)
    assert.isAtMost(Math.max(...gaps), 10_400)
    assert.isAbove(Math.max(...gaps) - Math.min(...gaps), 300)
  })

  it("fails five times at once when cut, then retries after 0.2 s doubling to 7 s", () => {
    let failures = 0
    const { attempts, kubelet, link, untilMs } = setUpKubelet({ onRepeatedHeartbeatFailure: () => failures++ })
    kubelet.startKubelet()
    untilMs(25_000)
    attempts.length = 0
    link.setCut(true)
    untilMs(64_299)
    const asked = attempts.filter(({ request }) => request.kind === "Lease").map(({ atMs }) => atMs)
    assert.deepStrictEqual(
      asked,
      [
        30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_200, 30_600, 31_400, 33_000, 36_200, 42_600, 49_600, 56_600,
        63_600
      ]
    )
    assert.strictEqual(failures, 4)
  })

  it("renews at the end of its back-off once the link is restored, and not before", () => {
    const { api, kubelet, link, times, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(25_000)
    link.setCut(true)
    untilMs(57_000)
    link.setCut(false)
    untilMs(63_599)
    assert.deepStrictEqual(times(PUT), [20_000])
    untilMs(63_600)
    assert.deepStrictEqual(times(PUT), [20_000, 63_600])
    untilMs(73_600)
    assert.strictEqual(api.lease("n1")?.spec?.renewTime, formatMicroTime(START + 73_600))
  })

  it("reads again when another client wrote the lease", () => {
    const { api, kubelet, times, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(25_000)
    const lease = api.lease("n1")
    if (lease !== undefined)
      api.update("Lease", { ...lease, metadata: { ...lease.metadata, labels: { touched: "yes" } } })
    untilMs(30_000)
    assert.deepStrictEqual(times(PUT), [20_000, 30_000, 30_000])
    assert.strictEqual(api.lease("n1")?.spec?.renewTime, formatMicroTime(START + 30_000))
    assert.deepStrictEqual(api.lease("n1")?.metadata.labels, { touched: "yes" })
  })

  it("creates the lease again when it was deleted", () => {
    const { api, kubelet, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(25_000)
    api.ask({ verb: "delete", kind: "Lease", namespace: "kube-node-lease", name: "n1" })
    untilMs(30_000)
    assert.strictEqual(api.lease("n1")?.spec?.renewTime, formatMicroTime(START + 30_000))
  })

  it("writes times of the node's own clock, and keeps its periods", () => {
    const { api, kubelet, times, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(15_000)
    kubelet.clockSkewed(90_000)
    untilMs(20_000)
    assert.strictEqual(api.lease("n1")?.spec?.renewTime, formatMicroTime(START + 110_000))
    assert.deepStrictEqual(times(PUT), [20_000])
  })

  it("stops with the process, and starts again with it", () => {
    const { kubelet, times, untilMs } = setUpKubelet({ model: modelWithoutJitter })
    kubelet.startKubelet()
    untilMs(25_000)
    kubelet.stopKubelet()
    untilMs(95_000)
    assert.deepStrictEqual(times(PUT), [20_000])
    kubelet.startKubelet()
    untilMs(95_000)
    assert.deepStrictEqual(times(PUT), [20_000, 95_000])
    untilMs(105_000)
    assert.deepStrictEqual(times(PUT), [20_000, 95_000, 105_000])
  })
})
