import { getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { setUpKubelet } from "../setUpKubelet.ts"

/** A pod of the first generation that runs at 8 s; it is created at 5 s and starts at 6 s. */
const runPod = (spec: Partial<Pod["spec"]> = {}, atMs = 8_000) => {
  const { api, kubelet, link, untilMs } = setUpKubelet()
  kubelet.startKubelet()
  untilMs(5_000)
  const object: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "default", generation: 1 },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "app" }], ...spec }
  }
  api.ask({ verb: "create", kind: "Pod", namespace: "default", object })
  untilMs(atMs)
  const change = (body: unknown, subresource?: "status") =>
    api.ask({
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name: "a",
      patchType: "strategic",
      body,
      ...(subresource === undefined ? {} : { subresource })
    })
  return {
    api,
    change,
    link,
    untilMs,
    status: () => api.pod("a")?.status,
    writes: () => api.asked("patch Pod/status").length
  }
}

describe("a running pod whose spec is changed", () => {
  it("shows which generation its kubelet has observed, and costs no other write", () => {
    const { change, status, untilMs, writes } = runPod()
    assert.strictEqual(status()?.observedGeneration, 1)
    const before = writes()
    change({ metadata: { generation: 2 }, spec: { tolerations: [{ key: "a", operator: "Exists" }] } })
    untilMs(8_100)
    assert.strictEqual(status()?.observedGeneration, 2)
    assert.strictEqual(status()?.phase, "Running")
    change({ metadata: { labels: { a: "b" } } })
    untilMs(60_000)
    assert.strictEqual(writes(), before + 1)
  })

  it("ends at a deadline that it had not before", () => {
    const { change, status, untilMs } = runPod()
    change({ metadata: { generation: 2 }, spec: { activeDeadlineSeconds: 10 } })
    untilMs(14_900)
    assert.strictEqual(status()?.phase, "Running")
    untilMs(17_000)
    assert.strictEqual(status()?.phase, "Failed")
    assert.strictEqual(status()?.reason, "DeadlineExceeded")
  })

  it("ends at a deadline that it got while it was being started", () => {
    const { change, status, untilMs } = runPod({}, 5_500)
    change({ metadata: { generation: 2 }, spec: { activeDeadlineSeconds: 10 } })
    untilMs(5_600)
    assert.strictEqual(status()?.observedGeneration, 2)
    untilMs(17_000)
    assert.strictEqual(status()?.reason, "DeadlineExceeded")
  })

  it("starts with the image that it got while it was being started", () => {
    const { change, status, untilMs } = runPod({ activeDeadlineSeconds: 1000 }, 5_500)
    change({ metadata: { generation: 2 }, spec: { containers: [{ name: "c", image: "app:2" }] } })
    untilMs(8_000)
    assert.strictEqual(status()?.containerStatuses?.[0]?.image, "app:2")
  })

  it("ends at once at a deadline that has passed", () => {
    const { change, status, untilMs } = runPod()
    untilMs(60_000)
    change({ metadata: { generation: 2 }, spec: { activeDeadlineSeconds: 20 } })
    untilMs(62_000)
    assert.strictEqual(status()?.reason, "DeadlineExceeded")
  })
})

describe("a change that arrives with the answer to the kubelet's own patch", () => {
  /** The pod is changed just before its kubelet posts that it runs; the watch shows both after the answer. */
  const changeBeforePatch = (spec: Partial<Pod["spec"]>, body: unknown, subresource?: "status") => {
    const { link, ...test } = runPod(spec, 5_999)
    link.setDeaf(true)
    test.change(body, subresource)
    test.untilMs(6_500)
    link.setDeaf(false)
    assert.strictEqual(test.status()?.phase, "Running")
    return test
  }

  it("is heeded when it is a deadline", () => {
    const { status, untilMs } = changeBeforePatch(
      {},
      { metadata: { generation: 2 }, spec: { activeDeadlineSeconds: 10 } }
    )
    untilMs(6_600)
    assert.strictEqual(status()?.observedGeneration, 2)
    untilMs(17_000)
    assert.strictEqual(status()?.reason, "DeadlineExceeded")
  })

  it("is heeded when it is a readiness gate", () => {
    const gate = { type: "example.com/gate", status: "True" }
    const { status, untilMs } = changeBeforePatch(
      { readinessGates: [{ conditionType: gate.type }] },
      { status: { conditions: [gate] } },
      "status"
    )
    untilMs(6_600)
    assert.strictEqual(getPodCondition(status(), "Ready")?.status, "True")
  })
})

describe("the generation that a kubelet has observed", () => {
  it("is that of the deletion while the pod still stops", () => {
    const { api, status, untilMs } = runPod({ terminationGracePeriodSeconds: 30 })
    api.deletePod("a")
    untilMs(8_100)
    assert.strictEqual(api.pod("a")?.metadata.generation, 2)
    assert.strictEqual(status()?.observedGeneration, 2)
    assert.deepStrictEqual(
      status()?.conditions?.map((each) => each.observedGeneration),
      [2, 2, 2, 2, 2]
    )
  })

  it("is that of a pod that was rejected", () => {
    const { api, untilMs } = runPod()
    const spec = { nodeName: "n1", nodeSelector: { disk: "ssd" }, containers: [{ name: "c", image: "app" }] }
    const metadata = { name: "b", namespace: "default", generation: 1 }
    api.ask({
      verb: "create",
      kind: "Pod",
      namespace: "default",
      object: { apiVersion: "v1", kind: "Pod", metadata, spec }
    })
    untilMs(9_000)
    assert.strictEqual(api.pod("b")?.status?.reason, "NodeAffinity")
    assert.strictEqual(api.pod("b")?.status?.observedGeneration, 1)
  })
})
