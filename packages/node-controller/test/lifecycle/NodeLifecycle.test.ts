import { assert, describe, it } from "vitest"
import { NodeLifecycleController } from "../../src/index.ts"
import { World } from "../World.ts"

/** Nodes `<zone>-0` on, one pod each. */
const populate = (world: World, zones: Readonly<Record<string, number>>): void => {
  for (const [zone, count] of Object.entries(zones)) {
    for (let index = 0; index < count; index++) {
      world.addNode(`${zone}-${index}`, zone)
      world.addPod(`pod-${zone}-${index}`, `${zone}-${index}`)
    }
  }
}

const range = (zone: string, count: number) => Array.from({ length: count }, (_, index) => `${zone}-${index}`)

const podReady = (world: World, name: string) =>
  world.api.pod(name)?.status?.conditions?.find(({ type }) => type === "Ready")?.status

const eventsAbout = (world: World, about: string) =>
  world.api.events.filter((event) => event.about === about).map(({ message, reason }) => `${reason}: ${message}`)

const inNoTime = { baseMs: 0, perNodeMs: 0, metersEveryNode: false }

describe("a node that falls silent", () => {
  it("turns Unknown when its silence exceeds the grace by as little as passes drift", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.start()
    world.runTo(100)
    world.silence("a-0")
    // The renewal of 100 s was seen by the pass that began shortly after; each later pass begins 2.03 ms later.
    world.runTo(150)
    assert.strictEqual(world.ready("a-0"), "True")
    world.runTo(150.1)
    assert.strictEqual(world.ready("a-0"), "Unknown")
    assert.strictEqual(podReady(world, "pod-a-0"), "False")
    assert.deepStrictEqual(eventsAbout(world, "a-0"), [
      "RegisteredNode: Node a-0 event: Registered Node a-0 in Controller",
      "NodeNotReady: Node a-0 status is now: NodeNotReady"
    ])
    assert.deepStrictEqual(eventsAbout(world, "pod-a-0"), ["NodeNotReady: Node is not ready"])
  })

  it("is noticed one whole pass later where passes take no time", () => {
    const world = new World()
    world.passModel = inNoTime
    populate(world, { a: 3 })
    world.runTo(1)
    world.start()
    world.runTo(100)
    world.silence("a-0")
    world.runTo(155.9)
    assert.strictEqual(world.ready("a-0"), "True")
    world.runTo(156)
    assert.strictEqual(world.ready("a-0"), "Unknown")
  })

  it("costs its zone one token, however late the watch shows the write", () => {
    for (const watchLagMs of [0, 60, 240, 900]) {
      const world = new World({ nodeMonitorPeriodMs: 250 })
      world.passModel = inNoTime
      world.api.watchLagMs = watchLagMs
      populate(world, { a: 4, b: 9 })
      world.start()
      world.runTo(100)
      world.silence(...range("a", 4))
      world.runTo(156)
      // One at once, then one each ten seconds, and none for a node that has its taint already.
      assert.lengthOf(world.tainted(), 1, `a lag of ${watchLagMs} ms`)
      world.runTo(186)
      assert.lengthOf(world.tainted(), 4, `a lag of ${watchLagMs} ms`)
      for (const node of range("a", 4)) {
        assert.deepStrictEqual(world.taints(node), ["unreachable:NoSchedule", "unreachable:NoExecute"])
      }
    }
  })

  it("gets NoSchedule at once, NoExecute by the queue, and loses both when it speaks again", () => {
    const world = new World()
    populate(world, { a: 4 })
    world.start()
    world.runTo(100)
    world.silence("a-0", "a-1")
    world.runTo(150.07)
    assert.deepStrictEqual(world.taints("a-0"), ["unreachable:NoSchedule"])
    world.runTo(155)
    assert.deepStrictEqual(world.taints("a-0"), ["unreachable:NoSchedule", "unreachable:NoExecute"])
    assert.deepStrictEqual(world.tainted(), ["a-0"])
    world.runTo(160.3)
    assert.deepStrictEqual(world.tainted(), ["a-0", "a-1"])
    world.revive("a-0", "a-1")
    world.runTo(160.4)
    assert.deepStrictEqual(world.taints("a-0"), ["unreachable:NoExecute"])
    world.runTo(166)
    assert.deepStrictEqual(world.taints("a-0"), [])
    assert.deepStrictEqual(world.deletions(), {})
    const metrics = [...world.get(NodeLifecycleController).zoneMetrics().values()]
    assert.deepStrictEqual(metrics, [{ size: 4, health: 100, unhealthy: 0, evictions: 2 }])
  })

  it("that says itself that it is not ready is queued in the first pass, and its pods are its own business", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.start()
    world.runTo(100)
    world.postStatus("a-0", "False")
    world.runTo(105.5)
    assert.deepStrictEqual(world.taints("a-0"), ["not-ready:NoSchedule", "not-ready:NoExecute"])
    assert.strictEqual(podReady(world, "pod-a-0"), "True")
    assert.lengthOf(eventsAbout(world, "a-0"), 1)
    world.silence("a-0")
    world.runTo(160)
    // From False to Unknown: the taint is exchanged at once, unlimited and uncounted.
    assert.deepStrictEqual(world.taints("a-0"), ["unreachable:NoExecute", "unreachable:NoSchedule"])
    assert.strictEqual(podReady(world, "pod-a-0"), "True")
    assert.strictEqual(world.get(NodeLifecycleController).zones()[0]?.metrics.evictions, 1)
  })

  it("has pods marked too that are bound to it later", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.start()
    world.runTo(100)
    world.silence("a-0")
    world.runTo(151)
    world.addPod("late", "a-0")
    world.addPod("elsewhere", "a-1")
    world.runTo(151.1)
    assert.strictEqual(podReady(world, "late"), "False")
    assert.strictEqual(podReady(world, "elsewhere"), "True")
  })
})

describe("zones", () => {
  it("of which one dies entirely lose nodes at the normal rate, the others none", () => {
    const world = new World()
    populate(world, { a: 4, b: 4, c: 4 })
    world.start()
    world.runTo(100)
    world.silence(...range("b", 4))
    world.runTo(200)
    assert.deepStrictEqual(world.tainted(), range("b", 4))
    assert.deepStrictEqual(world.log.slice(3), ["150.1 b Normal->FullDisruption"])
    const at = world.api.noted.flatMap(({ atMs: ms, request }) =>
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
    const world = new World()
    populate(world, { a: 10 })
    world.start()
    world.runTo(100)
    world.silence(...range("a", 6))
    world.runTo(400)
    assert.lengthOf(world.tainted(), 0)
    assert.deepStrictEqual(world.log.slice(1), ["150.1 a 0/s", "150.1 a Normal->PartialDisruption"].toReversed())
    world.revive(...range("a", 2))
    world.runTo(500)
    assert.deepStrictEqual(world.log.slice(3), ["400.2 a PartialDisruption->Normal", "400.2 a 0.1/s"])
    assert.lengthOf(world.tainted(), 4)
  })

  it("that are large go on slowly", () => {
    const world = new World({ largeClusterSizeThreshold: 9 })
    populate(world, { a: 10 })
    world.start()
    world.runTo(100)
    world.silence(...range("a", 6))
    world.runTo(249)
    assert.lengthOf(world.tainted(), 1)
    world.runTo(251)
    assert.lengthOf(world.tainted(), 2)
  })

  it("do not count nodes that are excluded from disruption, which are tainted all the same", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.addNode("spare", "a", { labels: { "node.kubernetes.io/exclude-disruption": "" } })
    world.start()
    world.runTo(100)
    assert.strictEqual(world.get(NodeLifecycleController).zones()[0]?.metrics.size, 3)
    world.silence("spare")
    world.runTo(160)
    assert.strictEqual(world.ready("spare"), "Unknown")
    assert.deepStrictEqual(world.tainted(), ["spare"])
    assert.strictEqual(world.get(NodeLifecycleController).zones()[0]?.metrics.unhealthy, 0)
  })
})

describe("a zone of excluded nodes only", () => {
  it("is recreated in each pass, and its dead node tainted again each time", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.addNode("spare", "x", { labels: { "node.kubernetes.io/exclude-disruption": "" } })
    world.addPod("pod", "spare")
    world.start()
    world.runTo(100)
    world.silence("spare")
    world.runTo(166)
    const spare = world
      .get(NodeLifecycleController)
      .zones()
      .find(({ zone }) => zone === "x")
    assert.strictEqual(spare?.metrics.evictions, 4)
    assert.isUndefined(spare?.state)
    // The timer of its pod does not move.
    world.runTo(450)
    assert.deepStrictEqual(world.deletions(), {})
    world.runTo(451)
    assert.approximately(world.deletions().pod ?? 0, 450.2, 0.2)
  })
})

describe("a cluster of which every zone is down", () => {
  it("is left in peace until something is alive, and then for one token's time more", () => {
    const world = new World()
    populate(world, { a: 3, b: 3 })
    world.start()
    world.runTo(100)
    world.silence(...range("a", 3))
    world.runTo(160)
    assert.deepStrictEqual(world.tainted(), ["a-0"])
    world.silence(...range("b", 3))
    world.runTo(230)
    assert.include(world.log, "210.1 all down")
    assert.deepStrictEqual(world.tainted(), [])
    world.runTo(1000)
    assert.deepStrictEqual(world.tainted(), [])
    assert.deepStrictEqual(world.deletions(), {})

    world.revive("b-0")
    world.runTo(1004)
    const over = world.log.findIndex((line) => line.endsWith("all down over"))
    assert.isAtLeast(over, 0)
    assert.deepStrictEqual(world.tainted(), [])
    const exitAt = Number(world.log[over]?.split(" ")[0])
    world.runTo(exitAt + 9.9)
    assert.deepStrictEqual(world.tainted(), [])
    world.runTo(exitAt + 10.2)
    assert.deepStrictEqual(world.tainted(), ["a-0", "b-1"])
  })

  it("is taken for one by a controller that starts in it", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.start()
    world.runTo(100)
    world.silence(...range("a", 3))
    world.runTo(300)
    world.log.length = 0
    world.restart()
    world.runTo(300.1)
    assert.deepStrictEqual(world.log, ["300.0 all down", "300.0 a Initial->FullDisruption", "300.0 a 0/s"])
    world.runTo(400)
    assert.lengthOf(world.log, 3)
    assert.deepStrictEqual(world.tainted(), [])
  })
})

describe("a restarted controller", () => {
  it("removes every taint, then queues the nodes again", () => {
    const world = new World()
    populate(world, { a: 4 })
    world.start()
    world.runTo(100)
    world.silence("a-0", "a-1")
    world.runTo(165)
    assert.deepStrictEqual(world.tainted(), ["a-0", "a-1"])
    const before = world.api.noted.length
    world.restart()
    world.runTo(165.05)
    const patches = world.api.noted.slice(before).filter(({ request }) => request.verb === "patch")
    assert.deepStrictEqual(
      patches.map(({ request }) => ("name" in request ? request.name : "")),
      ["a-0", "a-1"]
    )
    world.runTo(165.2)
    assert.deepStrictEqual(world.tainted(), ["a-0"])
    world.runTo(180)
    assert.deepStrictEqual(world.tainted(), ["a-0", "a-1"])
    assert.lengthOf(eventsAbout(world, "a-2"), 2)
  })

  it("does nothing any more once its scope is closed", () => {
    const world = new World()
    populate(world, { a: 3 })
    world.start()
    world.runTo(100)
    world.stop()
    const { length } = world.api.noted
    world.silence(...range("a", 3))
    world.runTo(1000)
    assert.lengthOf(world.api.noted, length)
  })
})

describe("nodes that are added and deleted", () => {
  it("are registered and removed with an Event, once each", () => {
    const world = new World()
    populate(world, { a: 2 })
    world.start()
    world.runTo(10)
    world.addNode("a-9", "a")
    world.runTo(21)
    world.api.remove("Node", "a-1")
    world.silence("a-1")
    world.runTo(60)
    const told = world.api.events.map(({ about, reason }) => `${about} ${reason}`)
    assert.deepStrictEqual(told, ["a-0 RegisteredNode", "a-1 RegisteredNode", "a-9 RegisteredNode", "a-1 RemovingNode"])
    assert.strictEqual(world.get(NodeLifecycleController).zones()[0]?.metrics.size, 2)
  })

  it("keep their place in memory under their name", () => {
    const world = new World()
    populate(world, { a: 2 })
    world.start()
    world.runTo(101)
    world.silence("a-0")
    const { metadata, spec, status } = world.api.node("a-0")
    world.api.remove("Node", "a-0")
    world.runTo(140)
    // The same heartbeat as before: for the old record nothing has changed.
    world.api.put("Node", { apiVersion: "v1", kind: "Node", metadata, spec, status } as never)
    world.runTo(151)
    assert.strictEqual(world.ready("a-0"), "Unknown")
  })
})

describe("a node that is recreated while its predecessor is queued for a taint", () => {
  it("is out of the queue", () => {
    const world = new World({ nodeStartupGracePeriodMs: 600_000 })
    populate(world, { a: 4 })
    world.start()
    world.runTo(100)
    world.silence("a-0", "a-1")
    world.runTo(151)
    assert.deepStrictEqual(world.get(NodeLifecycleController).zones()[0]?.waiting, ["a-1"])
    const { metadata } = world.api.node("a-1")
    world.api.remove("Node", "a-1")
    world.runTo(157)
    world.api.put("Node", { apiVersion: "v1", kind: "Node", metadata, spec: {}, status: {} } as never)
    world.runTo(166)
    assert.deepStrictEqual(world.get(NodeLifecycleController).zones()[0]?.waiting, [])
  })
})

describe("conditions and labels", () => {
  it("is repeated as NoSchedule taints and beta labels", () => {
    const world = new World()
    world.addNode("a-0", "a", { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" } })
    world.start()
    world.runTo(1)
    assert.include(world.api.node("a-0").metadata.labels, {
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "arm64"
    })
    const node = world.api.node("a-0")
    world.api.put("Node", { ...node, spec: { ...node.spec, unschedulable: true } } as never)
    world.runTo(2)
    assert.deepStrictEqual(world.taints("a-0"), ["unschedulable:NoSchedule"])
  })
})
