import { assert, describe, it } from "@effect/vitest"
import type { DeleteOptions, KindName, KubeObject, Status } from "@rollcall/api"
import { eventLines, makeWorld, node, pod, type World } from "./world.ts"

const remove = (kind: KindName, name: string, options?: DeleteOptions) =>
  ({ verb: "delete", kind, name, namespace: "default", ...(options === undefined ? {} : { options }) }) as const

const patch = (world: World, kind: KindName, name: string, body: unknown) =>
  world.ask({ verb: "patch", kind, name, namespace: "default", patchType: "merge", body })

describe("delete", () => {
  it("returns a Status once the object is deleted, and watchers get its last state at the deletion's revision", () => {
    const world = makeWorld()
    const created = world.create("Node", node("n"))
    const log = world.watch("Node", { resourceVersion: created.metadata.resourceVersion ?? "" })
    const answer = world.ask(remove("Node", "n")) as Status
    assert.deepStrictEqual(answer.details, { name: "n", kind: "nodes", uid: created.metadata.uid ?? "" })
    assert.strictEqual(answer.status, "Success")
    world.settle()
    const last = { ...created, metadata: { ...created.metadata, resourceVersion: String(world.server.revision()) } }
    assert.deepStrictEqual(log.events, [{ type: "DELETED", object: last }])
    assert.strictEqual(world.refused(remove("Node", "n")).message, 'nodes "n" not found')
  })

  it("gives a scheduled pod its grace period, and deletes it when the kubelet confirms", () => {
    const world = makeWorld()
    const { uid = "" } = world.create("Pod", pod("p", { nodeName: "n", terminationGracePeriodSeconds: 20 })).metadata
    const marked = world.ask(remove("Pod", "p")) as KubeObject
    assert.deepInclude(marked.metadata, {
      deletionTimestamp: "2026-01-01T00:00:20Z",
      deletionGracePeriodSeconds: 20,
      generation: 2
    })
    world.advance(5000)
    assert.strictEqual((world.ask(remove("Pod", "p")) as KubeObject).metadata.deletionTimestamp, "2026-01-01T00:00:20Z")
    const sooner = world.ask(remove("Pod", "p", { gracePeriodSeconds: 10 })) as KubeObject
    assert.strictEqual(sooner.metadata.deletionTimestamp, "2026-01-01T00:00:10Z")
    const stranger = world.refused(remove("Pod", "p", { gracePeriodSeconds: 0, preconditions: { uid: "other" } }))
    assert.strictEqual(
      stranger.message,
      `Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    )
    const last = world.ask(remove("Pod", "p", { gracePeriodSeconds: 0, preconditions: { uid } })) as KubeObject
    assert.strictEqual(last.kind, "Pod")
    assert.strictEqual(world.get("Pod", "p"), undefined)
  })

  it("waits for finalizers, lets none be added, and deletes with the last", () => {
    const world = makeWorld()
    world.create("Node", { metadata: { name: "n", finalizers: ["a.io/a", "b.io/b"] } })
    const log = world.watch("Node")
    world.settle()
    const marked = world.ask(remove("Node", "n")) as KubeObject
    assert.deepInclude(marked.metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 })
    const refused = world.refused({
      verb: "patch",
      kind: "Node",
      name: "n",
      patchType: "merge",
      body: { metadata: { finalizers: ["a.io/a", "b.io/b", "c.io/c"] } }
    })
    assert.match(refused.message ?? "", /no new finalizers can be added if the object is being deleted/)
    patch(world, "Node", "n", { metadata: { finalizers: ["b.io/b"] } })
    assert.isDefined(world.get("Node", "n"))
    const gone = patch(world, "Node", "n", { metadata: { finalizers: null } }) as KubeObject
    assert.notProperty(gone.metadata, "finalizers")
    assert.strictEqual(world.get("Node", "n"), undefined)
    world.settle()
    assert.deepStrictEqual(eventLines(log).at(-1), "DELETED n")
  })

  it("leaves the owner to the garbage collector for orphan and foreground", () => {
    const world = makeWorld()
    for (const [policy, finalizer] of [
      ["Orphan", "orphan"],
      ["Foreground", "foregroundDeletion"]
    ] as const) {
      world.create("ConfigMap", { metadata: { name: finalizer.toLowerCase(), namespace: "default" } })
      const marked = world.ask(
        remove("ConfigMap", finalizer.toLowerCase(), { propagationPolicy: policy })
      ) as KubeObject
      assert.deepStrictEqual(marked.metadata.finalizers, [finalizer])
    }
    const refused = world.refused(
      remove("ConfigMap", "orphan", { propagationPolicy: "Orphan", orphanDependents: true })
    )
    assert.deepInclude(refused, { code: 422, reason: "Invalid" })
  })

  it("changes nothing on a dry run", () => {
    const world = makeWorld()
    world.create("Node", node("n"))
    const before = world.server.revision()
    assert.strictEqual((world.ask(remove("Node", "n", { dryRun: ["All"] })) as Status).status, "Success")
    assert.strictEqual(world.server.revision(), before)
    assert.isDefined(world.get("Node", "n"))
  })

  it("refuses to delete the system namespaces", () => {
    const world = makeWorld()
    assert.strictEqual(
      world.refused(remove("Namespace", "kube-system")).message,
      'namespaces "kube-system" is forbidden: this namespace may not be deleted'
    )
  })

  it("ends a namespace once it is finalized", () => {
    const world = makeWorld()
    const created = world.create("Namespace", { metadata: { name: "x" } })
    assert.deepStrictEqual(created.spec?.finalizers, ["kubernetes"])
    const marked = world.ask(remove("Namespace", "x")) as typeof created
    assert.strictEqual(marked.status?.phase, "Terminating")
    const main = { ...marked, spec: { finalizers: [] } }
    world.ask({ verb: "update", kind: "Namespace", name: "x", object: main })
    assert.isDefined(world.get("Namespace", "x"))
    world.ask({ verb: "update", kind: "Namespace", name: "x", subresource: "finalize", object: main })
    assert.strictEqual(world.get("Namespace", "x"), undefined)
  })
})

describe("deletecollection", () => {
  it("deletes selected objects and returns them", () => {
    const world = makeWorld()
    for (const name of ["a", "b", "c"])
      world.create("Pod", pod(name, {}, { labels: { app: name === "c" ? "y" : "x" } }))
    const deleted = world.ask({
      verb: "deletecollection",
      kind: "Pod",
      namespace: "default",
      labelSelector: "app=x"
    }) as { readonly kind: string; readonly items: ReadonlyArray<KubeObject> }
    assert.strictEqual(deleted.kind, "PodList")
    assert.deepStrictEqual(
      deleted.items.map(({ metadata }) => metadata.name),
      ["a", "b"]
    )
    assert.deepStrictEqual(
      world.list("Pod").items.map(({ metadata }) => metadata.name),
      ["c"]
    )
    assert.strictEqual(world.refused({ verb: "deletecollection", kind: "Namespace" }).code, 405)
  })

  it("has no limit on the number of objects", () => {
    const world = makeWorld()
    const objects = Array.from({ length: 20_000 }, (_, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${index}`, namespace: "default" }
    }))
    world.time.run(world.server.restore(objects))
    world.ask({ verb: "deletecollection", kind: "ConfigMap", namespace: "default" })
    assert.strictEqual(world.list("ConfigMap").items.length, 0)
  })
})
