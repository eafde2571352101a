import type { Node, Pod } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { PodGarbageCollector } from "../../src/index.ts"
import { Quarantine } from "../../src/podgc/PodGc.ts"
import { podsOutOfService } from "../../src/rules.ts"
import { TestCluster } from "../TestCluster.ts"

const changePod = (cluster: TestCluster, name: string, to: (pod: Pod) => Pod) =>
  cluster.api.put("Pod", to(cluster.api.pod(name) as Pod))

describe("quarantine", () => {
  it("ends exactly after its time, is not extended, and restarts for a due name", () => {
    const quarantine = new Quarantine(40)
    assert.deepStrictEqual(quarantine.addAndTakeDue(["n"], 0), [])
    assert.deepStrictEqual(quarantine.addAndTakeDue(["n"], 39), [])
    assert.deepStrictEqual(quarantine.addAndTakeDue(["n"], 40), ["n"])
    assert.deepStrictEqual(quarantine.addAndTakeDue(["n"], 79), [])
    assert.deepStrictEqual(quarantine.addAndTakeDue([], 80), ["n"])
    assert.deepStrictEqual(quarantine.addAndTakeDue(["z", "y", "x"], 200), [])
    assert.deepStrictEqual(quarantine.addAndTakeDue([], 240), ["x", "y", "z"])
  })
})

describe("the pod garbage collector", () => {
  it("deletes pods of a deleted node, 40 to 60 s later", () => {
    const cluster = new TestCluster()
    cluster.addNode("a")
    cluster.addNode("b")
    cluster.addPod("orphan", "b")
    cluster.addPod("other", "a")
    cluster.start()
    cluster.runTo(25)
    cluster.api.remove("Node", "b")
    cluster.silence("b")
    cluster.runTo(79.9)
    assert.isDefined(cluster.api.pod("orphan"))
    cluster.runTo(80.1)
    assert.isUndefined(cluster.api.pod("orphan"))
    assert.isDefined(cluster.api.pod("other"))
    const patch = cluster.api.noted.find(({ request }) => request.verb === "patch" && request.kind === "Pod")
    assert.deepNestedInclude(patch?.request, {
      "body.metadata.uid": "uid-orphan",
      "body.status.phase": "Failed",
      "body.status.observedGeneration": 1,
      "body.status.conditions[0].reason": "DeletionByPodGC"
    })
    assert.deepStrictEqual([...cluster.get(PodGarbageCollector).forceDeleted()], [["default/orphaned", 1]])
  })

  it("keeps pods of a node that is recreated, or that the API still knows", () => {
    const cluster = new TestCluster()
    cluster.addNode("a")
    cluster.addPod("pod", "b")
    cluster.start()
    cluster.runTo(30)
    cluster.addNode("b")
    cluster.runTo(200)
    assert.isDefined(cluster.api.pod("pod"))
    assert.strictEqual(cluster.get(PodGarbageCollector).forceDeleted().size, 0)
  })

  it("finishes pods that are terminating on a node out of service, whatever they tolerate", () => {
    const cluster = new TestCluster()
    for (const name of ["a", "b"]) cluster.addNode(name)
    cluster.addPod("going", "b", [{ operator: "Exists" }])
    cluster.addPod("staying", "b", [{ operator: "Exists" }])
    cluster.start()
    cluster.runTo(101)
    cluster.silence("b")
    cluster.runTo(165)
    changePod(cluster, "going", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:03:00Z" }
    }))
    cluster.runTo(200)
    assert.isDefined(cluster.api.pod("going"))
    const node = cluster.api.node("b")
    const outOfService = { key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }
    cluster.api.put("Node", { ...node, spec: { taints: [...(node.spec?.taints ?? []), outOfService] } } as never)
    cluster.runTo(220.1)
    assert.isUndefined(cluster.api.pod("going"))
    assert.isDefined(cluster.api.pod("staying"))
    assert.deepStrictEqual([...cluster.get(PodGarbageCollector).forceDeleted()], [["default/out-of-service", 1]])
  })

  it("takes those that a kubelet has evicted first, then the older ones", () => {
    const cluster = new TestCluster()
    cluster.addNode("a")
    const dead: Node = {
      ...cluster.api.node("a"),
      spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
      status: {}
    }
    const pod = (name: string, creationTimestamp: string, status: NonNullable<Pod["status"]> = {}): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", creationTimestamp, deletionTimestamp: "2026-01-02T00:00:00Z" },
      spec: { nodeName: "a", containers: [] },
      status
    })
    const [young, old] = ["2026-01-01T00:00:09Z", "2026-01-01T00:00:01Z"] as const
    const evicted = pod("d", young, { phase: "Failed", reason: "Evicted" })
    const pods = [pod("a", young), pod("c", old), evicted, pod("b", old)]
    assert.deepStrictEqual(
      podsOutOfService(pods, () => dead).map(({ metadata }) => metadata.name),
      ["d", "b", "c", "a"]
    )
  })

  it("does not delete a pod whose status it cannot write, and tries again", () => {
    const cluster = new TestCluster()
    cluster.addNode("a")
    cluster.addPod("lost", "")
    changePod(cluster, "lost", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" }
    }))
    let failures = 1
    cluster.api.intercept = (request) => {
      if (request.verb !== "patch" || request.kind !== "Pod" || failures-- <= 0) return undefined
      return refused(409, "Conflict")
    }
    cluster.start()
    cluster.runTo(19.9)
    assert.isDefined(cluster.api.pod("lost"))
    assert.deepStrictEqual(cluster.deletions(), {})
    cluster.runTo(20.1)
    assert.isUndefined(cluster.api.pod("lost"))
    assert.deepStrictEqual([...cluster.get(PodGarbageCollector).forceDeleted()], [["default/unscheduled", 2]])
  })

  it("deletes again, after another quarantine, an orphan that a finalizer holds", () => {
    const cluster = new TestCluster()
    cluster.addNode("a")
    cluster.addPod("held", "gone")
    const tries: Array<number> = []
    cluster.api.intercept = (request) => {
      if (request.verb !== "delete" || request.name !== "held") return undefined
      tries.push(Math.round(cluster.seconds))
      return Result.succeed(cluster.api.pod("held"))
    }
    cluster.start()
    cluster.runTo(130)
    assert.deepStrictEqual(tries, [40, 80, 120])
  })
})
