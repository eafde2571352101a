import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, PodDisruptionBudget, Status } from "@rollcall/api"
import { makeWorld, pod, type World } from "./world.ts"

const onPod = (subresource: "binding" | "eviction", object: unknown, name = "p") =>
  ({ verb: "create", kind: "Pod", namespace: "default", name, subresource, object }) as const

const binding = (target: string, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  target: { apiVersion: "v1", kind: "Node", name: target }
})

describe("binding", () => {
  it("puts a pod on a node once", () => {
    const world = makeWorld()
    const created = world.create("Pod", pod("p", {}, { annotations: { kept: "1" } }))
    const status = world.ask(onPod("binding", binding("n", { annotations: { added: "2" } }))) as Status
    assert.deepInclude(status, { kind: "Status", status: "Success", code: 201 })
    const bound = world.get("Pod", "p")
    assert.strictEqual(bound?.spec.nodeName, "n")
    assert.deepStrictEqual(bound?.metadata.annotations, { kept: "1", added: "2" })
    assert.strictEqual(bound?.metadata.generation, created.metadata.generation)
    assert.deepStrictEqual(bound?.status?.conditions, [
      { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }
    ])
    assert.strictEqual(
      world.refused(onPod("binding", binding("m"))).message,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"'
    )
  })

  it("refuses a pod that is deleted, gated, missing or of another uid", () => {
    const world = makeWorld()
    const refusal = (object: unknown, name?: string) => world.refused(onPod("binding", object, name)).message ?? ""
    assert.strictEqual(refusal(binding("n")), 'pods "p" not found')
    world.create("Pod", pod("p", { schedulingGates: [{ name: "a.io/b" }] }))
    assert.match(refusal(binding("n")), /pod p has non-empty .spec.schedulingGates$/)
    assert.match(refusal(binding("n"), "q"), /not found/)
    world.create("Pod", pod("going", {}, { finalizers: ["a.io/b"] }))
    world.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "going" })
    assert.match(refusal(binding("n"), "going"), /pod going is being deleted, cannot be assigned to a host$/)
    world.create("Pod", pod("other"))
    assert.match(refusal(binding("n", { uid: "zz" }), "other"), /Precondition failed: UID in precondition: zz/)
    assert.match(refusal({ metadata: { name: "other" }, target: { name: "" } }, "other"), /target.name: Required value/)
  })
})

describe("scale", () => {
  const set = (world: World) =>
    world.create("ReplicaSet", {
      metadata: { name: "r", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
      }
    })
  const address = { kind: "ReplicaSet", namespace: "default", name: "r", subresource: "scale" } as const

  it("reads and writes the replicas of a set", () => {
    const world = makeWorld()
    const { uid = "" } = set(world).metadata
    const scale = world.ask({ verb: "get", ...address }) as KubeObject & {
      readonly spec: object
      readonly status: object
    }
    assert.deepInclude(scale, {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "a=b" }
    })
    assert.strictEqual(scale.metadata.uid, uid)
    const patched = world.ask({ verb: "patch", ...address, patchType: "merge", body: { spec: { replicas: 5 } } })
    assert.deepInclude(patched, { spec: { replicas: 5 } })
    const current = world.get("ReplicaSet", "r")
    assert.deepStrictEqual([current?.spec.replicas, current?.metadata.generation], [5, 2])
    // The Scale that was read before is stale now.
    const stale = world.refused({ verb: "update", ...address, object: { ...scale, spec: { replicas: 1 } } })
    assert.strictEqual(stale.reason, "Conflict")
    const { resourceVersion: _, ...metadata } = scale.metadata
    world.ask({ verb: "update", ...address, object: { ...scale, metadata, spec: { replicas: 1 } } })
    assert.strictEqual(world.get("ReplicaSet", "r")?.spec.replicas, 1)
  })

  it("is validated as the set is, and exists for sets only", () => {
    const world = makeWorld()
    set(world)
    const refused = world.refused({ verb: "patch", ...address, patchType: "merge", body: { spec: { replicas: -1 } } })
    assert.match(refused.message ?? "", /spec.replicas: Invalid value: -1/)
    world.create("Pod", pod("p"))
    assert.strictEqual(
      world.refused({ verb: "get", kind: "Pod", namespace: "default", name: "p", subresource: "scale" }).code,
      404
    )
    assert.strictEqual(
      world.refused({ verb: "get", kind: "Pod", namespace: "default", name: "p", subresource: "binding" }).code,
      405
    )
  })
})

describe("eviction", () => {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }
  const running = (world: World, name = "p") => {
    world.create("Pod", pod(name, { nodeName: "n" }, { labels: { app: "x" } }))
    const body = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } }
    world.ask({
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name,
      subresource: "status",
      patchType: "strategic",
      body
    })
  }
  const budget = (world: World, disruptionsAllowed: number, name = "b") => {
    const address = { kind: "PodDisruptionBudget", namespace: "default", name } as const
    world.create("PodDisruptionBudget", {
      metadata: { name, namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } }
    })
    const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 }
    world.ask({ verb: "patch", ...address, subresource: "status", patchType: "merge", body: { status } })
  }

  it("uses the budget, explains refusals, and deletes gracefully", () => {
    const world = makeWorld()
    running(world)
    budget(world, 1)
    const status = world.ask(onPod("eviction", eviction)) as Status
    assert.deepInclude(status, { status: "Success", code: 201 })
    const { metadata, status: podStatus } = world.get("Pod", "p") ?? {}
    assert.strictEqual(metadata?.deletionTimestamp, "2026-01-01T00:00:30Z")
    assert.deepInclude(podStatus?.conditions?.at(-1), { type: "DisruptionTarget", reason: "EvictionByEvictionAPI" })
    const spent = world.get("PodDisruptionBudget", "b") as PodDisruptionBudget
    assert.deepStrictEqual(spent.status?.disruptedPods, { p: "2026-01-01T00:00:00Z" })
    assert.strictEqual(spent.status?.disruptionsAllowed, 0)
  })

  it("changes nothing when the budget refuses, nor on a dry run", () => {
    const world = makeWorld()
    running(world)
    budget(world, 0)
    const before = world.server.revision()
    const refused = world.refused(onPod("eviction", eviction))
    assert.deepInclude(refused, { code: 429, reason: "TooManyRequests" })
    assert.deepStrictEqual(refused.details?.causes, [
      { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 2 currently" }
    ])
    budget(world, 1, "c")
    assert.strictEqual(world.refused(onPod("eviction", eviction)).code, 500)
    world.ask({ verb: "delete", kind: "PodDisruptionBudget", namespace: "default", name: "b" })
    const dry = { ...eviction, deleteOptions: { dryRun: ["All"] } }
    const between = world.server.revision()
    assert.strictEqual((world.ask(onPod("eviction", dry)) as Status).status, "Success")
    assert.strictEqual(world.server.revision(), between)
    assert.isAbove(between, before)
  })
})
