import type { Taint, Toleration } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import { assert, describe, it } from "vitest"
import { TaintEvictionController } from "../../src/index.ts"
import { judgeEviction } from "../../src/rules.ts"
import { TestCluster, tolerationsFor } from "../TestCluster.ts"

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
const tolerateXAndY = (seconds?: number) => [tolerate("x", seconds), tolerate("y", seconds)]

const makeTwoNodeCluster = (): TestCluster => {
  const cluster = new TestCluster()
  cluster.addNode("n")
  cluster.addNode("m")
  return cluster
}

const setTaints = (cluster: TestCluster, ...taints: ReadonlyArray<Taint>) =>
  cluster.api.put("Node", { ...cluster.api.node("n"), spec: { taints } } as never)

const messages = (cluster: TestCluster) =>
  cluster.api.events.filter(({ reason }) => reason === "TaintManagerEviction").map(({ message }) => message)

describe("taint eviction", () => {
  it("deletes at the taint, after the tolerated time, or never, and says why in the pod's status", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("none", "n", [])
    cluster.addPod("thirty", "n", tolerateXAndY(30))
    cluster.addPod("forever", "n", tolerateXAndY())
    cluster.addPod("elsewhere", "m", [])
    cluster.start()
    cluster.runTo(10)
    setTaints(cluster, taint("x"))
    cluster.runTo(39.9)
    assert.deepStrictEqual(cluster.deletions(), { none: 10 })
    assert.deepStrictEqual(
      cluster
        .get(TaintEvictionController)
        .pending()
        .map(({ pod }) => pod),
      ["thirty"]
    )
    cluster.runTo(1000)
    assert.deepStrictEqual(cluster.deletions(), { none: 10, thirty: 40 })
    assert.deepInclude(cluster.api.pod("thirty")?.status?.conditions?.at(-1), {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      observedGeneration: 1
    })
    assert.strictEqual(cluster.get(TaintEvictionController).deletions(), 2)
    assert.deepStrictEqual(messages(cluster), [
      "Marking for deletion Pod default/none",
      "Marking for deletion Pod default/thirty"
    ])
  })

  it("is cancelled when the taint is removed, and restarts when it returns", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("thirty", "n", tolerateXAndY(30))
    cluster.start()
    cluster.runTo(10)
    setTaints(cluster, taint("x"))
    cluster.runTo(39.999)
    setTaints(cluster)
    cluster.runTo(60)
    assert.deepStrictEqual(messages(cluster), ["Cancelling deletion of Pod default/thirty"])
    setTaints(cluster, taint("x"))
    cluster.runTo(89.999)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.runTo(90)
    assert.deepStrictEqual(cluster.deletions(), { thirty: 90 })
  })

  it("continues through a swap of one taint for the other", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("thirty", "n", tolerateXAndY(30))
    cluster.start()
    cluster.runTo(10)
    const [y, x] = [taint("y"), taint("x")]
    setTaints(cluster, x)
    cluster.runTo(20)
    setTaints(cluster, x, y)
    setTaints(cluster, y)
    cluster.runTo(41)
    assert.deepStrictEqual(cluster.deletions(), { thirty: 40 })
    assert.deepStrictEqual(messages(cluster), ["Marking for deletion Pod default/thirty"])
  })

  it("loses its timers with its controller, and restarts them", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("thirty", "n", tolerateXAndY(30))
    cluster.start()
    cluster.runTo(10)
    setTaints(cluster, taint("x"))
    cluster.runTo(30)
    cluster.restart()
    cluster.runTo(59.999)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.runTo(60)
    assert.deepStrictEqual(cluster.deletions(), { thirty: 60 })
  })

  it("ends with a node's recovery", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("pod", "n", tolerationsFor(30))
    cluster.start()
    cluster.runTo(100)
    cluster.silence("n")
    cluster.runTo(175)
    assert.lengthOf(cluster.get(TaintEvictionController).pending(), 1)
    cluster.revive("n")
    cluster.runTo(400)
    assert.deepStrictEqual(cluster.deletions(), {})
    assert.deepStrictEqual(messages(cluster), ["Cancelling deletion of Pod default/pod"])
  })

  it("tries a deletion five times, 10 ms apart, and then gives up", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("none", "n", [])
    cluster.start()
    cluster.runTo(10)
    const tries: Array<number> = []
    cluster.api.intercept = (request) => {
      if (request.verb !== "delete" || request.kind !== "Pod") return undefined
      tries.push(Math.round(cluster.seconds * 1000))
      return refused(500, "InternalError")
    }
    setTaints(cluster, taint("example.com/broken"))
    cluster.runTo(300)
    assert.deepStrictEqual(tries, [10_000, 10_010, 10_020, 10_030, 10_040])
    assert.strictEqual(cluster.get(TaintEvictionController).deletions(), 0)
  })

  it("plans nothing for a pod while it is being deleted", () => {
    const cluster = new TestCluster({}, { qps: 1, burst: 1 })
    for (const name of ["n", "m"]) cluster.addNode(name)
    cluster.addPod("pod", "n", [tolerate("x", 30)])
    cluster.start()
    cluster.runTo(10)
    setTaints(cluster, taint("y"))
    cluster.runTo(10.5)
    assert.deepStrictEqual(cluster.deletions(), {})
    setTaints(cluster, taint("x"))
    cluster.runTo(12.5)
    assert.deepStrictEqual(cluster.get(TaintEvictionController).pending(), [])
    cluster.runTo(100)
    assert.strictEqual(cluster.get(TaintEvictionController).deletions(), 1)
    assert.deepStrictEqual(messages(cluster), ["Marking for deletion Pod default/pod"])
  })

  it("keeps scheduled evictions of a deleted node's pods, and drops that of a deleted pod", () => {
    const cluster = makeTwoNodeCluster()
    cluster.addPod("stays", "n", tolerateXAndY(30))
    cluster.addPod("goes", "n", tolerateXAndY(30))
    cluster.start()
    cluster.runTo(10)
    setTaints(cluster, taint("x"))
    cluster.runTo(15)
    cluster.api.remove("Node", "n")
    cluster.silence("n")
    cluster.runTo(20)
    cluster.api.remove("Pod", "goes", "default")
    cluster.runTo(41)
    assert.deepStrictEqual(cluster.deletions(), { stays: 40 })
    assert.include(messages(cluster), "Cancelling deletion of Pod default/goes")
  })
})
