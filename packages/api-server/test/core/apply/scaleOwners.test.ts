import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { customResources } from "../../../src/custom/index.ts"
import { dial, dialKind, dials } from "../../custom/definitions.ts"
import { makeTestServer, type TestServer } from "../testServer.ts"

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
const deployment = (replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", namespace: "default" },
  spec: { replicas, selector: { matchLabels: { a: "b" } }, template }
})
const at = { kind: "Deployment", namespace: "default", name: "d" } as const
const scale = (name: string, replicas?: unknown) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name, namespace: "default" },
  spec: { replicas }
})

const write = (manager: string, verb: "put" | "apply", object: object, more: object = {}): ApiRequest =>
  ({
    ...at,
    ...(verb === "put" ? { verb: "update", object } : { verb: "patch", patchType: "apply", body: object }),
    fieldManager: manager,
    ...more
  }) as ApiRequest

/** Returns who owns the replicas: the manager, its operation, and whether a time is recorded. */
const owners = ({ metadata }: KubeObject, field = "f:replicas") =>
  (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => Object.hasOwn((fieldsV1 as Record<string, object>)["f:spec"] ?? {}, field))
    .map(({ manager, operation, subresource, time }) =>
      [manager, operation, ...(subresource ? [subresource] : []), ...(time ? ["time"] : [])].join(" ")
    )

const scaled = (to: TestServer, ...requests: ReadonlyArray<ApiRequest>) => {
  for (const request of requests) to.ask(request)
  return owners(to.get("Deployment", "d") as KubeObject)
}

const throughScale = { subresource: "scale" }

describe("the owners of replicas that a scale changes", () => {
  it("gives an updater that keeps its share an entry of its own", () => {
    const to = makeTestServer({ managedFields: true })
    to.create("Deployment", deployment(2))
    assert.deepStrictEqual(scaled(to), ["test Update time"])
    assert.deepStrictEqual(scaled(to, write("m", "apply", scale("d", 2), throughScale)), [
      "m Apply scale",
      "test Update"
    ])
    assert.strictEqual(to.get("Deployment", "d")?.metadata.managedFields?.length, 3)
  })

  it("loses that entry by any further write, also by one that changes nothing else", () => {
    for (const verb of ["put", "merge"]) {
      const to = makeTestServer({ managedFields: true })
      to.create("Deployment", deployment(2))
      const again = { ...at, verb: "patch", patchType: "merge", fieldManager: "test" } as const
      to.ask({ ...again, subresource: "scale", body: {} })
      const stored = to.get("Deployment", "d") as KubeObject
      assert.deepStrictEqual(owners(stored), ["test Update"])
      const write: ApiRequest = verb === "put" ? { ...at, verb: "update", object: stored } : { ...again, body: {} }
      assert.deepStrictEqual(scaled(to, write), [])
      const { managedFields, resourceVersion } = (to.get("Deployment", "d") as KubeObject).metadata
      assert.strictEqual(managedFields?.length, 1)
      assert.notStrictEqual(resourceVersion, stored.metadata.resourceVersion)
    }
  })

  it("has none after the replicas had no owner, as zero has none", () => {
    const to = makeTestServer({ managedFields: true })
    to.create("Deployment", deployment(2))
    assert.deepStrictEqual(scaled(to, write("s", "put", scale("d", 0), throughScale)), [])
    assert.deepStrictEqual(scaled(to, write("s", "put", scale("d", 3), throughScale)), [])
    assert.deepStrictEqual(scaled(to, write("s", "apply", scale("d", 3), throughScale)), [
      "s Apply scale",
      "before-first-apply Update scale"
    ])
  })

  it("conflicts about the replicas of the Scale", () => {
    const to = makeTestServer({ managedFields: true })
    to.ask(write("x", "apply", deployment(2)))
    const refused = to.refusalOf(write("y", "apply", scale("d", 3), throughScale))
    assert.strictEqual(refused.message, 'Apply failed with 1 conflict: conflict with "x": .spec.replicas')
    assert.deepStrictEqual(scaled(to, write("y", "apply", scale("d", 3), { ...throughScale, force: true })), [
      "y Apply scale"
    ])
  })

  it("refuses a Scale of the wrong type by its own name", () => {
    const to = makeTestServer({ managedFields: true })
    to.create("Deployment", deployment(2))
    const messageOf = (replicas: unknown) =>
      to.refusalOf(write("y", "apply", scale("d", replicas), { ...throughScale, force: true })).message
    assert.strictEqual(
      messageOf("x"),
      "failed to create typed patch object (default/d; autoscaling/v1, Kind=Scale): .spec.replicas: expected numeric (int or float), got string"
    )
    assert.strictEqual(
      messageOf(-1),
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )
  })
})

describe("the scale of a custom resource", () => {
  const custom = (name: string, more: object) =>
    ({ kind: dialKind, namespace: "default", name, subresource: "scale", ...more }) as unknown as ApiRequest
  const applied = (name: string, replicas: number, more: object = {}) =>
    custom(name, { verb: "patch", patchType: "apply", fieldManager: "m", body: scale(name, replicas), ...more })
  const start = (spec: object = { size: 2 }) => {
    const to = makeTestServer({ customResources, managedFields: true })
    to.create("CustomResourceDefinition", dials({ preserveUnknownFields: false }))
    to.settle()
    to.ask({ verb: "create", kind: dialKind, namespace: "default", object: dial("a", spec) })
    return to
  }
  const unconvertible = "request to convert CR to an invalid group/version: autoscaling/v1"

  it("accepts only an apply that changes nothing", () => {
    const to = start()
    assert.strictEqual(
      to.refusalOf(applied("a", 3)).message,
      'Apply failed with 1 conflict: conflict with "test" using autoscaling/v1: .spec.replicas'
    )
    to.ask(applied("a", 2))
    const stored = to.ask(custom("a", { verb: "get", subresource: undefined })) as KubeObject
    assert.deepStrictEqual(owners(stored, "f:size"), ["m Apply scale", "test Update"])
    const refused = to.refusalOf(applied("a", 3, { force: true }))
    assert.strictEqual(refused.code, 500)
    assert.strictEqual(
      refused.message,
      `failed to convert new object (default/a; autoscaling/v1, Kind=Scale) to proper version: ${unconvertible}`
    )
  })

  it("refuses every apply when nobody owns its replicas", () => {
    const to = start()
    to.ask(
      custom("a", {
        verb: "patch",
        subresource: undefined,
        patchType: "merge",
        body: { metadata: { managedFields: [] } }
      })
    )
    assert.strictEqual(
      to.refusalOf(applied("a", 2)).message,
      `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: ${unconvertible}`
    )
  })

  it("does not validate the metadata of the Scale", () => {
    const to = start()
    const object = { ...scale("a", 4), metadata: { name: "a", labels: { "a b": "c" }, finalizers: ["bad"] } }
    to.ask(custom("a", { verb: "update", object }))
    const merged = custom("a", { verb: "patch", patchType: "merge", body: { metadata: { uid: "x" } } })
    assert.deepStrictEqual((to.ask(merged) as unknown as ReturnType<typeof scale>).spec, { replicas: 4 })
  })
})

describe("the owners of a custom resource", () => {
  const at = { kind: dialKind, namespace: "default", name: "a" } as const
  const start = (spec: object) => {
    const to = makeTestServer({ customResources, managedFields: true })
    to.create("CustomResourceDefinition", dials({ preserveUnknownFields: false }))
    to.settle()
    to.ask({ verb: "create", ...at, object: dial("a", spec) } as ApiRequest)
    return to
  }
  const entriesAfter = (to: TestServer, manager: string, request: object) => {
    const object = to.ask({ ...at, fieldManager: manager, ...request } as unknown as ApiRequest) as KubeObject
    return object.metadata.managedFields?.map(({ fieldsV1, manager }) => [manager, fieldsV1])
  }

  it("own a null, as a value, until it is removed", () => {
    const to = start({ size: 2, color: "red", note: null })
    const [owned] = (to.ask({ verb: "get", ...at }) as KubeObject).metadata.managedFields ?? []
    assert.deepStrictEqual<unknown>(owned?.fieldsV1, {
      "f:spec": { ".": {}, "f:color": {}, "f:note": {}, "f:size": {} }
    })
    const body = [{ op: "remove", path: "/spec/note" }]
    assert.deepStrictEqual<unknown>(entriesAfter(to, "m", { verb: "patch", patchType: "json", body }), [
      ["test", { "f:spec": { ".": {}, "f:color": {}, "f:size": {} } }]
    ])
  })

  it("own a map without a schema and its members when another value becomes it, and keep it from null", () => {
    const to = start({ size: 2, color: "red", free: { a: [1] } })
    const body = { spec: { free: { a: { b: 1 } } } }
    const [mine] = entriesAfter(to, "m", { verb: "patch", patchType: "merge", body }) ?? []
    assert.deepStrictEqual<unknown>(mine, ["m", { "f:spec": { "f:free": { "f:a": { ".": {}, "f:b": {} } } } }])
    const config = { ...dial("a", { free: { a: null } }), metadata: { name: "a" } }
    to.ask({ verb: "patch", ...at, patchType: "apply", fieldManager: "n", force: true, body: config } as ApiRequest)
    const object = to.ask({ verb: "get", ...at }) as unknown as ReturnType<typeof dial>
    assert.deepInclude(object.spec, { free: { a: { b: 1 } } })
  })

  it("own nothing but the status after a write to it", () => {
    const to = start({ size: 2, color: "red" })
    const body = { metadata: { labels: { b: "c" } }, status: { phase: "x" } }
    const patch = { verb: "patch", subresource: "status", patchType: "merge", body }
    assert.deepStrictEqual<unknown>(entriesAfter(to, "m", patch), [
      ["m", { "f:status": { ".": {}, "f:phase": {} } }],
      ["test", { "f:spec": { ".": {}, "f:color": {}, "f:size": {} } }]
    ])
  })
})
