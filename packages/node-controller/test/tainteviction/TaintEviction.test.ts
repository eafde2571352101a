import type { Taint, Toleration } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import { assert, describe, it } from "vitest"
import { TaintEvictionController } from "../../src/index.ts"
import { judgeEviction } from "../../src/rules.ts"
import { toleratesFor, World } from "../World.ts"

const taint = (key: string): Taint => ({ key, effect: "NoExecute" })
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds })
})

describe("a pod is judged", () => {
  it("by the shortest of the first tolerations that match", () => {
    const tolerations = [tolerate("a", 60), tolerate("a", 5), tolerate("b", 30), tolerate("c")]
    assert.deepStrictEqual(judgeEviction([taint("a")], tolerations, undefined, 1000), {
      kind: "schedule",
      createdMs: 1000,
      dueMs: 61_000
    })
    assert.deepInclude(judgeEviction([taint("a"), taint("b"), taint("c")], tolerations, undefined, 0), {
      dueMs: 30_000
    })
    assert.deepStrictEqual(judgeEviction([taint("c")], tolerations, undefined, 0), { kind: "tolerate" })
    assert.deepStrictEqual(judgeEviction([taint("c"), taint("d")], tolerations, undefined, 0), { kind: "evict" })
  })

  it("not again while an eviction is scheduled, even at this very instant", () => {
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", 0)], 999, 1000), { kind: "keep" })
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", 7)], 1000, 1000), { kind: "keep" })
    // The clock was set back: what was planned then is no plan of now.
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", 7)], 1001, 1000), {
      kind: "schedule",
      createdMs: 1001,
      dueMs: 8000
    })
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a")], 999, 1000), { kind: "tolerate" })
  })

  it("by comparisons only where their gate is on", () => {
    const slow: Taint = { key: "speed", value: "5", effect: "NoExecute" }
    const above: Toleration = { key: "speed", operator: "Gt", value: "3", effect: "NoExecute" }
    assert.deepStrictEqual(judgeEviction([slow], [above], undefined, 0), { kind: "evict" })
    assert.deepStrictEqual(judgeEviction([slow], [above], undefined, 0, true), { kind: "tolerate" })
  })

  it("forever when its seconds overflow a duration", () => {
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", 9_223_372_037)], undefined, 0), {
      kind: "tolerate"
    })
    assert.deepInclude(judgeEviction([taint("a")], [tolerate("a", 9_223_372_036)], undefined, 0), { kind: "schedule" })
    // Once around the 64 bits: 18,446,744,074 s are 0.290448384 s.
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", 18_446_744_074)], undefined, 0), {
      kind: "schedule",
      createdMs: 0,
      dueMs: 290.448384
    })
    // As JSON.parse reads the largest int64.
    const most = Number("9223372036854775807")
    assert.deepStrictEqual(judgeEviction([taint("a")], [tolerate("a", most)], undefined, 0), { kind: "tolerate" })
    assert.deepInclude(judgeEviction([taint("a"), taint("b")], [tolerate("a", most), tolerate("b", 7)], undefined, 0), {
      dueMs: 7000
    })
  })
})

/** Taints of nobody in particular: the pair belongs to the lifecycle controller, which runs as well. */
const xAndY = (seconds?: number) => [tolerate("x", seconds), tolerate("y", seconds)]

const cluster = (): World => {
  const world = new World()
  world.addNode("n")
  world.addNode("m")
  return world
}

const setTaints = (world: World, ...taints: ReadonlyArray<Taint>) =>
  world.api.put("Node", { ...world.api.node("n"), spec: { taints } } as never)

const messages = (world: World) =>
  world.api.events.filter(({ reason }) => reason === "TaintManagerEviction").map(({ message }) => message)

describe("taint eviction", () => {
  it("deletes at the taint, after the tolerated time, or never, and says why in the pod's status", () => {
    const world = cluster()
    world.addPod("none", "n", [])
    world.addPod("thirty", "n", xAndY(30))
    world.addPod("forever", "n", xAndY())
    world.addPod("elsewhere", "m", [])
    world.start()
    world.runTo(10)
    setTaints(world, taint("x"))
    world.runTo(39.9)
    assert.deepStrictEqual(world.deletions(), { none: 10 })
    assert.deepStrictEqual(
      world
        .get(TaintEvictionController)
        .pending()
        .map(({ pod }) => pod),
      ["thirty"]
    )
    world.runTo(1000)
    assert.deepStrictEqual(world.deletions(), { none: 10, thirty: 40 })
    assert.deepInclude(world.api.pod("thirty")?.status?.conditions?.at(-1), {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      observedGeneration: 1
    })
    assert.strictEqual(world.get(TaintEvictionController).deletions(), 2)
    assert.deepStrictEqual(messages(world), [
      "Marking for deletion Pod default/none",
      "Marking for deletion Pod default/thirty"
    ])
  })

  it("is cancelled when the taint is removed, and restarts when it returns", () => {
    const world = cluster()
    world.addPod("thirty", "n", xAndY(30))
    world.start()
    world.runTo(10)
    setTaints(world, taint("x"))
    world.runTo(39.999)
    setTaints(world)
    world.runTo(60)
    assert.deepStrictEqual(messages(world), ["Cancelling deletion of Pod default/thirty"])
    setTaints(world, taint("x"))
    world.runTo(89.999)
    assert.deepStrictEqual(world.deletions(), {})
    world.runTo(90)
    assert.deepStrictEqual(world.deletions(), { thirty: 90 })
  })

  it("continues through a swap of one taint for the other", () => {
    const world = cluster()
    world.addPod("thirty", "n", xAndY(30))
    world.start()
    world.runTo(10)
    const [y, x] = [taint("y"), taint("x")]
    setTaints(world, x)
    world.runTo(20)
    setTaints(world, x, y)
    setTaints(world, y)
    world.runTo(41)
    assert.deepStrictEqual(world.deletions(), { thirty: 40 })
    assert.deepStrictEqual(messages(world), ["Marking for deletion Pod default/thirty"])
  })

  it("loses its timers with its controller, and restarts them", () => {
    const world = cluster()
    world.addPod("thirty", "n", xAndY(30))
    world.start()
    world.runTo(10)
    setTaints(world, taint("x"))
    world.runTo(30)
    world.restart()
    world.runTo(59.999)
    assert.deepStrictEqual(world.deletions(), {})
    world.runTo(60)
    assert.deepStrictEqual(world.deletions(), { thirty: 60 })
  })

  it("ends with a node's recovery", () => {
    const world = cluster()
    world.addPod("pod", "n", toleratesFor(30))
    world.start()
    world.runTo(100)
    world.silence("n")
    world.runTo(175)
    assert.lengthOf(world.get(TaintEvictionController).pending(), 1)
    world.revive("n")
    world.runTo(400)
    assert.deepStrictEqual(world.deletions(), {})
    assert.deepStrictEqual(messages(world), ["Cancelling deletion of Pod default/pod"])
  })

  it("tries a deletion five times, 10 ms apart, and then gives up", () => {
    const world = cluster()
    world.addPod("none", "n", [])
    world.start()
    world.runTo(10)
    const tries: Array<number> = []
    world.api.intercept = (request) => {
      if (request.verb !== "delete" || request.kind !== "Pod") return undefined
      tries.push(Math.round(world.seconds * 1000))
      return refused(500, "InternalError")
    }
    setTaints(world, taint("example.com/broken"))
    world.runTo(300)
    assert.deepStrictEqual(tries, [10_000, 10_010, 10_020, 10_030, 10_040])
    assert.strictEqual(world.get(TaintEvictionController).deletions(), 0)
  })

  it("plans nothing for a pod while it is being deleted", () => {
    const world = new World({}, { qps: 1, burst: 1 })
    for (const name of ["n", "m"]) world.addNode(name)
    world.addPod("pod", "n", [tolerate("x", 30)])
    world.start()
    world.runTo(10)
    setTaints(world, taint("y"))
    world.runTo(10.5)
    assert.deepStrictEqual(world.deletions(), {})
    setTaints(world, taint("x"))
    world.runTo(12.5)
    assert.deepStrictEqual(world.get(TaintEvictionController).pending(), [])
    world.runTo(100)
    assert.strictEqual(world.get(TaintEvictionController).deletions(), 1)
    assert.deepStrictEqual(messages(world), ["Marking for deletion Pod default/pod"])
  })

  it("keeps scheduled evictions of a deleted node's pods, and drops that of a deleted pod", () => {
    const world = cluster()
    world.addPod("stays", "n", xAndY(30))
    world.addPod("goes", "n", xAndY(30))
    world.start()
    world.runTo(10)
    setTaints(world, taint("x"))
    world.runTo(15)
    world.api.remove("Node", "n")
    world.silence("n")
    world.runTo(20)
    world.api.remove("Pod", "goes", "default")
    world.runTo(41)
    assert.deepStrictEqual(world.deletions(), { stays: 40 })
    assert.include(messages(world), "Cancelling deletion of Pod default/goes")
  })
})
