import type { Node, Pod } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { PodGarbageCollector } from "../../src/index.ts"
import { Quarantine } from "../../src/podgc/PodGc.ts"
import { podsOutOfService } from "../../src/rules.ts"
import { World } from "../World.ts"

const change = (world: World, name: string, to: (pod: Pod) => Pod) =>
  world.api.put("Pod", to(world.api.pod(name) as Pod))

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
    const world = new World()
    world.addNode("a")
    world.addNode("b")
    world.addPod("orphan", "b")
    world.addPod("other", "a")
    world.start()
    world.runTo(25)
    world.api.remove("Node", "b")
    world.silence("b")
    world.runTo(79.9)
    assert.isDefined(world.api.pod("orphan"))
    world.runTo(80.1)
    assert.isUndefined(world.api.pod("orphan"))
    assert.isDefined(world.api.pod("other"))
    const patch = world.api.noted.find(({ request }) => request.verb === "patch" && request.kind === "Pod")
    assert.deepNestedInclude(patch?.request, {
      "body.metadata.uid": "uid-orphan",
      "body.status.phase": "Failed",
      "body.status.observedGeneration": 1,
      "body.status.conditions[0].reason": "DeletionByPodGC"
    })
    assert.deepStrictEqual([...world.get(PodGarbageCollector).forceDeleted()], [["default/orphaned", 1]])
  })

  it("keeps pods of a node that is recreated, or that the API still knows", () => {
    const world = new World()
    world.addNode("a")
    world.addPod("pod", "b")
    world.start()
    world.runTo(30)
    world.addNode("b")
    world.runTo(200)
    assert.isDefined(world.api.pod("pod"))
    assert.strictEqual(world.get(PodGarbageCollector).forceDeleted().size, 0)
  })

  it("finishes pods that are terminating on a node out of service, whatever they tolerate", () => {
    const world = new World()
    for (const name of ["a", "b"]) world.addNode(name)
    world.addPod("going", "b", [{ operator: "Exists" }])
    world.addPod("staying", "b", [{ operator: "Exists" }])
    world.start()
    world.runTo(101)
    world.silence("b")
    world.runTo(165)
    change(world, "going", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:03:00Z" }
    }))
    world.runTo(200)
    assert.isDefined(world.api.pod("going"))
    const node = world.api.node("b")
    const outOfService = { key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }
    world.api.put("Node", { ...node, spec: { taints: [...(node.spec?.taints ?? []), outOfService] } } as never)
    world.runTo(220.1)
    assert.isUndefined(world.api.pod("going"))
    assert.isDefined(world.api.pod("staying"))
    assert.deepStrictEqual([...world.get(PodGarbageCollector).forceDeleted()], [["default/out-of-service", 1]])
  })

  it("takes those that a kubelet has evicted first, then the older ones", () => {
    const world = new World()
    world.addNode("a")
    const dead: Node = {
      ...world.api.node("a"),
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
    const world = new World()
    world.addNode("a")
    world.addPod("lost", "")
    change(world, "lost", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" }
    }))
    let failures = 1
    world.api.intercept = (request) => {
      if (request.verb !== "patch" || request.kind !== "Pod" || failures-- <= 0) return undefined
      return refused(409, "Conflict")
    }
    world.start()
    world.runTo(19.9)
    assert.isDefined(world.api.pod("lost"))
    assert.deepStrictEqual(world.deletions(), {})
    world.runTo(20.1)
    assert.isUndefined(world.api.pod("lost"))
    assert.deepStrictEqual([...world.get(PodGarbageCollector).forceDeleted()], [["default/unscheduled", 2]])
  })

  it("deletes again, after another quarantine, an orphan that a finalizer holds", () => {
    const world = new World()
    world.addNode("a")
    world.addPod("held", "gone")
    const tries: Array<number> = []
    world.api.intercept = (request) => {
      if (request.verb !== "delete" || request.name !== "held") return undefined
      tries.push(Math.round(world.seconds))
      return Result.succeed(world.api.pod("held"))
    }
    world.start()
    world.runTo(130)
    assert.deepStrictEqual(tries, [40, 80, 120])
  })
})
