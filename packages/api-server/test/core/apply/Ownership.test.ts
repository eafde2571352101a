import { assert, describe, it } from "@effect/vitest"
import type { ManagedFieldsEntry, Node } from "@rollcall/api"
import { decodeJson, wireTypeOf } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { makeTestServer, type TestServer } from "../testServer.ts"

const makeServer = () => makeTestServer({ managedFields: true })

const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...metadata },
  data
})

const applyRequest = (manager: string, body: object) =>
  ({
    verb: "patch",
    kind: "ConfigMap",
    namespace: "default",
    name: "c",
    patchType: "apply",
    fieldManager: manager,
    body
  }) as const

const apply = (to: TestServer, manager: string, body: object, more: object = {}) =>
  to.ask({ ...applyRequest(manager, body), ...more })

const merge = (to: TestServer, manager: string, body: object) =>
  to.ask({
    verb: "patch",
    kind: "ConfigMap",
    namespace: "default",
    name: "c",
    patchType: "merge",
    fieldManager: manager,
    body
  })

const entries = (to: TestServer): ReadonlyArray<ManagedFieldsEntry> =>
  to.get("ConfigMap", "c", "default")?.metadata.managedFields ?? []

const managers = (to: TestServer) => entries(to).map(({ manager }) => manager)

describe("field ownership", () => {
  it("covers the start of a deletion in what a PUT creates, but not in what a POST creates", () => {
    const to = makeServer()
    const deletion = { deletionTimestamp: "2000-01-01T00:00:00Z", deletionGracePeriodSeconds: 3 }
    const lease = (name: string) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: "default", ...deletion }
    })
    const request = { kind: "Lease", namespace: "default", fieldManager: "m" } as const
    to.ask({ ...request, verb: "update", name: "put", object: lease("put") })
    to.ask({ ...request, verb: "create", object: lease("posted") })
    const owned = (name: string) =>
      to.get("Lease", name, "default")?.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1) ?? []
    assert.deepStrictEqual(owned("put"), [
      { "f:metadata": { "f:deletionGracePeriodSeconds": {}, "f:deletionTimestamp": {} } }
    ])
    assert.deepStrictEqual(owned("posted"), [])
  })

  it("moves with an empty list that an update sends where the store has null, but not with null or none", () => {
    const type = wireTypeOf("ClusterRole")
    const role = (name: string, rules: object, metadata: object = {}) => {
      const given = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name, ...metadata } }
      return Result.getOrThrow(decodeJson(type, JSON.stringify({ ...given, ...rules }))).value as object
    }
    const sent = [
      {},
      { rules: null },
      { rules: [] },
      { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }
    ]
    const ownersAfter = (first: object, second: object): ReadonlyArray<string | undefined> => {
      const to = makeServer()
      to.ask({ verb: "create", kind: "ClusterRole", object: role("r", first), fieldManager: "a" })
      to.ask({ verb: "update", kind: "ClusterRole", name: "r", object: role("r", second), fieldManager: "b" })
      return (to.get("ClusterRole", "r")?.metadata.managedFields ?? []).map(({ manager }) => manager)
    }
    assert.deepStrictEqual(
      sent.map((first) => sent.map((second) => ownersAfter(first, second).join())),
      [
        ["", "", "", ""],
        ["", "", "", ""],
        ["a", "a", "b", "b"],
        ["b", "b", "b", "a"]
      ]
    )
  })

  it("moves with an empty list within an item of a list that has no owners of its own", () => {
    const type = wireTypeOf("ClusterRole")
    const role = (rule: object) => {
      const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...rule }]
      const given = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r" }, rules }
      return Result.getOrThrow(decodeJson(type, JSON.stringify(given))).value as object
    }
    const ownerAfter = (rule: object) => {
      const to = makeServer()
      to.ask({ verb: "create", kind: "ClusterRole", object: role({ resourceNames: [] }), fieldManager: "a" })
      to.ask({ verb: "update", kind: "ClusterRole", name: "r", object: role(rule), fieldManager: "b" })
      return to
        .get("ClusterRole", "r")
        ?.metadata.managedFields?.map(({ manager }) => manager)
        .join()
    }
    assert.deepStrictEqual([ownerAfter({}), ownerAfter({ resourceNames: [] })], ["a", "b"])
  })

  it("covers ephemeral containers that a PUT of them adds, and what it changes in vain", () => {
    const to = makeServer()
    const containers = [{ name: "c", image: "i" }]
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" }, spec: { containers } }
    const made = to.create("Pod", pod)
    const at = { kind: "Pod", namespace: "default", name: "p", subresource: "ephemeralcontainers" } as const
    const spec = { ...made.spec, priority: 3, ephemeralContainers: [{ name: "e", image: "i" }] }
    const object = { ...made, metadata: { ...made.metadata, labels: { a: "b" } }, spec }
    to.ask({ verb: "update", ...at, fieldManager: "m", object })
    const after = to.get("Pod", "p", "default")
    assert.deepStrictEqual([after?.metadata.labels, after?.spec.priority], [undefined, made.spec.priority])
    const entry = after?.metadata.managedFields?.find(({ manager }) => manager === "m")
    const owned = entry?.fieldsV1 as { readonly "f:spec": object; readonly "f:metadata": object } | undefined
    assert.strictEqual(entry?.subresource, "ephemeralcontainers")
    assert.deepStrictEqual(Object.keys(owned?.["f:spec"] ?? {}), ["f:ephemeralContainers", "f:priority"])
    assert.deepStrictEqual(owned?.["f:metadata"], { "f:labels": { ".": {}, "f:a": {} } })
  })

  it("is not recorded unless requested", () => {
    const plain = makeTestServer()
    plain.create("ConfigMap", configMap({ a: "1" }, { namespace: "default" }))
    assert.deepStrictEqual(entries(plain), [])
    assert.strictEqual(plain.refusalOf(applyRequest("m", configMap({}))).code, 415)
  })

  it("names a manager after the user agent, and owns created fields, but not names", () => {
    const to = makeServer()
    to.create("ConfigMap", configMap({ a: "1" }, { namespace: "default", labels: { x: "y" } }))
    assert.deepStrictEqual(entries(to), [
      {
        manager: "test",
        operation: "Update",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:a": {} }, "f:metadata": { "f:labels": { ".": {}, "f:x": {} } } }
      }
    ])
  })

  it("keeps revision and time when a write changes nothing", () => {
    const to = makeServer()
    apply(to, "m", configMap({ a: "1" }))
    const before = to.get("ConfigMap", "c", "default")
    to.advance(5000)
    apply(to, "m", configMap({ a: "1" }))
    merge(to, "other", { data: { a: "1" } })
    assert.strictEqual(to.get("ConfigMap", "c", "default"), before)
  })

  it("gives a co-owner no time, and removes a field that its only owner omits", () => {
    const to = makeServer()
    apply(to, "m1", configMap({ a: "1", b: "1" }))
    to.advance(5000)
    apply(to, "m2", configMap({ a: "1" }))
    assert.deepStrictEqual(
      entries(to).map(({ manager, time }) => [manager, time]),
      [
        ["m2", undefined],
        ["m1", "2026-01-01T00:00:00Z"]
      ]
    )
    apply(to, "m1", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } })
    assert.deepStrictEqual(to.get("ConfigMap", "c", "default")?.data, { a: "1" })
    assert.deepStrictEqual(managers(to), ["m2"])
  })

  it("takes the order of an applied list, although no field changes", () => {
    const to = makeServer()
    const finalizersAfter = (manager: string, finalizers: ReadonlyArray<string>) => {
      to.advance(1000)
      apply(to, manager, configMap({ a: "1" }, { finalizers: finalizers.map((name) => `x.dev/${name}`) }))
      return (to.get("ConfigMap", "c", "default")?.metadata.finalizers ?? []).map((name) => name.slice(6)).join("")
    }
    assert.strictEqual(finalizersAfter("m1", ["a", "b", "c"]), "abc")
    assert.strictEqual(finalizersAfter("m2", ["d", "b"]), "adbc")
    assert.strictEqual(finalizersAfter("m1", ["c", "b", "a"]), "dcba")
    assert.strictEqual(entries(to).find(({ manager }) => manager === "m1")?.time, "2026-01-01T00:00:03Z")
    const before = to.get("ConfigMap", "c", "default")
    assert.strictEqual(finalizersAfter("m2", ["d", "b"]), "dcba")
    assert.strictEqual(to.get("ConfigMap", "c", "default")?.metadata.resourceVersion, before?.metadata.resourceVersion)
  })

  it("is cleared on request, and starts again with the next apply", () => {
    for (const reset of [[], [{}]]) {
      const to = makeServer()
      apply(to, "m1", configMap({ a: "1" }))
      merge(to, "m2", { metadata: { managedFields: reset } })
      assert.deepStrictEqual(entries(to), [])
      merge(to, "m2", { data: { b: "2" } })
      assert.deepStrictEqual(entries(to), [])
      apply(to, "m3", configMap({ a: "1" }))
      assert.deepStrictEqual([...managers(to)].sort(), ["before-first-apply", "m3"])
    }
  })

  it("joins the oldest of more than ten updaters", () => {
    const to = makeServer()
    apply(to, "owner", configMap({}, { labels: { x: "y" } }))
    for (let each = 0; each < 12; each++) {
      to.advance(1000)
      merge(to, `m${each}`, { data: { [`k${each}`]: "v" } })
    }
    const updates = entries(to).filter(({ operation }) => operation === "Update")
    assert.strictEqual(updates.length, 10)
    const ancient = updates.find(({ manager }) => manager === "ancient-changes")
    assert.deepStrictEqual(ancient?.fieldsV1, { "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} } })
    assert.strictEqual(ancient?.time, "2026-01-01T00:00:03Z")
  })

  it("moves from client-side to server-side apply with kubectl, and keeps its annotation up to date", () => {
    const to = makeServer()
    const note = (data: object) =>
      `${JSON.stringify({ apiVersion: "v1", data, kind: "ConfigMap", metadata: { name: "c" } })}\n`
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": note({ a: "1" }) }
    to.create("ConfigMap", configMap({ a: "1" }, { namespace: "default", annotations }))
    const refused = to.refusalOf(applyRequest("other", configMap({ a: "2" })))
    assert.strictEqual(refused.message, 'Apply failed with 1 conflict: conflict with "test" using v1: .data.a')
    apply(to, "kubectl", configMap({ a: "2" }))
    const stored = to.get("ConfigMap", "c", "default")
    assert.deepStrictEqual(stored?.data, { a: "2" })
    assert.deepStrictEqual(stored?.metadata.annotations, {
      "kubectl.kubernetes.io/last-applied-configuration": note({ a: "2" })
    })
  })

  it("refuses invalid types, other versions, and the uid of a missing object", () => {
    const to = makeServer()
    const message = (body: object) => to.refusalOf(applyRequest("m", body)).message
    assert.strictEqual(
      message({ ...configMap({}), data: [1] }),
      "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .data: expected map, got &{[1]}"
    )
    assert.strictEqual(
      message(configMap({ a: 1 })),
      "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}"
    )
    assert.match(
      message(configMap({}, { finalizers: ["a.b/c", null] })) ?? "",
      /\.metadata\.finalizers: element 1: associative list without keys has an element that's an explicit null$/
    )
    assert.match(
      message(configMap({}, { managedFields: "x" })) ?? "",
      /\.metadata\.managedFields: expected list, got &\{x\}$/
    )
    assert.match(
      message(configMap({}, { name: 3 })) ?? "",
      /^failed to create typed patch object \(\/; \/v1, Kind=ConfigMap\): \.metadata\.name: expected string/
    )
    assert.strictEqual(message({ ...configMap({}), apiVersion: "v2" }), "invalid object type: /v2, Kind=ConfigMap")
    assert.strictEqual(message(configMap({}, { managedFields: [{}] })), "metadata.managedFields must be nil")
    assert.match(message(configMap({}, { uid: "u" })) ?? "", /uid mismatch: the provided object specified uid u/)
  })

  it("writes nothing on a dry run", () => {
    const to = makeServer()
    apply(to, "m", configMap({ a: "1" }), { dryRun: true })
    assert.isUndefined(to.get("ConfigMap", "c", "default"))
  })

  it("records status and scale writes with their subresource", () => {
    const to = makeServer()
    to.create("Node", { metadata: { name: "n", labels: { x: "y" } } })
    const conditions = [{ type: "Ready", status: "True" }]
    to.ask({
      verb: "patch",
      kind: "Node",
      name: "n",
      subresource: "status",
      patchType: "strategic",
      fieldManager: "kubelet",
      body: { spec: { unschedulable: true }, status: { conditions } }
    })
    const node = to.get("Node", "n") as Node
    const kubelet = node.metadata.managedFields?.find(({ manager }) => manager === "kubelet")
    assert.strictEqual(kubelet?.subresource, "status")
    assert.deepStrictEqual(Object.keys(kubelet?.fieldsV1 as object), ["f:status"])

    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template }
    to.create("Deployment", { metadata: { name: "d", namespace: "default" }, spec })
    const body = { spec: { replicas: 3 } }
    const at = { kind: "Deployment", namespace: "default", name: "d", subresource: "scale" } as const
    to.ask({ verb: "patch", ...at, patchType: "merge", fieldManager: "kubectl", body })
    const scaled = to.get("Deployment", "d", "default")?.metadata.managedFields
    assert.deepStrictEqual(
      scaled?.find(({ manager }) => manager === "kubectl"),
      {
        manager: "kubectl",
        operation: "Update",
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
        subresource: "scale"
      }
    )
    const creator = scaled?.find(({ manager }) => manager === "test")
    const { "f:spec": specOwned = {} } = (creator?.fieldsV1 ?? {}) as Record<string, object>
    assert.property(specOwned, "f:template")
    assert.notProperty(specOwned, "f:replicas")
  })

  it("creates a missing Service by an apply to its status, and no other kind", () => {
    const to = makeServer()
    const applyStatus = (kind: "Service" | "Node", spec: object) =>
      ({
        verb: "patch",
        kind,
        ...(kind === "Service" ? { namespace: "default" } : {}),
        name: "x",
        subresource: "status",
        patchType: "apply",
        fieldManager: "m",
        body: { apiVersion: "v1", kind, metadata: { name: "x", labels: { a: "b" } }, spec }
      }) as const
    to.ask(applyStatus("Service", { ports: [{ port: 1 }] }))
    const service = to.get("Service", "x")
    assert.strictEqual(service?.spec?.clusterIP, undefined)
    assert.deepStrictEqual(
      service?.metadata.managedFields?.map(({ fieldsV1, subresource }) => [fieldsV1, subresource]),
      [[{ "f:metadata": { "f:labels": { "f:a": {} } } }, "status"]]
    )
    assert.strictEqual(to.refusalOf(applyStatus("Node", {})).code, 404)
  })

  it("owns the annotation of a DaemonSet that a patch removes, since the server sets it again", () => {
    const to = makeServer()
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const spec = { selector: { matchLabels: { a: "b" } }, template }
    to.create("DaemonSet", { metadata: { name: "d", namespace: "default" }, spec })
    const at = { kind: "DaemonSet", namespace: "default", name: "d" } as const
    const body = { metadata: { annotations: null } }
    to.ask({ verb: "patch", ...at, patchType: "merge", fieldManager: "m", body })
    const generation = "deprecated.daemonset.template.generation"
    const daemonSet = to.get("DaemonSet", "d")
    assert.deepStrictEqual(Object.keys(daemonSet?.metadata.annotations ?? {}), [generation])
    assert.deepStrictEqual(
      daemonSet?.metadata.managedFields?.map(({ fieldsV1, manager }) => [
        manager,
        (fieldsV1 as Record<string, object>)["f:metadata"]
      ]),
      [
        ["m", { "f:annotations": { [`f:${generation}`]: {} } }],
        ["test", { "f:annotations": {} }]
      ]
    )
    const annotated = { name: "d", annotations: { [generation]: "x" } }
    const config = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: annotated, spec }
    const apply = { verb: "patch", ...at, patchType: "apply", fieldManager: "m", force: true, body: config } as const
    assert.strictEqual(
      to.refusalOf(apply).message,
      'failed to convert to unversioned (/d; apps/v1, Kind=DaemonSet): strconv.ParseInt: parsing "x": invalid syntax'
    )
  })

  it("shares an empty value that is kept as text with its applier", () => {
    const to = makeServer()
    const revision = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: { name: "r" },
      data: {},
      revision: 1
    }
    to.create("ControllerRevision", { ...revision, metadata: { name: "r", namespace: "default" } })
    const at = { kind: "ControllerRevision", namespace: "default", name: "r" } as const
    to.ask({ verb: "patch", ...at, patchType: "apply", fieldManager: "m", body: revision })
    const found = to.get("ControllerRevision", "r")?.metadata.managedFields
    assert.deepStrictEqual(
      found?.map(({ fieldsV1 }) => fieldsV1),
      [
        { "f:data": {}, "f:revision": {} },
        { "f:data": {}, "f:revision": {} }
      ]
    )
  })

  it("keeps a lease's owner through heartbeats, and updates only its time", () => {
    const to = makeServer()
    const at = { kind: "Lease", namespace: "kube-node-lease", name: "n" } as const
    const spec = { holderIdentity: "n", leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" }
    const lease = to.create("Lease", { metadata: { name: at.name, namespace: at.namespace }, spec })
    to.advance(10_000)
    const renewed = { ...lease, spec: { ...spec, renewTime: "2026-01-01T00:00:10.000000Z" } }
    // Read from the wire: equal metadata, but not the same.
    to.ask({ verb: "update", ...at, object: JSON.parse(JSON.stringify(renewed)) })
    const [before] = lease.metadata.managedFields ?? []
    const after = to.get("Lease", "n", "kube-node-lease")
    assert.deepStrictEqual(after?.metadata.managedFields, [{ ...before, time: "2026-01-01T00:00:10Z" }])
    const taken = { ...after, spec: { ...after?.spec, renewTime: "2026-01-01T00:00:20.000000Z" } }
    to.ask({ verb: "update", ...at, object: taken, fieldManager: "thief" })
    const owners = to.get("Lease", "n", "kube-node-lease")?.metadata.managedFields ?? []
    assert.deepStrictEqual(
      owners.map(({ fieldsV1, manager }) => [manager, Object.keys((fieldsV1 as { "f:spec": object })["f:spec"])]),
      [
        ["test", ["f:holderIdentity", "f:leaseDurationSeconds"]],
        ["thief", ["f:renewTime"]]
      ]
    )
  })

  it("warns of removed fields, and of unknown ones in a patch", () => {
    const to = makeServer()
    to.create("Node", { metadata: { name: "n" }, spec: { externalID: "x" } })
    const warnings: Array<string> = []
    const patch = { verb: "patch", kind: "Node", name: "n", patchType: "merge" } as const
    const identity = { user: "admin", groups: ["system:masters"], userAgent: "test" }
    const ask = (body: object, more: object = {}) => {
      let code = 0
      to.server.serve(identity, { ...patch, body, ...more }, (_, given, texts) => {
        code = given
        warnings.push(...texts)
      })
      return code
    }
    assert.strictEqual(ask({ spec: { zork: 1, unschedulable: true } }), 200)
    assert.deepStrictEqual(warnings, [
      'unknown field "spec.zork"',
      "spec.externalID: this field is deprecated, and is unused by Kubernetes"
    ])
    assert.strictEqual(ask({ spec: { zork: 2 } }, { fieldValidation: "Strict" }), 422)
    assert.deepStrictEqual((to.get("Node", "n") as Node).spec, { ...to.get("Node", "n")?.spec, unschedulable: true })
    assert.notProperty(to.get("Node", "n")?.spec, "zork")
  })
})
