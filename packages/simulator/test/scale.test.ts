import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type LoadPerNode, measuredCosts, rehearsedLoad, renderScaleTable, scaleLoad } from "../src/scale/index.ts"

const each: LoadPerNode = {
  renewalsPerSecond: 0.1,
  statusesPerSecond: 1 / 300,
  podWrites: 9,
  podEvents: 1,
  leaseBytes: 400,
  nodeBytes: 2000,
  podBytes: 2000,
  eventBytes: 600
}
const loadOf = (nodes: number) => scaleLoad({ nodes, podsPerNode: 30, podLifeHours: 24 }, each, measuredCosts)

describe("the load of a node, rehearsed", () => {
  it("is that of Kubernetes' defaults: a renewal every 10 s and a jitter, a status every 5 minutes", () => {
    const load = Effect.runSync(rehearsedLoad)
    assert.closeTo(load.renewalsPerSecond, 0.1, 0.004)
    assert.closeTo(load.statusesPerSecond, 1 / 300, 0.0002)
    assert.isAtLeast(load.podWrites, 6)
    assert.isAtMost(load.podWrites, 12)
    for (const bytes of [load.leaseBytes, load.nodeBytes, load.podBytes, load.eventBytes]) assert.isAbove(bytes, 300)
    assert.deepStrictEqual(Effect.runSync(rehearsedLoad), load)
  })
})

describe("the load of a cluster", () => {
  it("has the renewals that large clusters report", () => {
    assert.strictEqual(loadOf(5000).renewalsPerSecond, 500)
    assert.strictEqual(loadOf(130_000).renewalsPerSecond, 13_000)
  })

  it("grows with the nodes", () => {
    const [one, ten] = [loadOf(1000), loadOf(10_000)]
    for (const of of ["writesPerSecond", "watchEventsPerSecond", "objectBytes", "storeBytes", "etcdCores"] as const) {
      assert.closeTo(ten[of] / one[of], 10, 0.01)
    }
  })

  it("needs servers for its work, and none suffice once each is busy with following the other ones", () => {
    assert.strictEqual(loadOf(100).servers, 2)
    const { followCores, serverCores, servers = 0 } = loadOf(20_000)
    const busy = (count: number) => (serverCores + (count - 1) * followCores) / count
    assert.isAtMost(busy(servers), 0.7)
    assert.isAbove(busy(servers - 1), 0.7)
    assert.isUndefined(loadOf(130_000).servers)
  })

  it("counts pods by how long they live", () => {
    const quick = scaleLoad({ nodes: 1000, podsPerNode: 30, podLifeHours: 1 }, each, measuredCosts)
    assert.closeTo(quick.podWritesPerSecond / loadOf(1000).podWritesPerSecond, 24, 1e-9)
    const none = scaleLoad({ nodes: 1000, podsPerNode: 0, podLifeHours: 1 }, each, measuredCosts)
    assert.strictEqual(none.podWritesPerSecond + none.eventWritesPerSecond, 0)
  })

  it("is a table with a column for each size", () => {
    const [head = "", pods = ""] = renderScaleTable([loadOf(5000), loadOf(130_000)], each).split("\n")
    assert.match(head, /^NODES +5,000 +130,000$/)
    assert.match(pods, /^pods +150,000 +3,900,000$/)
  })
})
