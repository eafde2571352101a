import { formatMicroTime, formatTime, type Lease, type Node, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { nodeLifecycleSettings } from "../../src/index.ts"
import { afterStatusWrite, isSignOfLife } from "../../src/lifecycle/NodeHealth.ts"
import { judgeNodeHealth, type NodeHealth } from "../../src/rules.ts"

const START_MS = 1_767_225_600_000
const rules = nodeLifecycleSettings()

const nodeWith = (conditions: NonNullable<Node["status"]>["conditions"], createdMs = START_MS): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", creationTimestamp: formatTime(createdMs) },
  ...(conditions === undefined ? {} : { status: { conditions } })
})

const readyNode = (heartbeatMs: number, status = "True"): Node =>
  nodeWith([
    { type: "Ready", status, lastHeartbeatTime: formatTime(heartbeatMs), lastTransitionTime: formatTime(START_MS) },
    { type: "NetworkUnavailable", status: "False" }
  ])

const lease = (renewMs?: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n" },
  spec: renewMs === undefined ? {} : { renewTime: formatMicroTime(renewMs) }
})

const statusOf = ({ status = {} }: Node) => status

const statuses = (node: { readonly conditions?: NonNullable<Node["status"]>["conditions"] }) =>
  (node.conditions ?? []).map(({ status, type }) => `${type}=${status}`)

describe("silence", () => {
  const known: NodeHealth = {
    status: readyNode(START_MS).status ?? {},
    probeMs: START_MS,
    readyTransitionMs: START_MS,
    lease: undefined
  }

  it("is tolerated up to and including the grace period", () => {
    const judged = judgeNodeHealth(readyNode(START_MS), undefined, known, START_MS + 50_000, rules)
    assert.isFalse(judged.mustWrite)
    assert.strictEqual(judged.health, known)
    assert.strictEqual(judged.current?.status, "True")
  })

  it("turns the kubelet's conditions Unknown a moment later, and no others", () => {
    const judged = judgeNodeHealth(readyNode(START_MS), undefined, known, START_MS + 50_000.001, rules)
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
    const after = afterStatusWrite(judged, undefined, START_MS + 50_001)
    assert.strictEqual(after.probeMs, START_MS)
    assert.strictEqual(after.readyTransitionMs, START_MS + 50_001)
    assert.deepStrictEqual(after.status, judged.status)
  })

  it("counts 40 s in releases before 1.32", () => {
    const old = nodeLifecycleSettings({}, releases["1.31"])
    assert.isFalse(judgeNodeHealth(readyNode(START_MS), undefined, known, START_MS + 40_000, old).mustWrite)
    assert.isTrue(judgeNodeHealth(readyNode(START_MS), undefined, known, START_MS + 40_001, old).mustWrite)
  })

  it("takes OutOfDisk along in releases that have it", () => {
    const old = nodeLifecycleSettings({}, releases["1.4"])
    const judged = judgeNodeHealth(readyNode(START_MS), undefined, known, START_MS + 60_000, old)
    assert.includeMembers(statuses(judged.status), ["OutOfDisk=Unknown"])
    assert.notIncludeMembers(statuses(judged.status), ["PIDPressure=Unknown"])
  })

  it("of a node that is Unknown already writes nothing more", () => {
    const judged = judgeNodeHealth(readyNode(START_MS, "Unknown"), undefined, known, START_MS + 60_000, rules)
    assert.isFalse(judged.mustWrite)
  })
})

describe("signs of life", () => {
  const known: NodeHealth = {
    status: readyNode(START_MS).status ?? {},
    probeMs: START_MS,
    readyTransitionMs: START_MS,
    lease: lease(START_MS)
  }
  const probeAfter = (node: Node, renewed: Lease | undefined, now = START_MS + 30_000) =>
    judgeNodeHealth(node, renewed, known, now, rules).health.probeMs

  it("are a later renewal or any other heartbeat", () => {
    assert.strictEqual(probeAfter(readyNode(START_MS), lease(START_MS + 1)), START_MS + 30_000)
    assert.strictEqual(probeAfter(readyNode(START_MS + 5000), lease(START_MS)), START_MS + 30_000)
    assert.strictEqual(probeAfter(readyNode(START_MS - 5000), lease(START_MS)), START_MS + 30_000)
  })

  it("are no equal, earlier, or timeless renewal", () => {
    assert.strictEqual(probeAfter(readyNode(START_MS), lease(START_MS)), START_MS)
    assert.strictEqual(probeAfter(readyNode(START_MS), lease(START_MS - 1000)), START_MS)
    assert.strictEqual(probeAfter(readyNode(START_MS), lease()), START_MS)
    assert.strictEqual(probeAfter(readyNode(START_MS), undefined), START_MS)
    const { spec: _, ...bare } = lease()
    assert.strictEqual(probeAfter(readyNode(START_MS), bare), START_MS)
    // Nothing is later than no time: upstream compares with Before, which is false for a nil time.
    assert.isFalse(isSignOfLife(bare, lease(START_MS)))
  })

  it("go by instants, in whatever time zone and precision a lease's holder writes them", () => {
    const at = (renewTime: string): Lease => ({ ...lease(), spec: { renewTime } })
    // Pairs of one length whose order as texts is the opposite of their order in time.
    const pairs = [
      ["2026-01-01T02:00:00+02:00", "2026-01-01T01:30:00+01:00"],
      ["2026-01-01T02:00:00+02:00", "2026-01-01T00:30:00.0000Z"],
      ["2025-12-31T23:30:00.0000Z", "2025-12-31T22:00:00-02:00"]
    ] as const
    for (const [earlier, later] of pairs) {
      assert.isTrue(isSignOfLife(at(earlier), at(later)), later)
      assert.isFalse(isSignOfLife(at(later), at(earlier)), earlier)
    }
    assert.isFalse(isSignOfLife(at("2026-01-01T00:00:00Z"), at("2026-01-01T01:00:00+01:00")))
    assert.isTrue(isSignOfLife(at("2026-01-01T00:00:00Z"), at("2026-01-01T00:00:00.000001Z")))
  })

  it("are also a heartbeat's time that appears, or is taken away", () => {
    const timeless = nodeWith([{ type: "Ready", status: "True", lastTransitionTime: formatTime(START_MS) }])
    assert.strictEqual(probeAfter(timeless, lease(START_MS)), START_MS + 30_000)
    const without = { ...known, status: statusOf(timeless) }
    assert.strictEqual(
      judgeNodeHealth(readyNode(START_MS), undefined, without, START_MS + 30_000, rules).health.probeMs,
      START_MS + 30_000
    )
    assert.strictEqual(judgeNodeHealth(timeless, undefined, without, START_MS + 30_000, rules).health.probeMs, START_MS)
  })

  it("of a heartbeat make the lease count once more at the next check", () => {
    const first = judgeNodeHealth(readyNode(START_MS + 10_000), lease(START_MS), known, START_MS + 10_000, rules).health
    assert.isUndefined(first.lease)
    const second = judgeNodeHealth(
      readyNode(START_MS + 10_000),
      lease(START_MS),
      first,
      START_MS + 15_000,
      rules
    ).health
    assert.strictEqual(second.probeMs, START_MS + 15_000)
    const third = judgeNodeHealth(
      readyNode(START_MS + 10_000),
      lease(START_MS),
      second,
      START_MS + 20_000,
      rules
    ).health
    assert.strictEqual(third.probeMs, START_MS + 15_000)
  })
})

describe("a node that never posted status", () => {
  it("has the startup grace from its creation, cut to whole seconds", () => {
    const node = nodeWith(undefined, START_MS + 550)
    const first = judgeNodeHealth(node, undefined, undefined, START_MS + 1000, rules)
    assert.strictEqual(first.health.probeMs, START_MS)
    assert.isFalse(judgeNodeHealth(node, undefined, first.health, START_MS + 60_000, rules).mustWrite)
    const judged = judgeNodeHealth(node, undefined, first.health, START_MS + 60_001, rules)
    assert.isTrue(judged.mustWrite)
    assert.strictEqual(judged.current?.reason, "NodeStatusNeverUpdated")
    assert.strictEqual(judged.current?.lastHeartbeatTime, formatTime(START_MS))
  })

  it("is left alone for as long as it renews a lease", () => {
    const node = nodeWith([])
    let health = judgeNodeHealth(node, lease(START_MS), undefined, START_MS, rules).health
    for (let second = 10; second < 3600; second += 10) {
      const judged = judgeNodeHealth(node, lease(START_MS + second * 1000), health, START_MS + second * 1000, rules)
      assert.isFalse(judged.mustWrite)
      assert.isUndefined(judged.current)
      health = judged.health
    }
  })
})

describe("the record of a node", () => {
  const at = (heartbeatMs: number, transitionMs: number, status = "True"): Node =>
    nodeWith([
      {
        type: "Ready",
        status,
        lastHeartbeatTime: formatTime(heartbeatMs),
        lastTransitionTime: formatTime(transitionMs)
      }
    ])
  const seen = (node: Node, known: NodeHealth | undefined, now: number, renewed?: Lease) =>
    judgeNodeHealth(node, renewed, known, now, rules).health

  it("begins when its Ready condition is first seen, whatever times that bears", () => {
    const node = at(START_MS - 90_000, START_MS - 90_000)
    const first = { status: statusOf(node), probeMs: START_MS, readyTransitionMs: START_MS, lease: undefined }
    assert.deepStrictEqual(seen(node, undefined, START_MS), first)
    const before = seen(nodeWith(undefined), undefined, START_MS - 10_000)
    assert.deepStrictEqual(seen(node, before, START_MS), first)
    const renewed = seen(node, undefined, START_MS, lease(START_MS - 90_000))
    assert.deepStrictEqual(renewed, { ...first, lease: lease(START_MS - 90_000) })
  })

  it("takes a change of Ready into account with the heartbeat that brings it", () => {
    const known = seen(at(START_MS, START_MS), undefined, START_MS)
    const beat = seen(at(START_MS + 10_000, START_MS), known, START_MS + 11_000)
    assert.deepInclude(beat, { probeMs: START_MS + 11_000, readyTransitionMs: START_MS })
    const failing = at(START_MS + 20_000, START_MS + 20_000, "False")
    const changed = seen(failing, beat, START_MS + 21_000)
    assert.deepStrictEqual(changed, {
      status: statusOf(failing),
      probeMs: START_MS + 21_000,
      readyTransitionMs: START_MS + 21_000,
      lease: undefined
    })
    assert.strictEqual(seen(at(START_MS + 20_000, START_MS + 30_000), changed, START_MS + 31_000), changed)
  })

  it("keeps its times, with the status as it is then, when Ready is taken away", () => {
    const known = seen(at(START_MS, START_MS), undefined, START_MS + 500, lease(START_MS))
    const bare = nodeWith([{ type: "DiskPressure", status: "False" }])
    assert.deepStrictEqual(seen(bare, known, START_MS + 5000, lease(START_MS)), { ...known, status: statusOf(bare) })
  })

  it("counts from 1970 without a creation time, and from the first check without a status", () => {
    const timeless: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
    const judged = judgeNodeHealth(timeless, undefined, undefined, START_MS, rules)
    assert.deepInclude(judged.health, { probeMs: 0, readyTransitionMs: 0 })
    assert.deepStrictEqual(judged.observed, { type: "Ready", status: "Unknown" })
    assert.deepStrictEqual(judged.current, {
      type: "Ready",
      status: "Unknown",
      lastTransitionTime: formatTime(START_MS),
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status."
    })
  })
})

describe("conditions that are no longer posted", () => {
  const now = START_MS + 60_000

  it("say since when, and that the kubelet stopped, or that it never posted them", () => {
    const node = readyNode(START_MS)
    const { current, observed, status } = judgeNodeHealth(
      node,
      undefined,
      { status: statusOf(node), probeMs: START_MS, readyTransitionMs: START_MS, lease: undefined },
      now,
      rules
    )
    assert.deepStrictEqual(current, {
      type: "Ready",
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastHeartbeatTime: formatTime(START_MS),
      lastTransitionTime: formatTime(now)
    })
    assert.strictEqual(observed, node.status?.conditions?.[0])
    assert.deepStrictEqual(status.conditions?.[2], {
      type: "MemoryPressure",
      status: "Unknown",
      lastHeartbeatTime: formatTime(START_MS),
      lastTransitionTime: formatTime(now),
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status."
    })
  })

  it("stay as they are where they are Unknown already: the very same status", () => {
    const unknown = nodeWith(
      rules.staleConditions.map((type) => ({ type, status: "Unknown", lastTransitionTime: formatTime(START_MS) }))
    )
    const known = judgeNodeHealth(unknown, undefined, undefined, START_MS, rules).health
    const judged = judgeNodeHealth(unknown, undefined, known, now, rules)
    assert.isFalse(judged.mustWrite)
    assert.strictEqual(judged.status, unknown.status)
    assert.strictEqual(judged.health, known)
  })

  it("are remembered as they turn where the node never posted Ready", () => {
    const node = nodeWith(undefined)
    const known = judgeNodeHealth(node, undefined, undefined, START_MS, rules).health
    const judged = judgeNodeHealth(node, undefined, known, now + 1, rules)
    assert.deepStrictEqual(judged.observed, {
      type: "Ready",
      status: "Unknown",
      lastHeartbeatTime: formatTime(START_MS),
      lastTransitionTime: formatTime(START_MS)
    })
    assert.deepStrictEqual(judged.health, { ...known, status: judged.status })
    assert.deepStrictEqual(statuses(judged.status), [
      "Ready=Unknown",
      "MemoryPressure=Unknown",
      "DiskPressure=Unknown",
      "PIDPressure=Unknown"
    ])
  })
})
