import { formatMicroTime, formatTime, type Lease, type Node, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { afterStatusWrite, judgeNodeHealth, type NodeHealth, nodeLifecycleSettings } from "../src/index.ts"

const T0 = 1_767_225_600_000
const rules = nodeLifecycleSettings()

const nodeWith = (conditions: NonNullable<Node["status"]>["conditions"], createdMs = T0): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", creationTimestamp: formatTime(createdMs) },
  ...(conditions === undefined ? {} : { status: { conditions } })
})

const readyNode = (heartbeatMs: number, status = "True"): Node =>
  nodeWith([
    { type: "Ready", status, lastHeartbeatTime: formatTime(heartbeatMs), lastTransitionTime: formatTime(T0) },
    { type: "NetworkUnavailable", status: "False" }
  ])

const lease = (renewMs?: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n" },
  spec: renewMs === undefined ? {} : { renewTime: formatMicroTime(renewMs) }
})

const statuses = (node: { readonly conditions?: NonNullable<Node["status"]>["conditions"] }) =>
  (node.conditions ?? []).map(({ status, type }) => `${type}=${status}`)

describe("silence", () => {
  const known: NodeHealth = {
    status: readyNode(T0).status ?? {},
    probeMs: T0,
    readyTransitionMs: T0,
    lease: undefined
  }

  it("is forgiven up to and including the grace period", () => {
    const judged = judgeNodeHealth(readyNode(T0), undefined, known, T0 + 50_000, rules)
    assert.isFalse(judged.mustWrite)
    assert.strictEqual(judged.health, known)
    assert.strictEqual(judged.current?.status, "True")
  })

  it("turns the kubelet's conditions Unknown a moment later, and no others", () => {
    const judged = judgeNodeHealth(readyNode(T0), undefined, known, T0 + 50_000.001, rules)
    assert.isTrue(judged.mustWrite)
    assert.deepStrictEqual(statuses(judged.status), [
      "Ready=Unknown",
      "NetworkUnavailable=False",
      "MemoryPressure=Unknown",
      "DiskPressure=Unknown",
      "PIDPressure=Unknown"
    ])
    assert.strictEqual(judged.observed.status, "True")
    // Until the write has succeeded the record says what was seen.
    assert.deepStrictEqual(statuses(judged.health.status), ["Ready=True", "NetworkUnavailable=False"])
    const after = afterStatusWrite(judged, undefined, T0 + 50_001)
    assert.strictEqual(after.probeMs, T0)
    assert.strictEqual(after.readyTransitionMs, T0 + 50_001)
    assert.deepStrictEqual(after.status, judged.status)
  })

  it("counts 40 s in releases before 1.32", () => {
    const old = nodeLifecycleSettings({}, releases["1.31"])
    assert.isFalse(judgeNodeHealth(readyNode(T0), undefined, known, T0 + 40_000, old).mustWrite)
    assert.isTrue(judgeNodeHealth(readyNode(T0), undefined, known, T0 + 40_001, old).mustWrite)
  })

  it("takes OutOfDisk along in releases that have it", () => {
    const old = nodeLifecycleSettings({}, releases["1.4"])
    const judged = judgeNodeHealth(readyNode(T0), undefined, known, T0 + 60_000, old)
    assert.includeMembers(statuses(judged.status), ["OutOfDisk=Unknown"])
    assert.notIncludeMembers(statuses(judged.status), ["PIDPressure=Unknown"])
  })

  it("of a node that is Unknown already writes nothing more", () => {
    const judged = judgeNodeHealth(readyNode(T0, "Unknown"), undefined, known, T0 + 60_000, rules)
    assert.isFalse(judged.mustWrite)
  })
})

describe("signs of life", () => {
  const known: NodeHealth = {
    status: readyNode(T0).status ?? {},
    probeMs: T0,
    readyTransitionMs: T0,
    lease: lease(T0)
  }
  const probeAfter = (node: Node, renewed: Lease | undefined, now = T0 + 30_000) =>
    judgeNodeHealth(node, renewed, known, now, rules).health.probeMs

  it("are a later renewal or any other heartbeat", () => {
    assert.strictEqual(probeAfter(readyNode(T0), lease(T0 + 1)), T0 + 30_000)
    assert.strictEqual(probeAfter(readyNode(T0 + 5000), lease(T0)), T0 + 30_000)
    assert.strictEqual(probeAfter(readyNode(T0 - 5000), lease(T0)), T0 + 30_000)
  })

  it("are no equal, earlier, or timeless renewal", () => {
    assert.strictEqual(probeAfter(readyNode(T0), lease(T0)), T0)
    assert.strictEqual(probeAfter(readyNode(T0), lease(T0 - 1000)), T0)
    assert.strictEqual(probeAfter(readyNode(T0), lease()), T0)
    assert.strictEqual(probeAfter(readyNode(T0), undefined), T0)
  })

  it("of a heartbeat make the lease count once more at the next look", () => {
    const first = judgeNodeHealth(readyNode(T0 + 10_000), lease(T0), known, T0 + 10_000, rules).health
    assert.isUndefined(first.lease)
    const second = judgeNodeHealth(readyNode(T0 + 10_000), lease(T0), first, T0 + 15_000, rules).health
    assert.strictEqual(second.probeMs, T0 + 15_000)
    const third = judgeNodeHealth(readyNode(T0 + 10_000), lease(T0), second, T0 + 20_000, rules).health
    assert.strictEqual(third.probeMs, T0 + 15_000)
  })
})

describe("a node that never posted status", () => {
  it("has the startup grace from its creation, cut to whole seconds", () => {
    const node = nodeWith(undefined, T0 + 550)
    const first = judgeNodeHealth(node, undefined, undefined, T0 + 1000, rules)
    assert.strictEqual(first.health.probeMs, T0)
    assert.isFalse(judgeNodeHealth(node, undefined, first.health, T0 + 60_000, rules).mustWrite)
    const judged = judgeNodeHealth(node, undefined, first.health, T0 + 60_001, rules)
    assert.isTrue(judged.mustWrite)
    assert.strictEqual(judged.current?.reason, "NodeStatusNeverUpdated")
    assert.strictEqual(judged.current?.lastHeartbeatTime, formatTime(T0))
  })

  it("is left alone for as long as it renews a lease", () => {
    const node = nodeWith([])
    let health = judgeNodeHealth(node, lease(T0), undefined, T0, rules).health
    for (let second = 10; second < 3600; second += 10) {
      const judged = judgeNodeHealth(node, lease(T0 + second * 1000), health, T0 + second * 1000, rules)
      assert.isFalse(judged.mustWrite)
      assert.isUndefined(judged.current)
      health = judged.health
    }
  })
})
