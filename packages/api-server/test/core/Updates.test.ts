import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import type { PatchType } from "@rollcall/cluster"
import { lease, makeWorld, node, pod, type World } from "./world.ts"

const update = (_world: World, object: KubeObject, more: object = {}) => {
  const { name = "", namespace } = object.metadata
  const request = { verb: "update", kind: object.kind, name, object, ...(namespace ? { namespace } : {}), ...more }
  return request as Parameters<World["ask"]>[0]
}

describe("update", () => {
  it("requires the stored revision, and refuses others in Kubernetes' words", () => {
    const world = makeWorld()
    const first = world.create("Node", node("n"))
    const second = world.ask(
      update(world, { ...first, metadata: { ...first.metadata, labels: { a: "1" } } })
    ) as KubeObject
    assert.isAbove(Number(second.metadata.resourceVersion), Number(first.metadata.resourceVersion))
    const refused = world.refused(update(world, first))
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
    const world = makeWorld()
    world.create("Node", node("n"))
    const updated = world.ask(
      update(world, node("n", { metadata: { name: "n", labels: { a: "1" } } }) as KubeObject)
    ) as KubeObject
    assert.deepStrictEqual(updated.metadata.labels, { a: "1" })
    assert.isDefined(updated.metadata.uid)
    world.create("Lease", lease("n"))
    const refused = world.refused(update(world, lease("n", { leaseDurationSeconds: 50 }) as KubeObject))
    assert.strictEqual(
      refused.message,
      'leases.coordination.k8s.io "n" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'
    )
  })

  it("creates a missing lease, and no other kind", () => {
    const world = makeWorld()
    assert.isDefined(world.ask(update(world, lease("n") as KubeObject)))
    assert.isDefined(world.get("Lease", "n", "kube-node-lease"))
    assert.strictEqual(world.refused(update(world, node("n") as KubeObject)).message, 'nodes "n" not found')
  })

  it("refuses another uid and another name", () => {
    const world = makeWorld()
    const { metadata } = world.create("Node", node("n"))
    const other = world.refused(update(world, { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "zz" } }))
    assert.strictEqual(
      other.message,
      `Operation cannot be fulfilled on nodes "n": StorageError: invalid object, Code: 4, Key: /registry/minions/n, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: ${metadata.uid}`
    )
    const renamed = world.refused({ verb: "update", kind: "Node", name: "n", object: node("m") })
    assert.strictEqual(renamed.message, "the name of the object (m) does not match the name on the URL (n)")
  })

  it("writes nothing when nothing changes", () => {
    const world = makeWorld()
    const first = world.create("Lease", lease("n"))
    const before = world.server.revision()
    const same = world.ask(update(world, { ...first, spec: { ...first.spec } } as KubeObject))
    assert.strictEqual(same, first)
    assert.strictEqual(world.ask(update(world, JSON.parse(JSON.stringify(first)))), first)
    assert.strictEqual(world.server.revision(), before)
  })

  it("counts generations by the spec, and in a deployment also by annotations", () => {
    const world = makeWorld()
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const deployment = world.create("Deployment", {
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
      return (world.ask(request) as KubeObject).metadata.generation
    }
    assert.strictEqual(deployment.metadata.generation, 1)
    assert.strictEqual(generationAfter({ metadata: { labels: { x: "y" } } }), 1)
    assert.strictEqual(generationAfter({ spec: { replicas: 3 } }), 2)
    assert.strictEqual(generationAfter({ spec: { replicas: 3 } }), 2)
    assert.strictEqual(generationAfter({ metadata: { annotations: { x: "y" } } }), 3)
    assert.strictEqual(generationAfter({ status: { replicas: 3 } }, { subresource: "status" }), 3)
  })

  it("validates the result with Kubernetes' paths", () => {
    const world = makeWorld()
    const created = world.create("Pod", pod("p"))
    const moved = { ...created, spec: { ...created.spec, nodeName: "elsewhere" } }
    const refused = world.refused(update(world, moved))
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
    const world = makeWorld()
    const first = world.create("Lease", lease("n"))
    const log = world.watch("Lease", { resourceVersion: first.metadata.resourceVersion ?? "" })
    const second = world.ask(update(world, renewed(first, later))) as typeof first
    assert.strictEqual(second.spec?.renewTime, later)
    assert.notStrictEqual(second.metadata, first.metadata)
    assert.deepStrictEqual(second.metadata, { ...first.metadata, resourceVersion: String(world.server.revision()) })
    assert.strictEqual(first.metadata.resourceVersion, String(world.server.revision() - 1))
    world.settle()
    assert.deepStrictEqual(log.events, [{ type: "MODIFIED", object: second }])
    assert.strictEqual(world.get("Lease", "n", "kube-node-lease"), second)
  })

  it("is refused when stale or invalid, as any update is", () => {
    const world = makeWorld()
    const first = world.create("Lease", lease("n"))
    world.ask(update(world, renewed(first, later)))
    assert.strictEqual(world.refused(update(world, renewed(first, "2026-01-01T00:00:20.000000Z"))).reason, "Conflict")
    const held = world.get("Lease", "n", "kube-node-lease") as KubeObject
    const wrong = { ...held, spec: { renewTime: "2026-01-01T00:00:20.000000Z", leaseDurationSeconds: 0 } }
    assert.match(world.refused(update(world, wrong)).message ?? "", /spec.leaseDurationSeconds: Invalid value: 0/)
  })

  it("may omit metadata that the server restores", () => {
    const world = makeWorld()
    const first = world.create("Lease", lease("n"))
    const { name, namespace, resourceVersion } = first.metadata
    const bare = { ...renewed(first, later), metadata: { name, namespace, resourceVersion } } as KubeObject
    const second = world.ask(update(world, bare)) as typeof first
    assert.deepStrictEqual(second.metadata, { ...first.metadata, resourceVersion: String(world.server.revision()) })
    assert.strictEqual(second.spec?.renewTime, later)
  })

  it("that changes other metadata is applied or refused like any update", () => {
    const world = makeWorld()
    const { metadata, ...rest } = lease("n") as KubeObject
    const first = world.create("Lease", { ...rest, metadata: { ...metadata, labels: { a: "1" } } })
    const asking = (more: object) =>
      update(world, { ...renewed(first, later), metadata: { ...first.metadata, ...more } } as KubeObject)
    assert.match(world.refused(asking({ uid: "another" })).message ?? "", /UID in precondition: another/)
    assert.strictEqual(world.refused(asking({ resourceVersion: "" })).reason, "Invalid")
    assert.deepStrictEqual((world.ask(asking({ labels: { a: "2" } })) as KubeObject).metadata.labels, { a: "2" })
    const held = world.get("Lease", "n", "kube-node-lease") as KubeObject
    const { labels: _, ...unlabelled } = held.metadata
    const bare = { ...renewed(held, "2026-01-01T00:00:20.000000Z"), metadata: unlabelled }
    assert.notProperty((world.ask(update(world, bare)) as KubeObject).metadata, "labels")
  })

  it("drops the fields of coordinated election", () => {
    const world = makeWorld()
    const first = world.create("Lease", lease("n"))
    const withStrategy = { ...first, spec: { ...first.spec, renewTime: later, strategy: "OldestEmulationVersion" } }
    const second = world.ask(update(world, withStrategy)) as typeof first
    assert.deepStrictEqual(second.spec, { ...first.spec, renewTime: later })
  })
})

describe("the status subresource", () => {
  it("and the main resource do not change each other's part", () => {
    const world = makeWorld()
    const created = world.create("Node", node("n"))
    const both = {
      ...created,
      metadata: { ...created.metadata, labels: { a: "1" } },
      spec: { ...created.spec, providerID: "p://n" },
      status: { ...created.status, nodeInfo: { kubeletVersion: "v1" } }
    } as KubeObject
    const throughStatus = world.ask(update(world, both, { subresource: "status" })) as typeof created
    assert.deepStrictEqual(throughStatus.spec, created.spec)
    assert.deepInclude(throughStatus.status, { nodeInfo: { kubeletVersion: "v1" } })
    assert.deepStrictEqual(throughStatus.metadata.labels, { a: "1" })

    const current = { ...both, metadata: throughStatus.metadata, status: {} } as KubeObject
    const throughMain = world.ask(update(world, current)) as typeof created
    assert.strictEqual(throughMain.spec?.providerID, "p://n")
    assert.deepStrictEqual(throughMain.status, throughStatus.status)
  })

  it("keeps a pod's owners when an old kubelet omits them", () => {
    const world = makeWorld()
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" }
    world.create("Pod", pod("p", {}, { ownerReferences: [owner] }))
    const body = { metadata: { ownerReferences: null, annotations: { a: "b" } }, status: { phase: "Running" } }
    const request = { verb: "patch", kind: "Pod", namespace: "default", name: "p", patchType: "merge", body } as const
    const patched = world.ask({ ...request, subresource: "status" }) as ReturnType<typeof world.get<"Pod">>
    assert.deepStrictEqual(patched?.metadata.ownerReferences, [owner])
    assert.deepStrictEqual(patched?.metadata.annotations, { a: "b" })
    assert.strictEqual(patched?.status?.phase, "Running")
  })
})

describe("patch", () => {
  const patchNode = (_world: World, patchType: PatchType, body: unknown) =>
    ({ verb: "patch", kind: "Node", name: "n", patchType, body }) as const

  it("applies the three types", () => {
    const world = makeWorld()
    world.create("Node", node("n"))
    const merged = world.ask(patchNode(world, "merge", { metadata: { labels: { a: "1" } } })) as KubeObject
    assert.deepStrictEqual(merged.metadata.labels, { a: "1" })
    const json = world.ask(
      patchNode(world, "json", [{ op: "add", path: "/metadata/labels/b", value: "2" }])
    ) as KubeObject
    assert.deepStrictEqual(json.metadata.labels, { a: "1", b: "2" })
    const strategic = world.ask(patchNode(world, "strategic", { spec: { unschedulable: true } })) as { spec?: object }
    assert.deepInclude(strategic.spec, { unschedulable: true })
  })

  it("takes a resourceVersion as a condition", () => {
    const world = makeWorld()
    const { resourceVersion } = world.create("Node", node("n")).metadata
    const body = (revision: unknown) => ({ metadata: { resourceVersion: revision, labels: { a: String(revision) } } })
    world.ask(patchNode(world, "merge", body(resourceVersion)))
    assert.strictEqual(world.refused(patchNode(world, "merge", body(resourceVersion))).reason, "Conflict")
    assert.isDefined(world.ask(patchNode(world, "merge", body(null))))
  })

  it("must not rename, and must be a patch", () => {
    const world = makeWorld()
    world.create("Node", node("n"))
    const message = (type: PatchType, body: unknown) => world.refused(patchNode(world, type, body)).message
    assert.strictEqual(
      message("merge", { metadata: { name: "b" } }),
      "the name of the object (b) does not match the name on the URL (n)"
    )
    assert.strictEqual(
      message("json", [{ op: "test", path: "/metadata/name", value: "zz" }]),
      "the server rejected our request due to an error in our request"
    )
    assert.match(message("merge", []) ?? "", /^error decoding patch: json: cannot unmarshal array/)
    assert.strictEqual(world.refused(patchNode(world, "apply", {})).code, 415)
    const forced = world.refused({ ...patchNode(world, "merge", {}), force: true })
    assert.match(forced.message ?? "", /^PatchOptions.meta.k8s.io "" is invalid: force: Forbidden/)
    const missing = world.refused({ ...patchNode(world, "merge", {}), name: "zzz" })
    assert.strictEqual(missing.message, 'nodes "zzz" not found')
  })
})
