import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { NodeLifecycleSettings } from "../../src/index.ts"
import { remainingGraceMs } from "../../src/lifecycle/PodDeletion.ts"
import { decideDeletion, isDeletedWithNode } from "../../src/rules.ts"
import { TestCluster } from "../TestCluster.ts"

const TIMEOUT_MS = 300_000

const pod = (metadata: Pod["metadata"]): Pod => ({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } })

describe("deletion by the node controller", () => {
  it("waits for the timeout: from the last sign of life where Ready is Unknown, from its change where it is False", () => {
    const health = { probeMs: 1000, readyTransitionMs: 9000 }
    const at = (observed: string, now: number) => decideDeletion(observed, health, now, TIMEOUT_MS)
    assert.deepStrictEqual([at("Unknown", 301_000), at("Unknown", 301_001)], ["wait", "delete"])
    assert.deepStrictEqual([at("False", 309_000), at("False", 309_001)], ["wait", "delete"])
    assert.strictEqual(at("True", 999_999), "keep")
    assert.strictEqual(at("Maybe", 999_999), "wait")
  })

  it("spares pods of DaemonSets and those that are going already", () => {
    const owned = (kind: string) =>
      pod({ name: "p", ownerReferences: [{ apiVersion: "apps/v1", kind, name: "o", uid: "u" }] })
    assert.isTrue(isDeletedWithNode(pod({ name: "p" })))
    assert.isTrue(isDeletedWithNode(owned("ReplicaSet")))
    assert.isFalse(isDeletedWithNode(owned("DaemonSet")))
    const both = ["Foo", "DaemonSet"].map((kind) => ({ apiVersion: "v1", kind, name: "o", uid: kind }))
    assert.isFalse(isDeletedWithNode(pod({ name: "p", ownerReferences: both })))
    assert.isTrue(isDeletedWithNode(pod({ name: "p", ownerReferences: [] })))
    assert.isFalse(isDeletedWithNode(pod({ name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" })))
  })

  it("grants the rest of the grace period, five minutes at most", () => {
    const ending = (seconds: number) => pod({ name: "p", deletionGracePeriodSeconds: seconds })
    assert.strictEqual(remainingGraceMs(ending(30), 1000, 11_000), 20_000)
    assert.strictEqual(remainingGraceMs(ending(3600), 0, 300_001), -1)
    assert.isUndefined(remainingGraceMs(pod({ name: "p" }), 0, 0))
  })
})

const startOldCluster = (settings: Partial<NodeLifecycleSettings> = {}) => {
  const cluster = new TestCluster(settings, undefined, "1.4")
  for (const name of ["a-0", "a-1", "a-2", "a-3"]) cluster.addNode(name)
  for (const name of ["b-0", "b-1"]) cluster.addNode(name, "zone-b")
  cluster.start()
  cluster.runTo(20)
  return cluster
}

const reasons = (cluster: TestCluster): ReadonlyArray<string> => cluster.api.events.map(({ reason }) => reason)

describe("a node controller of 1.4", () => {
  it("deletes the pods of one lost node every ten seconds, without a taint, and force-deletes those that do not terminate", () => {
    const cluster = startOldCluster()
    for (const node of ["b-0", "b-1"]) cluster.addPod(`p-${node}`, node)
    cluster.silence("b-0", "b-1")
    cluster.runTo(310)
    assert.deepStrictEqual([cluster.deletions(), cluster.tainted()], [{}, []])
    cluster.runTo(600)
    const { "p-b-0": first = 0, "p-b-1": second = 0 } = cluster.deletions()
    assert.isAbove(first, 310)
    assert.approximately(second - first, 10, 0.5)
    assert.deepStrictEqual(
      reasons(cluster).filter((reason) => reason !== "RegisteredNode" && reason !== "NodeNotReady"),
      [
        ...["DeletingAllPods", "NodeControllerEviction", "DeletingAllPods", "NodeControllerEviction"],
        ...["TerminatingEvictedPod", "TerminatedAllPods", "TerminatingEvictedPod", "TerminatedAllPods"]
      ]
    )
    assert.deepStrictEqual(cluster.api.all("Pod"), [])
    cluster.stop()
  })

  it("leaves the pods Terminating where it does not force them", () => {
    const cluster = startOldCluster({ forcedDeletion: false })
    cluster.addPod("p", "b-0")
    cluster.silence("b-0")
    cluster.runTo(900)
    assert.notInclude(reasons(cluster), "TerminatingEvictedPod")
    assert.include(reasons(cluster), "NodeControllerEviction")
    assert.lengthOf(cluster.api.all("Pod"), 1)
    cluster.stop()
  })

  it("cancels scheduled deletions when the node recovers", () => {
    const cluster = startOldCluster()
    for (const node of ["b-0", "b-1"]) cluster.addPod(`p-${node}`, node)
    cluster.silence("b-0", "b-1")
    cluster.runTo(300)
    cluster.revive("b-0", "b-1")
    cluster.runTo(900)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.stop()
  })

  it("deletes nothing while every zone is down, but continues with the queue afterwards", () => {
    const cluster = startOldCluster()
    cluster.addPod("p", "a-0")
    cluster.silence("a-0", "a-1", "a-2", "a-3", "b-0", "b-1")
    cluster.runTo(900)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.revive("b-0", "b-1")
    cluster.runTo(950)
    assert.approximately(cluster.deletions().p ?? 0, 912, 5)
    cluster.stop()
  })

  it("evicts no pod for a taint", () => {
    const cluster = startOldCluster()
    cluster.addPod("p", "a-0", [])
    const node = cluster.api.node("a-0")
    cluster.api.put("Node", { ...node, spec: { taints: [{ key: "k", effect: "NoExecute" }] } } as never)
    cluster.runTo(60)
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.stop()
  })
})
