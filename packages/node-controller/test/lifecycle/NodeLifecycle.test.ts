import { assert, describe, it } from "vitest"
import { NodeLifecycleController } from "../../src/index.ts"
import { TestCluster } from "../TestCluster.ts"

/** Nodes `<zone>-0` on, one pod each. */
const addNodes = (cluster: TestCluster, zones: Readonly<Record<string, number>>): void => {
  for (const [zone, count] of Object.entries(zones)) {
    for (let index = 0; index < count; index++) {
      cluster.addNode(`${zone}-${index}`, zone)
      cluster.addPod(`pod-${zone}-${index}`, `${zone}-${index}`)
    }
  }
}

const nodeNames = (zone: string, count: number) => Array.from({ length: count }, (_, index) => `${zone}-${index}`)

const podReady = (cluster: TestCluster, name: string) =>
  cluster.api.pod(name)?.status?.conditions?.find(({ type }) => type === "Ready")?.status

const eventsAbout = (cluster: TestCluster, about: string) =>
  cluster.api.events.filter((event) => event.about === about).map(({ message, reason }) => `${reason}: ${message}`)

const instantPasses = { baseMs: 0, perNodeMs: 0, metersEveryNode: false }

describe("a node that falls silent", () => {
  it("turns Unknown when its silence exceeds the grace by as little as passes drift", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0")
    // The renewal of 100 s was seen by the pass that began shortly after; each later pass begins 2.03 ms later.
    cluster.runTo(150)
    assert.strictEqual(cluster.ready("a-0"), "True")
    cluster.runTo(150.1)
    assert.strictEqual(cluster.ready("a-0"), "Unknown")
    assert.strictEqual(podReady(cluster, "pod-a-0"), "False")
    assert.deepStrictEqual(eventsAbout(cluster, "a-0"), [
      "RegisteredNode: Node a-0 event: Registered Node a-0 in Controller",
      "NodeNotReady: Node a-0 status is now: NodeNotReady"
    ])
    assert.deepStrictEqual(eventsAbout(cluster, "pod-a-0"), ["NodeNotReady: Node is not ready"])
  })

  it("is noticed one whole pass later where passes take no time", () => {
    const cluster = new TestCluster()
    cluster.passModel = instantPasses
    addNodes(cluster, { a: 3 })
    cluster.runTo(1)
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0")
    cluster.runTo(155.9)
    assert.strictEqual(cluster.ready("a-0"), "True")
    cluster.runTo(156)
    assert.strictEqual(cluster.ready("a-0"), "Unknown")
  })

  it("costs its zone one token, however late the watch shows the write", () => {
    for (const watchLagMs of [0, 60, 240, 900]) {
      const cluster = new TestCluster({ nodeMonitorPeriodMs: 250 })
      cluster.passModel = instantPasses
      cluster.api.watchLagMs = watchLagMs
      addNodes(cluster, { a: 4, b: 9 })
      cluster.start()
      cluster.runTo(100)
      cluster.silence(...nodeNames("a", 4))
      cluster.runTo(156)
      // One at once, then one each ten seconds, and none for a node that has its taint already.
      assert.lengthOf(cluster.tainted(), 1, `a lag of ${watchLagMs} ms`)
      cluster.runTo(186)
      assert.lengthOf(cluster.tainted(), 4, `a lag of ${watchLagMs} ms`)
      for (const node of nodeNames("a", 4)) {
        assert.deepStrictEqual(cluster.taints(node), ["unreachable:NoSchedule", "unreachable:NoExecute"])
      }
    }
  })

  it("gets NoSchedule at once, NoExecute by the queue, and loses both when it speaks again", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 4 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0", "a-1")
    cluster.runTo(150.07)
    assert.deepStrictEqual(cluster.taints("a-0"), ["unreachable:NoSchedule"])
    cluster.runTo(155)
    assert.deepStrictEqual(cluster.taints("a-0"), ["unreachable:NoSchedule", "unreachable:NoExecute"])
    assert.deepStrictEqual(cluster.tainted(), ["a-0"])
    cluster.runTo(160.3)
    assert.deepStrictEqual(cluster.tainted(), ["a-0", "a-1"])
    cluster.revive("a-0", "a-1")
    cluster.runTo(160.4)
    assert.deepStrictEqual(cluster.taints("a-0"), ["unreachable:NoExecute"])
    cluster.runTo(166)
    assert.deepStrictEqual(cluster.taints("a-0"), [])
    assert.deepStrictEqual(cluster.deletions(), {})
    const metrics = [...cluster.get(NodeLifecycleController).zoneMetrics().values()]
    assert.deepStrictEqual(metrics, [{ size: 4, health: 100, unhealthy: 0, evictions: 2 }])
  })

  it("that says itself that it is not ready is queued in the first pass, and its pods are its own business", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.postStatus("a-0", "False")
    cluster.runTo(105.5)
    assert.deepStrictEqual(cluster.taints("a-0"), ["not-ready:NoSchedule", "not-ready:NoExecute"])
    assert.strictEqual(podReady(cluster, "pod-a-0"), "True")
    assert.lengthOf(eventsAbout(cluster, "a-0"), 1)
    cluster.silence("a-0")
    cluster.runTo(160)
    // From False to Unknown: the taint is exchanged at once, unlimited and uncounted.
    assert.deepStrictEqual(cluster.taints("a-0"), ["unreachable:NoExecute", "unreachable:NoSchedule"])
    assert.strictEqual(podReady(cluster, "pod-a-0"), "True")
    assert.strictEqual(cluster.get(NodeLifecycleController).zones()[0]?.metrics.evictions, 1)
  })

  it("has pods marked too that are bound to it later", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0")
    cluster.runTo(151)
    cluster.addPod("late", "a-0")
    cluster.addPod("elsewhere", "a-1")
    cluster.runTo(151.1)
    assert.strictEqual(podReady(cluster, "late"), "False")
    assert.strictEqual(podReady(cluster, "elsewhere"), "True")
  })
})

describe("zones", () => {
  it("of which one dies entirely lose nodes at the normal rate, the others none", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 4, b: 4, c: 4 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence(...nodeNames("b", 4))
    cluster.runTo(200)
    assert.deepStrictEqual(cluster.tainted(), nodeNames("b", 4))
    assert.deepStrictEqual(cluster.reports.slice(3), ["150.1 b Normal->FullDisruption"])
    const at = cluster.api.noted.flatMap(({ atMs: ms, request }) =>
      request.verb === "patch" && JSON.stringify(request.body).includes("NoExecute")
        ? [Math.round(ms / 1000) % 1000]
        : []
    )
    assert.deepStrictEqual(
      at.map((second) => second - (at[0] ?? 0)),
      [0, 10, 20, 30]
    )
  })

  it("that are small stop when more than half of them is down", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 10 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence(...nodeNames("a", 6))
    cluster.runTo(400)
    assert.lengthOf(cluster.tainted(), 0)
    assert.deepStrictEqual(cluster.reports.slice(1), ["150.1 a 0/s", "150.1 a Normal->PartialDisruption"].toReversed())
    cluster.revive(...nodeNames("a", 2))
    cluster.runTo(500)
    assert.deepStrictEqual(cluster.reports.slice(3), ["400.2 a PartialDisruption->Normal", "400.2 a 0.1/s"])
    assert.lengthOf(cluster.tainted(), 4)
  })

  it("that are large go on slowly", () => {
    const cluster = new TestCluster({ largeClusterSizeThreshold: 9 })
    addNodes(cluster, { a: 10 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence(...nodeNames("a", 6))
    cluster.runTo(249)
    assert.lengthOf(cluster.tainted(), 1)
    cluster.runTo(251)
    assert.lengthOf(cluster.tainted(), 2)
  })

  it("do not count nodes that are excluded from disruption, which are tainted all the same", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.addNode("spare", "a", { labels: { "node.kubernetes.io/exclude-disruption": "" } })
    cluster.start()
    cluster.runTo(100)
    assert.strictEqual(cluster.get(NodeLifecycleController).zones()[0]?.metrics.size, 3)
    cluster.silence("spare")
    cluster.runTo(160)
    assert.strictEqual(cluster.ready("spare"), "Unknown")
    assert.deepStrictEqual(cluster.tainted(), ["spare"])
    assert.strictEqual(cluster.get(NodeLifecycleController).zones()[0]?.metrics.unhealthy, 0)
  })
})

describe("a zone of excluded nodes only", () => {
  it("is recreated in each pass, and its dead node tainted again each time", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.addNode("spare", "x", { labels: { "node.kubernetes.io/exclude-disruption": "" } })
    cluster.addPod("pod", "spare")
    cluster.start()
    cluster.runTo(100)
    cluster.silence("spare")
    cluster.runTo(166)
    const spare = cluster
      .get(NodeLifecycleController)
      .zones()
      .find(({ zone }) => zone === "x")
    assert.strictEqual(spare?.metrics.evictions, 4)
    assert.isUndefined(spare?.state)
    // The timer of its pod does not move.
    cluster.runTo(450)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.runTo(451)
    assert.approximately(cluster.deletions().pod ?? 0, 450.2, 0.2)
  })
})

describe("a cluster of which every zone is down", () => {
  it("is left in peace until something is alive, and then for one token's time more", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3, b: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence(...nodeNames("a", 3))
    cluster.runTo(160)
    assert.deepStrictEqual(cluster.tainted(), ["a-0"])
    cluster.silence(...nodeNames("b", 3))
    cluster.runTo(230)
    assert.include(cluster.reports, "210.1 all down")
    assert.deepStrictEqual(cluster.tainted(), [])
    cluster.runTo(1000)
    assert.deepStrictEqual(cluster.tainted(), [])
    assert.deepStrictEqual(cluster.deletions(), {})

    cluster.revive("b-0")
    cluster.runTo(1004)
    const over = cluster.reports.findIndex((line) => line.endsWith("all down over"))
    assert.isAtLeast(over, 0)
    assert.deepStrictEqual(cluster.tainted(), [])
    const exitAt = Number(cluster.reports[over]?.split(" ")[0])
    cluster.runTo(exitAt + 9.9)
    assert.deepStrictEqual(cluster.tainted(), [])
    cluster.runTo(exitAt + 10.2)
    assert.deepStrictEqual(cluster.tainted(), ["a-0", "b-1"])
  })

  it("is taken for one by a controller that starts in it", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence(...nodeNames("a", 3))
    cluster.runTo(300)
    cluster.reports.length = 0
    cluster.restart()
    cluster.runTo(300.1)
    assert.deepStrictEqual(cluster.reports, ["300.0 all down", "300.0 a Initial->FullDisruption", "300.0 a 0/s"])
    cluster.runTo(400)
    assert.lengthOf(cluster.reports, 3)
    assert.deepStrictEqual(cluster.tainted(), [])
  })
})

describe("a restarted controller", () => {
  it("removes every taint, then queues the nodes again", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 4 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0", "a-1")
    cluster.runTo(165)
    assert.deepStrictEqual(cluster.tainted(), ["a-0", "a-1"])
    const before = cluster.api.noted.length
    cluster.restart()
    cluster.runTo(165.05)
    const patches = cluster.api.noted.slice(before).filter(({ request }) => request.verb === "patch")
    assert.deepStrictEqual(
      patches.map(({ request }) => ("name" in request ? request.name : "")),
      ["a-0", "a-1"]
    )
    cluster.runTo(165.2)
    assert.deepStrictEqual(cluster.tainted(), ["a-0"])
    cluster.runTo(180)
    assert.deepStrictEqual(cluster.tainted(), ["a-0", "a-1"])
    assert.lengthOf(eventsAbout(cluster, "a-2"), 2)
  })

  it("does nothing any more once its scope is closed", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 3 })
    cluster.start()
    cluster.runTo(100)
    cluster.stop()
    const { length } = cluster.api.noted
    cluster.silence(...nodeNames("a", 3))
    cluster.runTo(1000)
    assert.lengthOf(cluster.api.noted, length)
  })
})

describe("nodes that are added and deleted", () => {
  it("are registered and removed with an Event, once each", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 2 })
    cluster.start()
    cluster.runTo(10)
    cluster.addNode("a-9", "a")
    cluster.runTo(21)
    cluster.api.remove("Node", "a-1")
    cluster.silence("a-1")
    cluster.runTo(60)
    const told = cluster.api.events.map(({ about, reason }) => `${about} ${reason}`)
    assert.deepStrictEqual(told, ["a-0 RegisteredNode", "a-1 RegisteredNode", "a-9 RegisteredNode", "a-1 RemovingNode"])
    assert.strictEqual(cluster.get(NodeLifecycleController).zones()[0]?.metrics.size, 2)
  })

  it("keep their place in memory under their name", () => {
    const cluster = new TestCluster()
    addNodes(cluster, { a: 2 })
    cluster.start()
    cluster.runTo(101)
    cluster.silence("a-0")
    const { metadata, spec, status } = cluster.api.node("a-0")
    cluster.api.remove("Node", "a-0")
    cluster.runTo(140)
    // The same heartbeat as before: for the old record nothing has changed.
    cluster.api.put("Node", { apiVersion: "v1", kind: "Node", metadata, spec, status } as never)
    cluster.runTo(151)
    assert.strictEqual(cluster.ready("a-0"), "Unknown")
  })
})

describe("a node that is recreated while its predecessor is queued for a taint", () => {
  it("is out of the queue", () => {
    const cluster = new TestCluster({ nodeStartupGracePeriodMs: 600_000 })
    addNodes(cluster, { a: 4 })
    cluster.start()
    cluster.runTo(100)
    cluster.silence("a-0", "a-1")
    cluster.runTo(151)
    assert.deepStrictEqual(cluster.get(NodeLifecycleController).zones()[0]?.waiting, ["a-1"])
    const { metadata } = cluster.api.node("a-1")
    cluster.api.remove("Node", "a-1")
    cluster.runTo(157)
    cluster.api.put("Node", { apiVersion: "v1", kind: "Node", metadata, spec: {}, status: {} } as never)
    cluster.runTo(166)
    assert.deepStrictEqual(cluster.get(NodeLifecycleController).zones()[0]?.waiting, [])
  })
})

describe("conditions and labels", () => {
  it("is repeated as NoSchedule taints and beta labels", () => {
    const cluster = new TestCluster()
    cluster.addNode("a-0", "a", { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" } })
    cluster.start()
    cluster.runTo(1)
    assert.include(cluster.api.node("a-0").metadata.labels, {
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "arm64"
    })
    const node = cluster.api.node("a-0")
    cluster.api.put("Node", { ...node, spec: { ...node.spec, unschedulable: true } } as never)
    cluster.runTo(2)
    assert.deepStrictEqual(cluster.taints("a-0"), ["unschedulable:NoSchedule"])
  })
})
