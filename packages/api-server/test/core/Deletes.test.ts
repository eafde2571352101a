import { assert, describe, it } from "@effect/vitest"
import { type DeleteOptions, forbidden, type KindName, type KubeObject, type Status } from "@rollcall/api"
import type { AdmissionPlugin } from "../../src/core/admission/Admission.ts"
import { eventLines, makeTestServer, node, pod, type TestServer } from "./testServer.ts"

const remove = (kind: KindName, name: string, options?: DeleteOptions) =>
  ({ verb: "delete", kind, name, namespace: "default", ...(options === undefined ? {} : { options }) }) as const

const patch = (testServer: TestServer, kind: KindName, name: string, body: unknown) =>
  testServer.ask({ verb: "patch", kind, name, namespace: "default", patchType: "merge", body })

describe("delete", () => {
  it("returns a Status once the object is deleted, and watchers get its last state at the deletion's revision", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Node", node("n"))
    const log = testServer.watch("Node", { resourceVersion: created.metadata.resourceVersion ?? "" })
    const answer = testServer.ask(remove("Node", "n")) as Status
    assert.deepStrictEqual(answer.details, { name: "n", kind: "nodes", uid: created.metadata.uid ?? "" })
    assert.strictEqual(answer.status, "Success")
    testServer.settle()
    const last = {
      ...created,
      metadata: { ...created.metadata, resourceVersion: String(testServer.server.revision()) }
    }
    assert.deepStrictEqual(log.events, [{ type: "DELETED", object: last }])
    assert.strictEqual(testServer.refusalOf(remove("Node", "n")).message, 'nodes "n" not found')
  })

  it("gives a scheduled pod its grace period, and deletes it when the kubelet confirms", () => {
    const testServer = makeTestServer()
    const { uid = "" } = testServer.create(
      "Pod",
      pod("p", { nodeName: "n", terminationGracePeriodSeconds: 20 })
    ).metadata
    const marked = testServer.ask(remove("Pod", "p")) as KubeObject
    assert.deepInclude(marked.metadata, {
      deletionTimestamp: "2026-01-01T00:00:20Z",
      deletionGracePeriodSeconds: 20,
      generation: 2
    })
    testServer.advance(5000)
    assert.strictEqual(
      (testServer.ask(remove("Pod", "p")) as KubeObject).metadata.deletionTimestamp,
      "2026-01-01T00:00:20Z"
    )
    const sooner = testServer.ask(remove("Pod", "p", { gracePeriodSeconds: 10 })) as KubeObject
    assert.strictEqual(sooner.metadata.deletionTimestamp, "2026-01-01T00:00:10Z")
    const stranger = testServer.refusalOf(
      remove("Pod", "p", { gracePeriodSeconds: 0, preconditions: { uid: "other" } })
    )
    assert.strictEqual(
      stranger.message,
      `Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    )
    const last = testServer.ask(remove("Pod", "p", { gracePeriodSeconds: 0, preconditions: { uid } })) as KubeObject
    assert.strictEqual(last.kind, "Pod")
    assert.strictEqual(testServer.get("Pod", "p"), undefined)
    // It was marked by a write of its own before.
    assert.strictEqual(last.metadata.resourceVersion, String(testServer.server.revision()))
  })

  it("answers a dry run that would remove the last finalizer with an empty object, as upstream does", () => {
    const testServer = makeTestServer()
    const metadata = { name: "a", namespace: "default", finalizers: ["orphan"] }
    testServer.create("ServiceAccount", { metadata })
    testServer.create("Pod", pod("p", {}, { finalizers: ["orphan"] }))
    const options = { propagationPolicy: "Background", dryRun: ["All"] } as const
    assert.deepStrictEqual(testServer.ask(remove("ServiceAccount", "a", options)), {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: {}
    })
    // A pod is marked first, which is the result of the update.
    const { metadata: shown } = testServer.ask(remove("Pod", "p", options)) as KubeObject
    assert.strictEqual(shown.deletionGracePeriodSeconds, 0)
    assert.notProperty(shown, "finalizers")
    assert.deepStrictEqual(testServer.get("ServiceAccount", "a")?.metadata.finalizers, ["orphan"])
  })

  it("answers such a dry run with the numbers that Go always writes", () => {
    const testServer = makeTestServer()
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const spec = { selector: { matchLabels: { a: "b" } }, template }
    testServer.create("Deployment", { metadata: { name: "d", namespace: "default", finalizers: ["orphan"] }, spec })
    const options = { propagationPolicy: "Background", dryRun: ["All"] } as const
    assert.deepStrictEqual((testServer.ask(remove("Deployment", "d", options)) as { spec: unknown }).spec, {
      replicas: 0,
      selector: null,
      strategy: {},
      template: { metadata: {}, spec: { containers: null } }
    })
  })

  it("waits for finalizers, lets none be added, and deletes with the last", () => {
    const testServer = makeTestServer()
    testServer.create("Node", { metadata: { name: "n", finalizers: ["a.io/a", "b.io/b"] } })
    const log = testServer.watch("Node")
    testServer.settle()
    const marked = testServer.ask(remove("Node", "n")) as KubeObject
    assert.deepInclude(marked.metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 })
    const refused = testServer.refusalOf({
      verb: "patch",
      kind: "Node",
      name: "n",
      patchType: "merge",
      body: { metadata: { finalizers: ["a.io/a", "b.io/b", "c.io/c"] } }
    })
    assert.match(refused.message ?? "", /no new finalizers can be added if the object is being deleted/)
    const held = patch(testServer, "Node", "n", { metadata: { finalizers: ["b.io/b"] } }) as KubeObject
    assert.isDefined(testServer.get("Node", "n"))
    const gone = patch(testServer, "Node", "n", { metadata: { finalizers: null } }) as KubeObject
    assert.notProperty(gone.metadata, "finalizers")
    assert.strictEqual(gone.metadata.resourceVersion, held.metadata.resourceVersion)
    assert.strictEqual(testServer.get("Node", "n"), undefined)
    testServer.settle()
    assert.deepStrictEqual(eventLines(log).at(-1), "DELETED n")
  })

  it("leaves the owner to the garbage collector for orphan and foreground", () => {
    const testServer = makeTestServer()
    for (const [policy, finalizer] of [
      ["Orphan", "orphan"],
      ["Foreground", "foregroundDeletion"]
    ] as const) {
      testServer.create("ConfigMap", { metadata: { name: finalizer.toLowerCase(), namespace: "default" } })
      const marked = testServer.ask(
        remove("ConfigMap", finalizer.toLowerCase(), { propagationPolicy: policy })
      ) as KubeObject
      assert.deepStrictEqual(marked.metadata.finalizers, [finalizer])
    }
    const refused = testServer.refusalOf(
      remove("ConfigMap", "orphan", { propagationPolicy: "Orphan", orphanDependents: true })
    )
    assert.deepInclude(refused, { code: 422, reason: "Invalid" })
  })

  it("changes nothing on a dry run", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const before = testServer.server.revision()
    assert.strictEqual((testServer.ask(remove("Node", "n", { dryRun: ["All"] })) as Status).status, "Success")
    assert.strictEqual(testServer.server.revision(), before)
    assert.isDefined(testServer.get("Node", "n"))
  })

  it("refuses to delete the system namespaces", () => {
    const testServer = makeTestServer()
    assert.strictEqual(
      testServer.refusalOf(remove("Namespace", "kube-system")).message,
      'namespaces "kube-system" is forbidden: this namespace may not be deleted'
    )
  })

  it("ends a namespace once it is finalized", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Namespace", { metadata: { name: "x" } })
    assert.deepStrictEqual(created.spec?.finalizers, ["kubernetes"])
    const marked = testServer.ask(remove("Namespace", "x")) as typeof created
    assert.strictEqual(marked.status?.phase, "Terminating")
    const main = { ...marked, spec: { finalizers: [] } }
    testServer.ask({ verb: "update", kind: "Namespace", name: "x", object: main })
    assert.isDefined(testServer.get("Namespace", "x"))
    testServer.ask({ verb: "update", kind: "Namespace", name: "x", subresource: "finalize", object: main })
    assert.strictEqual(testServer.get("Namespace", "x"), undefined)
  })
})

describe("deletecollection", () => {
  it("deletes selected objects and returns them", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c"])
      testServer.create("Pod", pod(name, {}, { labels: { app: name === "c" ? "y" : "x" } }))
    const deleted = testServer.ask({
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
      testServer.list("Pod").items.map(({ metadata }) => metadata.name),
      ["c"]
    )
    assert.strictEqual(testServer.refusalOf({ verb: "deletecollection", kind: "Namespace" }).code, 405)
  })

  it("stops at the first object whose deletion is refused, and names none to admission", () => {
    const seen: Array<string> = []
    const keepB: AdmissionPlugin = {
      name: "KeepB",
      admits: (_kind, verb) => verb === "delete",
      validate: ({ name, oldObject }) => {
        seen.push(`${oldObject?.metadata.name} ${name}`)
        return oldObject?.metadata.name === "b"
          ? forbidden({ group: "", resource: "pods" }, "Unknown", "kept")
          : undefined
      }
    }
    const testServer = makeTestServer({ admission: [keepB] })
    for (const name of ["a", "b", "c"]) testServer.create("Pod", pod(name))
    const all = { verb: "deletecollection", kind: "Pod", namespace: "default" } as const
    assert.strictEqual(testServer.refusalOf(all).message, 'pods "Unknown" is forbidden: kept')
    assert.deepStrictEqual(seen, ["a ", "b "])
    assert.deepStrictEqual(
      testServer.list("Pod").items.map(({ metadata }) => metadata.name),
      ["b", "c"]
    )
  })

  it("has no limit on the number of objects", () => {
    const testServer = makeTestServer()
    const objects = Array.from({ length: 20_000 }, (_, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${index}`, namespace: "default" }
    }))
    testServer.time.run(testServer.server.restore(objects))
    testServer.ask({ verb: "deletecollection", kind: "ConfigMap", namespace: "default" })
    assert.strictEqual(testServer.list("ConfigMap").items.length, 0)
  })
})
