import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import type { PatchType } from "@rollcall/cluster"
import { lease, makeTestServer, node, pod, type TestServer } from "./testServer.ts"

const update = (_world: TestServer, object: KubeObject, more: object = {}) => {
  const { name = "", namespace } = object.metadata
  const request = { verb: "update", kind: object.kind, name, object, ...(namespace ? { namespace } : {}), ...more }
  return request as Parameters<TestServer["ask"]>[0]
}

describe("update", () => {
  it("requires the stored revision, and refuses others in Kubernetes' words", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Node", node("n"))
    const second = testServer.ask(
      update(testServer, { ...first, metadata: { ...first.metadata, labels: { a: "1" } } })
    ) as KubeObject
    assert.isAbove(Number(second.metadata.resourceVersion), Number(first.metadata.resourceVersion))
    const refused = testServer.refusalOf(update(testServer, first))
    assert.deepStrictEqual(refused, {
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      message:
        'Operation cannot be fulfilled on nodes "n": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "n", kind: "nodes" },
      code: 409
    })
  })

  it("overwrites without a revision, but not a lease", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const updated = testServer.ask(
      update(testServer, node("n", { metadata: { name: "n", labels: { a: "1" } } }) as KubeObject)
    ) as KubeObject
    assert.deepStrictEqual(updated.metadata.labels, { a: "1" })
    assert.isDefined(updated.metadata.uid)
    testServer.create("Lease", lease("n"))
    const refused = testServer.refusalOf(update(testServer, lease("n", { leaseDurationSeconds: 50 }) as KubeObject))
    assert.strictEqual(
      refused.message,
      'leases.coordination.k8s.io "n" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'
    )
  })

  it("creates a missing lease, and no other kind", () => {
    const testServer = makeTestServer()
    assert.isDefined(testServer.ask(update(testServer, lease("n") as KubeObject)))
    assert.isDefined(testServer.get("Lease", "n", "kube-node-lease"))
    assert.strictEqual(testServer.refusalOf(update(testServer, node("n") as KubeObject)).message, 'nodes "n" not found')
  })

  it("refuses the uid of a missing lease before its revision", () => {
    const testServer = makeTestServer()
    const object = lease("n") as KubeObject
    const given = (uid?: string) => ({ ...object, metadata: { ...object.metadata, resourceVersion: "-1", uid } })
    assert.include(testServer.refusalOf(update(testServer, given("u") as KubeObject)).message, "UID in precondition: u")
    assert.include(testServer.refusalOf(update(testServer, given() as KubeObject)).message, "strconv.ParseUint")
  })

  it("refuses another uid and another name", () => {
    const testServer = makeTestServer()
    const { metadata } = testServer.create("Node", node("n"))
    const other = testServer.refusalOf(
      update(testServer, { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "zz" } })
    )
    assert.strictEqual(
      other.message,
      `Operation cannot be fulfilled on nodes "n": StorageError: invalid object, Code: 4, Key: /registry/minions/n, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: ${metadata.uid}`
    )
    const renamed = testServer.refusalOf({ verb: "update", kind: "Node", name: "n", object: node("m") })
    assert.strictEqual(renamed.message, "the name of the object (m) does not match the name on the URL (n)")
  })

  it("writes nothing when nothing changes", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Lease", lease("n"))
    const before = testServer.server.revision()
    const same = testServer.ask(update(testServer, { ...first, spec: { ...first.spec } } as KubeObject))
    assert.strictEqual(same, first)
    assert.strictEqual(testServer.ask(update(testServer, JSON.parse(JSON.stringify(first)))), first)
    assert.strictEqual(testServer.server.revision(), before)
  })

  it("counts generations by the spec, and in a deployment also by annotations", () => {
    const testServer = makeTestServer()
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const deployment = testServer.create("Deployment", {
      metadata: { name: "d", namespace: "default" },
      spec: { selector: { matchLabels: { a: "b" } }, template }
    })
    const generationAfter = (body: object, more: object = {}) => {
      const request = {
        verb: "patch",
        kind: "Deployment",
        namespace: "default",
        name: "d",
        patchType: "merge",
        body,
        ...more
      } as const
      return (testServer.ask(request) as KubeObject).metadata.generation
    }
    assert.strictEqual(deployment.metadata.generation, 1)
    assert.strictEqual(generationAfter({ metadata: { labels: { x: "y" } } }), 1)
    assert.strictEqual(generationAfter({ spec: { replicas: 3 } }), 2)
    assert.strictEqual(generationAfter({ spec: { replicas: 3 } }), 2)
    assert.strictEqual(generationAfter({ metadata: { annotations: { x: "y" } } }), 3)
    assert.strictEqual(generationAfter({ status: { replicas: 3 } }, { subresource: "status" }), 3)
  })

  it("validates the result with Kubernetes' paths", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Pod", pod("p"))
    const moved = { ...created, spec: { ...created.spec, nodeName: "elsewhere" } }
    const refused = testServer.refusalOf(update(testServer, moved))
    assert.deepInclude(refused, { code: 422, reason: "Invalid" })
    assert.match(
      refused.message ?? "",
      /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than/
    )
  })
})

describe("a lease renewal", () => {
  const renewed = (held: KubeObject, renewTime: string) => ({
    ...held,
    spec: { ...(held as { spec?: object }).spec, renewTime }
  })
  const later = "2026-01-01T00:00:10.000000Z"

  it("shares unchanged parts, and is delivered to watchers", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Lease", lease("n"))
    const log = testServer.watch("Lease", { resourceVersion: first.metadata.resourceVersion ?? "" })
    const second = testServer.ask(update(testServer, renewed(first, later))) as typeof first
    assert.strictEqual(second.spec?.renewTime, later)
    assert.notStrictEqual(second.metadata, first.metadata)
    assert.deepStrictEqual(second.metadata, {
      ...first.metadata,
      resourceVersion: String(testServer.server.revision())
    })
    assert.strictEqual(first.metadata.resourceVersion, String(testServer.server.revision() - 1))
    testServer.settle()
    assert.deepStrictEqual(log.events, [{ type: "MODIFIED", object: second }])
    assert.strictEqual(testServer.get("Lease", "n", "kube-node-lease"), second)
  })

  it("is refused when stale or invalid, as any update is", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Lease", lease("n"))
    testServer.ask(update(testServer, renewed(first, later)))
    assert.strictEqual(
      testServer.refusalOf(update(testServer, renewed(first, "2026-01-01T00:00:20.000000Z"))).reason,
      "Conflict"
    )
    const held = testServer.get("Lease", "n", "kube-node-lease") as KubeObject
    const wrong = { ...held, spec: { renewTime: "2026-01-01T00:00:20.000000Z", leaseDurationSeconds: 0 } }
    assert.match(
      testServer.refusalOf(update(testServer, wrong)).message ?? "",
      /spec.leaseDurationSeconds: Invalid value: 0/
    )
  })

  it("may omit metadata that the server restores", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Lease", lease("n"))
    const { name, namespace, resourceVersion } = first.metadata
    const bare = { ...renewed(first, later), metadata: { name, namespace, resourceVersion } } as KubeObject
    const second = testServer.ask(update(testServer, bare)) as typeof first
    assert.deepStrictEqual(second.metadata, {
      ...first.metadata,
      resourceVersion: String(testServer.server.revision())
    })
    assert.strictEqual(second.spec?.renewTime, later)
  })

  it("that changes other metadata is applied or refused like any update", () => {
    const testServer = makeTestServer()
    const { metadata, ...rest } = lease("n") as KubeObject
    const first = testServer.create("Lease", { ...rest, metadata: { ...metadata, labels: { a: "1" } } })
    const asking = (more: object) =>
      update(testServer, { ...renewed(first, later), metadata: { ...first.metadata, ...more } } as KubeObject)
    assert.match(testServer.refusalOf(asking({ uid: "another" })).message ?? "", /UID in precondition: another/)
    assert.strictEqual(testServer.refusalOf(asking({ resourceVersion: "" })).reason, "Invalid")
    assert.deepStrictEqual((testServer.ask(asking({ labels: { a: "2" } })) as KubeObject).metadata.labels, { a: "2" })
    const held = testServer.get("Lease", "n", "kube-node-lease") as KubeObject
    const { labels: _, ...unlabelled } = held.metadata
    const bare = { ...renewed(held, "2026-01-01T00:00:20.000000Z"), metadata: unlabelled }
    assert.notProperty((testServer.ask(update(testServer, bare)) as KubeObject).metadata, "labels")
  })

  it("drops the fields of coordinated election", () => {
    const testServer = makeTestServer()
    const first = testServer.create("Lease", lease("n"))
    const withStrategy = { ...first, spec: { ...first.spec, renewTime: later, strategy: "OldestEmulationVersion" } }
    const second = testServer.ask(update(testServer, withStrategy)) as typeof first
    assert.deepStrictEqual(second.spec, { ...first.spec, renewTime: later })
  })
})

describe("the status subresource", () => {
  it("and the main resource do not change each other's part", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Node", node("n"))
    const both = {
      ...created,
      metadata: { ...created.metadata, labels: { a: "1" } },
      spec: { ...created.spec, providerID: "p://n" },
      status: { ...created.status, nodeInfo: { kubeletVersion: "v1" } }
    } as KubeObject
    const throughStatus = testServer.ask(update(testServer, both, { subresource: "status" })) as typeof created
    assert.deepStrictEqual(throughStatus.spec, created.spec)
    assert.deepInclude(throughStatus.status, { nodeInfo: { kubeletVersion: "v1" } })
    assert.deepStrictEqual(throughStatus.metadata.labels, { a: "1" })

    const current = { ...both, metadata: throughStatus.metadata, status: {} } as KubeObject
    const throughMain = testServer.ask(update(testServer, current)) as typeof created
    assert.strictEqual(throughMain.spec?.providerID, "p://n")
    assert.deepStrictEqual(throughMain.status, throughStatus.status)
  })

  it("keeps a pod's owners when an old kubelet omits them", () => {
    const testServer = makeTestServer()
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" }
    testServer.create("Pod", pod("p", {}, { ownerReferences: [owner] }))
    const body = { metadata: { ownerReferences: null, annotations: { a: "b" } }, status: { phase: "Running" } }
    const request = { verb: "patch", kind: "Pod", namespace: "default", name: "p", patchType: "merge", body } as const
    const patched = testServer.ask({ ...request, subresource: "status" }) as ReturnType<typeof testServer.get<"Pod">>
    assert.deepStrictEqual(patched?.metadata.ownerReferences, [owner])
    assert.deepStrictEqual(patched?.metadata.annotations, { a: "b" })
    assert.strictEqual(patched?.status?.phase, "Running")
  })
})

describe("patch", () => {
  const patchNode = (_world: TestServer, patchType: PatchType, body: unknown) =>
    ({ verb: "patch", kind: "Node", name: "n", patchType, body }) as const

  it("applies the three types", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const merged = testServer.ask(patchNode(testServer, "merge", { metadata: { labels: { a: "1" } } })) as KubeObject
    assert.deepStrictEqual(merged.metadata.labels, { a: "1" })
    const json = testServer.ask(
      patchNode(testServer, "json", [{ op: "add", path: "/metadata/labels/b", value: "2" }])
    ) as KubeObject
    assert.deepStrictEqual(json.metadata.labels, { a: "1", b: "2" })
    const strategic = testServer.ask(patchNode(testServer, "strategic", { spec: { unschedulable: true } })) as {
      spec?: object
    }
    assert.deepInclude(strategic.spec, { unschedulable: true })
  })

  it("takes a resourceVersion as a condition", () => {
    const testServer = makeTestServer()
    const { resourceVersion } = testServer.create("Node", node("n")).metadata
    const body = (revision: unknown) => ({ metadata: { resourceVersion: revision, labels: { a: String(revision) } } })
    testServer.ask(patchNode(testServer, "merge", body(resourceVersion)))
    assert.strictEqual(testServer.refusalOf(patchNode(testServer, "merge", body(resourceVersion))).reason, "Conflict")
    assert.isDefined(testServer.ask(patchNode(testServer, "merge", body(null))))
  })

  it("must not rename, and must be a patch", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const message = (type: PatchType, body: unknown) => testServer.refusalOf(patchNode(testServer, type, body)).message
    assert.strictEqual(
      message("merge", { metadata: { name: "b" } }),
      "the name of the object (b) does not match the name on the URL (n)"
    )
    assert.strictEqual(
      message("json", [{ op: "test", path: "/metadata/name", value: "zz" }]),
      "the server rejected our request due to an error in our request"
    )
    assert.match(message("merge", []) ?? "", /^error decoding patch: json: cannot unmarshal array/)
    assert.strictEqual(testServer.refusalOf(patchNode(testServer, "apply", {})).code, 415)
    const forced = testServer.refusalOf({ ...patchNode(testServer, "merge", {}), force: true })
    assert.match(forced.message ?? "", /^PatchOptions.meta.k8s.io "" is invalid: force: Forbidden/)
    const missing = testServer.refusalOf({ ...patchNode(testServer, "merge", {}), name: "zzz" })
    assert.strictEqual(missing.message, 'nodes "zzz" not found')
  })
})

describe("an update of an EndpointSlice", () => {
  it("counts a topology that it drops as a change", () => {
    const testServer = makeTestServer()
    const at = { kind: "EndpointSlice", namespace: "default", name: "e" } as const
    const slice = (endpoint: object) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "e", namespace: "default" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.1"], ...endpoint }]
    })
    testServer.create("EndpointSlice", slice({}))
    const object = slice({ deprecatedTopology: { zone: "z" } })
    for (const generation of [2, 3]) {
      testServer.ask({ verb: "update", ...at, object } as never)
      const stored = testServer.get("EndpointSlice", "e")
      assert.strictEqual(stored?.metadata.generation, generation)
      assert.deepStrictEqual(stored?.endpoints, [{ addresses: ["192.0.2.1"] }])
    }
  })
})

describe("a JSON patch", () => {
  it("is refused for the first wrong value in the order in which it adds them", () => {
    const testServer = makeTestServer({ managedFields: true })
    testServer.create("ConfigMap", { metadata: { name: "a", namespace: "default" } })
    const whyOf = (value: object) => {
      const body = [{ op: "add", path: "/metadata/labels", value }]
      const at = { kind: "ConfigMap", namespace: "default", name: "a", patchType: "json" } as const
      return testServer.refusalOf({ verb: "patch", ...at, body }).message?.replace(/^.*json: cannot unmarshal /, "")
    }
    const into = "into Go struct field ObjectMeta.metadata.labels of type string"
    assert.strictEqual(whyOf({ b: {}, a: 1 }), `object ${into}`)
    assert.strictEqual(whyOf({ a: 1, b: {} }), `number ${into}`)
  })
})
