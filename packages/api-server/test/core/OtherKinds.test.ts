import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition, KindName, KubeObject, RoleBinding } from "@rollcall/api"
import { eventsView } from "../../src/core/registry/eventsView.ts"
import { customKind } from "../../src/core/registry/KindDefinition.ts"
import { storageVersionHash } from "../../src/http/root/discovery.ts"
import { makeTestServer, type TestServer } from "./testServer.ts"

const messageOf = (testServer: TestServer, kind: KindName, object: unknown): string =>
  testServer.refusalOf({ verb: "create", kind, namespace: "default", object: object as KubeObject }).message ?? ""

const put = (testServer: TestServer, kind: KindName, object: KubeObject): KubeObject =>
  testServer.ask({
    verb: "update",
    kind,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name ?? "",
    object
  }) as KubeObject

const binding = (role: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "b", namespace: "default" },
  roleRef: { kind: "Role", name: role },
  subjects: [{ kind: "User", name: "alice" }]
})

describe("role bindings", () => {
  it("default to the group of RBAC, and cannot change their roleRef", () => {
    const testServer = makeTestServer()
    const made = testServer.create("RoleBinding", binding("reader"))
    assert.deepStrictEqual(made.roleRef, { kind: "Role", name: "reader", apiGroup: "rbac.authorization.k8s.io" })
    assert.strictEqual(made.subjects?.[0]?.apiGroup, "rbac.authorization.k8s.io")
    const other: RoleBinding = { ...made, roleRef: { ...made.roleRef, name: "other" } }
    assert.throws(
      () => put(testServer, "RoleBinding", other),
      'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef'
    )
    const nobody: RoleBinding = { ...made, subjects: [] }
    assert.deepStrictEqual((put(testServer, "RoleBinding", nobody) as RoleBinding).subjects, [])
  })

  it("can be created by an update", () => {
    const testServer = makeTestServer()
    assert.isDefined(put(testServer, "RoleBinding", binding("reader") as KubeObject).metadata.uid)
  })

  it("are refused without a roleRef, or with a subject of an unknown kind", () => {
    const testServer = makeTestServer()
    const message = messageOf(testServer, "RoleBinding", { ...binding(""), subjects: [{ kind: "Robot", name: "r" }] })
    assert.strictEqual(
      message,
      'RoleBinding.rbac.authorization.k8s.io "b" is invalid: [roleRef.name: Required value, subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"]'
    )
  })
})

const definition = (schema: unknown, spec: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "dials", kind: "Dial" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    ...spec
  }
})

describe("custom resource definitions", () => {
  it("complete their names, and remember their storage versions", () => {
    const testServer = makeTestServer()
    const made = testServer.create("CustomResourceDefinition", definition({ type: "object" }))
    assert.deepInclude(made.spec.names, { singular: "dial", listKind: "DialList" })
    assert.deepStrictEqual<unknown>(made.spec.conversion, { strategy: "None" })
    assert.deepStrictEqual(made.status?.storedVersions, ["v1"])
    assert.strictEqual(made.metadata.generation, 1)
    const [version] = made.spec.versions
    assert.isDefined(version)
    if (version === undefined) return
    const versions = [
      { ...version, storage: false },
      { ...version, name: "v2" }
    ]
    const moved = put(testServer, "CustomResourceDefinition", {
      ...made,
      spec: { ...made.spec, versions }
    } as KubeObject)
    assert.deepStrictEqual((moved as CustomResourceDefinition).status?.storedVersions, ["v1", "v2"])
    assert.strictEqual(moved.metadata.generation, 2)
  })

  it("need one version to store, and tell no versions from an empty list", () => {
    const refusalOf = (versions: unknown) =>
      messageOf(makeTestServer(), "CustomResourceDefinition", definition({ type: "object" }, { versions }))
    assert.include(refusalOf([]), "spec.versions: Invalid value: []: must have exactly one version")
    assert.include(refusalOf(undefined), "spec.versions: Invalid value: null: must have exactly one version")
  })

  it("need schemas that give a type to every field", () => {
    const testServer = makeTestServer()
    const refusal = (schema: unknown, spec?: object) =>
      messageOf(testServer, "CustomResourceDefinition", definition(schema, spec)).replace(
        'CustomResourceDefinition.apiextensions.k8s.io "dials.example.com" is invalid: ',
        ""
      )
    assert.match(refusal(undefined), /spec.versions\[0\].schema.openAPIV3Schema: Required value$/)
    assert.match(
      refusal({ type: "string" }),
      /spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root$/
    )
    assert.match(
      refusal({ type: "object", properties: { spec: {} } }),
      /spec.validation.openAPIV3Schema.properties\[spec\].type: Required value: must not be empty for specified object fields$/
    )
    assert.match(
      refusal({ type: "object", properties: { tags: { type: "array" } } }),
      /spec.validation.openAPIV3Schema.properties\[tags\].items: Required value: must be specified$/
    )
    assert.match(
      refusal({ type: "object" }, { group: "other.example.com" }),
      /metadata.name: Invalid value: "dials.example.com": must be spec.names.plural\+"."\+spec.group$/
    )
  })
})

describe("secrets", () => {
  it("keep stringData encoded", () => {
    const testServer = makeTestServer()
    const made = testServer.create("Secret", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default" },
      data: { a: "b2xk", c: "eA==" },
      stringData: { a: "ä", b: "" }
    })
    assert.deepStrictEqual(made.data, { a: "w6Q=", c: "eA==", b: "" })
    assert.notProperty(made, "stringData")
  })
})

describe("events in their newer group", () => {
  const key = customKind(eventsView.resource)

  const newEvent = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "c-0",
    action: "Act",
    reason: "Because",
    regarding: { kind: "Pod", name: "p", namespace: "default" },
    note: "it is so",
    type: "Normal"
  }

  it("are the events of the core group with other names, both ways", () => {
    const testServer = makeTestServer()
    testServer.server.registry.add(eventsView)
    testServer.ask({ verb: "create", kind: key, namespace: "default", object: newEvent })
    const stored = testServer.get("Event", "e")
    assert.deepInclude(stored, { apiVersion: "v1", message: "it is so", reportingComponent: "example.com/c" })
    assert.strictEqual(stored?.involvedObject.name, "p")
    const shown = testServer.ask({ verb: "get", kind: key, namespace: "default", name: "e" })
    assert.deepInclude(shown, { apiVersion: "events.k8s.io/v1", note: "it is so", regarding: newEvent.regarding })
  })

  it("require a time, a reason and a reporter", () => {
    const testServer = makeTestServer()
    testServer.server.registry.add(eventsView)
    const { eventTime: _eventTime, ...untimed } = newEvent
    const messageOf = (object: unknown) =>
      testServer.refusalOf({ verb: "create", kind: key, namespace: "default", object: object as KubeObject }).message
    assert.strictEqual(messageOf(untimed), 'Event "e" is invalid: eventTime: Required value')
    const { reason: _reason, ...event } = newEvent
    assert.strictEqual(
      messageOf({ ...event, reportingController: "" }),
      "Event \"e\" is invalid: [reportingController: Required value, reportingController: Invalid value: \"\": name part must be non-empty, reportingController: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), reason: Required value]"
    )
  })
})

describe("discovery", () => {
  it("shows the same storage version hash as Kubernetes", () => {
    assert.strictEqual(
      storageVersionHash({ group: "policy", version: "v1", kind: "PodDisruptionBudget" }),
      "EVWiDmWqyJw="
    )
    assert.strictEqual(
      storageVersionHash({ group: "coordination.k8s.io", version: "v1", kind: "Lease" }),
      "gqkMMb/YqFM="
    )
  })
})

describe("the generation of kinds whose content is not only their spec", () => {
  /** What a client sends: it shares no part with the stored object. */
  const decodedAnew = <A>(object: A): A => JSON.parse(JSON.stringify(object)) as A

  it("stays when a PUT changes nothing of it", () => {
    const testServer = makeTestServer()
    const deployment = testServer.create("Deployment", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default", annotations: { team: "a" } },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } }
      }
    })
    const slice = testServer.create("EndpointSlice", {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "web", namespace: "default" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"] }],
      ports: [{ name: "http", port: 80, protocol: "TCP" }]
    })
    for (const [kind, object] of [
      ["Deployment", deployment],
      ["EndpointSlice", slice]
    ] as const) {
      const owned = { ...decodedAnew(object), metadata: { ...object.metadata, finalizers: ["example.com/a"] } }
      assert.strictEqual(put(testServer, kind, decodedAnew(owned)).metadata.generation, 1, kind)
    }
    const current = testServer.ask({ verb: "get", kind: "Deployment", namespace: "default", name: "web" }) as KubeObject
    const annotated = { ...current, metadata: { ...current.metadata, annotations: { team: "b" } } }
    assert.strictEqual(put(testServer, "Deployment", decodedAnew(annotated)).metadata.generation, 2)
  })
})
