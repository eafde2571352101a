import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import type { AnyKind, ApiRequest } from "@rollcall/cluster"
import { customResources } from "../../src/custom/index.ts"
import { makeTestServer } from "../core/testServer.ts"

const versionOf = (name: string, storage: boolean, fields: object, more: object = {}) => {
  const spec = { type: "object", properties: { size: { type: "integer" }, ...fields } }
  const openAPIV3Schema = { type: "object", properties: { spec } }
  return { name, served: true, storage, schema: { openAPIV3Schema }, ...more }
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "knobs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "knobs", singular: "knob", kind: "Knob" },
    versions: [
      versionOf("v1", true, { kept: { type: "string", default: "k" } }),
      versionOf("v2", false, { extra: { type: "string", default: "x" } }),
      versionOf("v1beta1", false, {}, { deprecated: true })
    ]
  }
}

const kind = "Knob.example.com/v2" as AnyKind
const at = { namespace: "default", name: "a" }

const knob = (spec: object): KubeObject =>
  ({ apiVersion: "example.com/v2", kind: "Knob", metadata: { name: "a", namespace: "default" }, spec }) as KubeObject

/** What a write answers: the fields of the spec, the generation, and who owns a field that is not stored. */
const seen = (object: unknown) => {
  const { metadata, spec } = object as KubeObject & { spec: object }
  const owns = ({ fieldsV1 }: { fieldsV1?: unknown }) => JSON.stringify(fieldsV1).includes("f:extra")
  return {
    spec,
    generation: metadata.generation,
    extra: metadata.managedFields?.filter(owns).map((each) => each.manager)
  }
}

describe("versions of a custom resource that differ in their fields", () => {
  const make = (versions = definition.spec.versions) => {
    const testServer = makeTestServer({ customResources, managedFields: true })
    testServer.create("CustomResourceDefinition", { ...definition, spec: { ...definition.spec, versions } })
    testServer.settle()
    const made = testServer.ask({ verb: "create", kind, object: knob({ size: 1 }), namespace: "default" })
    const patch = (patchType: "merge" | "apply", fieldManager: string, body: object) =>
      testServer.ask({ verb: "patch", kind, ...at, patchType, fieldManager, body } as ApiRequest)
    return { testServer, made, patch }
  }

  it("store the fields of the stored version, and are read with its defaults alone", () => {
    const { made, testServer } = make()
    assert.deepStrictEqual(seen(made), { spec: { size: 1 }, generation: 1, extra: ["test"] })
    const stored = testServer.ask({ verb: "get", kind: "Knob.example.com/v1" as AnyKind, ...at })
    assert.deepStrictEqual((stored as { spec: object }).spec, { size: 1, kept: "k" })
    assert.deepStrictEqual(seen(testServer.ask({ verb: "get", kind, ...at })).spec, { size: 1 })
  })

  it("get the defaults of the written version by each write, which is a change", () => {
    const { patch } = make()
    assert.deepStrictEqual(seen(patch("merge", "m", {})), { spec: { size: 1 }, generation: 2, extra: ["m"] })
  })

  it("get none by an apply that changes nothing", () => {
    const { patch } = make()
    assert.deepStrictEqual(seen(patch("apply", "m", knob({ size: 1 }))), {
      spec: { size: 1 },
      generation: 1,
      extra: ["test"]
    })
    assert.deepStrictEqual(seen(patch("merge", "f", { metadata: { labels: { a: "b" } } })).generation, 2)
  })

  /** The revisions of an object before and after the definition changes, and after each of two patches that change nothing. */
  const revisionsOver = (before: ReadonlyArray<object>, after: ReadonlyArray<object>, version: string) => {
    const { testServer } = make(before as typeof definition.spec.versions)
    const at1 = { kind: `Knob.example.com/${version}` as AnyKind, ...at }
    const revision = (object: unknown) => Number((object as KubeObject).metadata.resourceVersion)
    const first = revision(testServer.ask({ verb: "get", ...at1 }))
    const body = { spec: { versions: after } }
    testServer.ask({
      verb: "patch",
      kind: "CustomResourceDefinition",
      name: "knobs.example.com",
      patchType: "merge",
      body
    } as ApiRequest)
    testServer.settle()
    const patch = () =>
      revision(testServer.ask({ verb: "patch", ...at1, patchType: "merge", fieldManager: "m", body: {} } as ApiRequest))
    const [second, third] = [patch(), patch()]
    return { isWritten: second > first, isWrittenAgain: third > second }
  }

  it("get the defaults of the stored version by a deletion that waits, also one that is not carried out", () => {
    const { patch, testServer } = make()
    patch("merge", "m", { metadata: { finalizers: ["a.io/x"] } })
    const [v1, v2, ...others] = definition.spec.versions
    const versions = [{ ...v1, storage: false }, { ...v2, storage: true }, ...others]
    const body = { spec: { versions } }
    const name = definition.metadata.name
    testServer.ask({ verb: "patch", kind: "CustomResourceDefinition", name, patchType: "merge", body } as ApiRequest)
    testServer.settle()
    const remove = (options: object) =>
      seen(testServer.ask({ verb: "delete", kind, ...at, options } as ApiRequest)).spec
    assert.deepStrictEqual(seen(testServer.ask({ verb: "get", kind, ...at })).spec, { size: 1 })
    assert.deepStrictEqual(remove({ dryRun: ["All"] }), { size: 1, extra: "x" })
    assert.deepStrictEqual(remove({}), { size: 1, extra: "x" })
  })

  it("are written once by a write that changes nothing, if they would be stored otherwise", () => {
    const [v1, v2] = [versionOf("v1", true, {}), versionOf("v2", false, {})]
    const once = { isWritten: true, isWrittenAgain: false }
    const moved = [versionOf("v1", false, {}), versionOf("v2", true, {})]
    assert.deepStrictEqual(revisionsOver([v1, v2], moved, "v1"), once)
    assert.deepStrictEqual(revisionsOver([v2, v1], [versionOf("v2", false, { extra: { type: "string" } }), v1], "v2"), {
      isWritten: false,
      isWrittenAgain: false
    })
    const defaulted = versionOf("v2", true, { extra: { type: "string", default: "x" } })
    assert.deepStrictEqual(revisionsOver([versionOf("v2", true, {})], [defaulted], "v2"), once)
  })

  it("refuse an apply, once an owner's version lacks a field that they have", () => {
    const extra = { extra: { type: "string" } }
    const { testServer } = make([versionOf("v1", true, extra), versionOf("v2", false, extra)])
    const at1 = { kind: "Knob.example.com/v1" as AnyKind, ...at }
    const body = { ...knob({ size: 1, extra: "x" }), apiVersion: "example.com/v1" }
    testServer.ask({ verb: "patch", ...at1, patchType: "merge", fieldManager: "m", body } as ApiRequest)
    testServer.ask({
      verb: "patch",
      kind: "CustomResourceDefinition",
      name: "knobs.example.com",
      patchType: "merge",
      body: { spec: { versions: [versionOf("v1", true, extra), versionOf("v2", false, {})] } }
    } as ApiRequest)
    testServer.settle()
    const apply = { verb: "patch", ...at1, patchType: "apply", fieldManager: "a", body } as ApiRequest
    const { code, message } = testServer.refusalOf(apply)
    assert.deepStrictEqual([code, message], [500, ".spec.extra: field not declared in schema"])
  })

  it("lose the metadata that an applier of another version omits", () => {
    const { patch, testServer } = make([versionOf("v1", true, {}), versionOf("v2", false, {})])
    const body = { ...knob({ size: 1 }), apiVersion: "example.com/v1", metadata: { name: "a", finalizers: ["a/b"] } }
    const older = {
      verb: "patch",
      kind: "Knob.example.com/v1" as AnyKind,
      ...at,
      patchType: "apply",
      fieldManager: "m"
    }
    testServer.ask({ ...older, body } as ApiRequest)
    const applied = patch("apply", "m", { ...knob({ size: 1 }), metadata: { name: "a" } }) as KubeObject
    assert.strictEqual(applied.metadata.finalizers, undefined)
    assert.strictEqual(applied.metadata.name, "a")
    const owner = applied.metadata.managedFields?.find(({ manager }) => manager === "m")
    assert.deepStrictEqual(owner?.fieldsV1, { "f:spec": { "f:size": {} } })
  })

  it("are refused without a version, once their kind is known to be a text", () => {
    const { testServer } = make()
    const patched = (value: unknown) => {
      const body = [
        { op: "remove", path: "/apiVersion" },
        { op: "replace", path: "/kind", value }
      ]
      const { code, message } = testServer.refusalOf({
        verb: "patch",
        kind,
        ...at,
        patchType: "json",
        body
      } as ApiRequest)
      return `${code} ${message?.replace(/^.*": /, "")}`
    }
    assert.strictEqual(
      patched("Knob"),
      "500 Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'"
    )
    assert.include(
      patched(5),
      "422 couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"
    )
    assert.include(patched(null), "422")
  })

  it("are refused as objects of the version that they name", () => {
    const { testServer } = make()
    const patched = (value: unknown) => {
      const body = [{ op: "replace", path: "/apiVersion", value }]
      const request = { verb: "patch", kind, ...at, patchType: "json", body } as ApiRequest
      return testServer.refusalOf(request).message
    }
    const other = 'is invalid: apiVersion: Invalid value: "other.io/v1": must be example.com/v2'
    assert.strictEqual(patched("other.io/v1"), `Knob.other.io "a" ${other}`)
    assert.match(patched("x") ?? "", /^Knob "a" is invalid: apiVersion/)
    assert.match(patched(null) ?? "", /\.apiVersion accessor error: <nil> is of the type <nil>, expected string$/)
  })

  it("lose their owners by a write at a version that has a field which an owner's version lacks", () => {
    const { patch, testServer } = make()
    const at1 = { kind: "Knob.example.com/v1" as AnyKind, ...at }
    const body = { spec: { kept: "other" } }
    const { metadata, spec } = testServer.ask({ verb: "patch", patchType: "merge", body, ...at1 }) as KubeObject & {
      spec: object
    }
    assert.deepStrictEqual(spec, { size: 1, kept: "other" })
    assert.notProperty(metadata, "managedFields")
    assert.deepStrictEqual(seen(patch("merge", "m", { spec: { size: 2 } })).spec, { size: 2 })
  })
})
