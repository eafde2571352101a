import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import { isSteps, type MaybeSteps, runAllSteps } from "@rollcall/time"
import { type OpenApiKind, openApi } from "../src/index.ts"
import { builtInKinds, kindOfResource } from "./kinds.ts"

type Json = Readonly<Record<string, unknown>>

const builtIn = builtInKinds()

const dial = (schema: Json): OpenApiKind => ({
  group: "rollcall.example.com",
  version: "v1",
  kind: "Dial",
  plural: "dials",
  namespaced: true,
  verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  isCustom: true,
  shape: { schema },
  subresources: [
    {
      name: "status",
      verbs: ["get", "patch", "update"],
      gvk: { group: "rollcall.example.com", version: "v1", kind: "Dial" }
    }
  ],
  selectable: [],
  deleteReturnsObject: false
})

const documents = openApi(builtIn, "v1.36.0")
const document = (path: string, of = documents) => JSON.parse(runAllSteps(of.document(path))?.json ?? "{}")
const schema = (path: string, name: string) => document(path).components.schemas[name]

/** Every reference of a document, wherever it stands. */
const references = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === "$ref" && typeof each === "string" ? [each] : references(each)
  )
}

const doesResolve = (root: unknown, reference: string): boolean => {
  let at: unknown = root
  for (const step of reference.slice(2).split("/")) at = (at as Json | undefined)?.[step]
  return at !== undefined
}

describe("documents", () => {
  it("are in the index with their hashes", () => {
    const { paths } = JSON.parse(runAllSteps(documents.index()).json)
    assert.includeMembers(Object.keys(paths), ["api/v1", "apis/apps/v1", "apis/coordination.k8s.io/v1"])
    assert.deepStrictEqual(paths["api/v1"], {
      serverRelativeURL: `/openapi/v3/api/v1?hash=${runAllSteps(documents.document("api/v1"))?.hash}`
    })
    assert.isUndefined(runAllSteps(documents.document("apis/nothing/v1")))
  })

  it("are made in parts, kind by kind and schema by schema, as JSON.stringify writes them", () => {
    const pausesOf = (work: MaybeSteps<unknown>): number => {
      let pauses = 0
      if (isSteps(work)) while (work.next().done !== true) pauses++
      return pauses
    }
    const made = openApi(builtIn, "v1.36.0")
    assert.isAtLeast(pausesOf(made.v2()), 2 * builtIn.length)
    assert.isAtLeast(pausesOf(runAllSteps(made.v2()).protobuf()), 2 * builtIn.length)
    assert.isAtLeast(pausesOf(made.index()), builtIn.length)
    assert.strictEqual(pausesOf(made.index()), 0)
    const { json } = runAllSteps(made.v2())
    assert.strictEqual(JSON.stringify(JSON.parse(json)), json)
  })

  it("have only references that resolve", () => {
    for (const path of Object.keys(JSON.parse(runAllSteps(documents.index()).json).paths)) {
      const content = document(path)
      for (const reference of references(content)) assert.isTrue(doesResolve(content, reference), reference)
    }
    const v2 = JSON.parse(runAllSteps(documents.v2()).json)
    for (const reference of references(v2)) assert.isTrue(doesResolve(v2, reference), reference)
  })

  it("keep their hash when another group version changes", () => {
    const more = openApi([...builtIn, dial({ type: "object" })], "v1.36.0")
    assert.strictEqual(runAllSteps(more.document("api/v1"))?.hash, runAllSteps(documents.document("api/v1"))?.hash)
    assert.notStrictEqual(runAllSteps(more.index()).hash, runAllSteps(documents.index()).hash)
  })
})

describe("schemas", () => {
  it("contain merge strategies and required fields", () => {
    const status = schema("api/v1", "io.k8s.api.core.v1.NodeStatus").properties
    assert.deepInclude(status.conditions, {
      type: "array",
      "x-kubernetes-patch-merge-key": "type",
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"]
    })
    assert.includeMembers(schema("api/v1", "io.k8s.api.core.v1.NodeCondition").required, ["type", "status"])
  })

  it("require the spec of an autoscaler, and list the values of enumerations", () => {
    const { required } = schema("apis/autoscaling/v2", "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler")
    assert.deepStrictEqual(required, ["spec"])
    const request = schema("apis/certificates.k8s.io/v1", "io.k8s.api.certificates.v1.CertificateSigningRequestSpec")
      .properties.usages.items.enum
    assert.deepStrictEqual([request.length, request[0], request.at(-1)], [23, "any", "timestamping"])
    const device = schema("apis/resource.k8s.io/v1", "io.k8s.api.resource.v1.DeviceTaint").properties.effect
    assert.deepStrictEqual(device.enum, ["NoExecute", "NoSchedule", "None"])
  })

  it("refer by allOf where there are fields beside the reference", () => {
    const pod = schema("api/v1", "io.k8s.api.core.v1.Pod")
    assert.deepStrictEqual(pod["x-kubernetes-group-version-kind"], [{ group: "", version: "v1", kind: "Pod" }])
    assert.deepInclude(pod.properties.spec, {
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodSpec" }],
      default: {}
    })
    const v2 = JSON.parse(runAllSteps(documents.v2()).json).definitions["io.k8s.api.core.v1.Pod"]
    assert.strictEqual(v2.properties.spec.$ref, "#/definitions/io.k8s.api.core.v1.PodSpec")
  })

  it("give scalars their formats", () => {
    const meta = schema("api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").properties
    assert.deepInclude(meta.generation, { type: "integer", format: "int64" })
    assert.deepInclude(meta.labels, { type: "object", additionalProperties: { type: "string" } })
    assert.deepInclude(schema("api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.Time"), {
      type: "string",
      format: "date-time"
    })
    assert.deepInclude(schema("api/v1", "io.k8s.api.core.v1.Secret").properties.data.additionalProperties, {
      format: "byte"
    })
    assert.deepInclude(schema("apis/policy/v1", "io.k8s.apimachinery.pkg.util.intstr.IntOrString"), {
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }]
    })
  })

  it("may refer to themselves", () => {
    const type = wireTypeOfGvk({ group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" })
    assert.isDefined(type)
    if (type?.gvk === undefined) return
    const kind = {
      ...type.gvk,
      plural: "customresourcedefinitions",
      namespaced: false,
      verbs: ["get"],
      isCustom: false,
      selectable: [],
      deleteReturnsObject: false,
      shape: { type },
      subresources: []
    }
    const props = document("apis/apiextensions.k8s.io/v1", openApi([kind], "v1.36.0")).components.schemas[
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    ]
    assert.deepStrictEqual(props.properties.not, {
      $ref: "#/components/schemas/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    })
  })
})

describe("operations", () => {
  const { paths } = document("api/v1")
  const names = (parameters: ReadonlyArray<{ name: string }>) => parameters.map(({ name }) => name)

  it("have fieldValidation in every PATCH: kubectl looks for it there", () => {
    for (const [path, item] of Object.entries(
      paths as Record<string, { patch?: { "x-kubernetes-action": string; parameters: Array<{ name: string }> } }>
    )) {
      if (item.patch?.["x-kubernetes-action"] === "patch")
        assert.include(names(item.patch.parameters), "fieldValidation", path)
    }
    assert.deepStrictEqual(paths["/api/v1/nodes/{name}"].patch["x-kubernetes-group-version-kind"], {
      group: "",
      version: "v1",
      kind: "Node"
    })
  })

  it("cover the resource and its subresources", () => {
    assert.containsAllKeys(paths["/api/v1/namespaces/{namespace}/pods"], ["get", "post", "delete"])
    assert.doesNotHaveAnyKeys(paths["/api/v1/pods"], ["post", "put"])
    assert.doesNotHaveAnyKeys(paths["/api/v1/nodes/{name}/status"], ["delete"])
    const eviction = paths["/api/v1/namespaces/{namespace}/pods/{name}/eviction"]
    assert.deepStrictEqual(Object.keys(eviction), ["post", "parameters"])
    assert.strictEqual(eviction.post.operationId, "createCoreV1NamespacedPodEviction")
    assert.strictEqual(eviction.post["x-kubernetes-group-version-kind"].kind, "Eviction")
    assert.deepStrictEqual(names(eviction.parameters), [
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "name",
      "namespace",
      "pretty"
    ])
  })

  it("have the ids by which generated clients name their functions", () => {
    const idOf = (path: string, method = "get") => paths[`/api/v1/${path}`][method].operationId
    assert.strictEqual(idOf("pods"), "listCoreV1PodForAllNamespaces")
    assert.strictEqual(idOf("watch/pods"), "watchCoreV1PodListForAllNamespaces")
    assert.strictEqual(idOf("watch/nodes/{name}"), "watchCoreV1Node")
    assert.strictEqual(idOf("namespaces/{namespace}/pods", "delete"), "deleteCoreV1CollectionNamespacedPod")
    assert.strictEqual(idOf("namespaces/{namespace}/pods/{name}/log"), "readCoreV1NamespacedPodLog")
    assert.strictEqual(idOf("namespaces/{name}/finalize", "put"), "replaceCoreV1NamespaceFinalize")
    assert.strictEqual(idOf(""), "getCoreV1APIResources")
    assert.deepStrictEqual(paths["/api/v1/pods"].get.tags, ["core_v1"])
  })

  it("of a proxy are connections by every method, with a path or without", () => {
    const [alone, below] = ["", "/{path}"].map((rest) => paths[`/api/v1/nodes/{name}/proxy${rest}`])
    assert.hasAllKeys(below, ["delete", "get", "head", "options", "parameters", "patch", "post", "put"])
    assert.deepStrictEqual(names(alone.parameters), ["name", "path"])
    assert.deepStrictEqual(names(below.parameters), ["name", "path", "path"])
    assert.deepStrictEqual(below.head, {
      description: "connect HEAD requests to proxy of Node",
      operationId: "connectCoreV1HeadNodeProxyWithPath",
      responses: {
        "200": { description: "OK", content: { "*/*": { schema: { type: "string" } } } },
        "401": { description: "Unauthorized" }
      },
      tags: ["core_v1"],
      "x-kubernetes-action": "connect",
      "x-kubernetes-group-version-kind": { group: "", kind: "NodeProxyOptions", version: "v1" }
    })
    assert.notProperty(document("api/v1").components.schemas, "io.k8s.api.core.v1.NodeProxyOptions")
  })

  it("of reviews are only creations", () => {
    const resource = {
      group: "authorization.k8s.io",
      version: "v1",
      kind: "SelfSubjectAccessReview",
      plural: "selfsubjectaccessreviews",
      singular: "",
      shortNames: [],
      namespaced: false
    }
    const review = { ...kindOfResource(resource), verbs: ["create"], subresources: [] }
    const reviews = document("apis/authorization.k8s.io/v1", openApi([review], "v1.36.0")).paths
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert.deepStrictEqual(Object.keys(reviews), ["/apis/authorization.k8s.io/v1/", path])
    assert.deepStrictEqual(Object.keys(reviews[path]), ["post", "parameters"])
  })
})

describe("custom resources", () => {
  it("have the schema of their definition, with the fields of every object", () => {
    const spec = { type: "object", properties: { size: { type: "integer" } } }
    const own = openApi([dial({ type: "object", properties: { spec } })], "v1.36.0")
    const found = document("apis/rollcall.example.com/v1", own).components.schemas
    const schemaOfDial = found["com.example.rollcall.v1.Dial"]
    assert.deepStrictEqual(schemaOfDial.properties.spec, spec)
    assert.containsAllKeys(schemaOfDial.properties, ["apiVersion", "kind", "metadata"])
    assert.isDefined(found["com.example.rollcall.v1.DialList"])
  })

  it("have a schema made from the fields of their protobuf message if they have one", () => {
    const type: MessageType = {
      fullName: "com.example.rollcall.v1.Dial",
      name: "Dial",
      goPackage: "v1",
      atomic: false,
      gvk: { group: "rollcall.example.com", version: "v1", kind: "Dial" },
      fields: new Map()
    }
    const own = openApi([{ ...dial({}), shape: { type } }], "v1.36.0")
    const found = document("apis/rollcall.example.com/v1", own).components.schemas
    assert.deepInclude(found["com.example.rollcall.v1.Dial"], {
      "x-kubernetes-group-version-kind": [{ group: "rollcall.example.com", version: "v1", kind: "Dial" }]
    })
  })
})

const dialKind = {
  "x-kubernetes-group-version-kind": [{ group: "rollcall.example.com", kind: "Dial", version: "v1" }]
}

describe("a schema that keeps unknown fields", () => {
  it("names no field in version 2, whose clients would refuse all others", () => {
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const made = openApi([...builtIn, dial(schema)], "v1.36.0")
    const name = "com.example.rollcall.v1.Dial"
    const v2 = JSON.parse(runAllSteps(made.v2()).json)
    assert.deepStrictEqual(v2.definitions[name], { type: "object", ...dialKind })
    const v3 = document("apis/rollcall.example.com/v1", made).components.schemas[name]
    assert.isTrue(v3["x-kubernetes-preserve-unknown-fields"])
    assert.containsAllKeys(v3.properties, ["apiVersion", "kind", "metadata"])
  })
})

describe("an unprintable schema", () => {
  const bad: Json = {}
  Object.defineProperty(bad, "items", {
    enumerable: true,
    get: () => {
      throw new Error("by hand")
    }
  })
  const deep = Array.from({ length: 100_000 }).reduce<Json>((items) => ({ items }), {})
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const noJson: Json = { properties: { a: { enum: [circle] } } }
  const odd = {
    "throws where it is read": bad,
    "is too deep": deep,
    "has no form in JSON": noJson
  }
  for (const [what, schema] of Object.entries(odd)) {
    it(`because it ${what} is an object of any fields, and no other schema is affected`, () => {
      const reported: Array<string> = []
      const even = dial({ type: "object", properties: { even: { type: "string" } } })
      const other = { ...even, kind: "Knob", plural: "knobs" }
      const made = openApi(
        [...builtIn, { ...even, shape: { schema } } as OpenApiKind, other, { ...other, group: "other.example.com" }],
        "v1.36.0",
        { onInvalid: (name) => reported.push(name) }
      )
      const name = "com.example.rollcall.v1.Dial"
      const { paths } = JSON.parse(runAllSteps(made.index()).json)
      assert.include(Object.keys(paths), "apis/rollcall.example.com/v1")
      const v3 = document("apis/rollcall.example.com/v1", made)
      const v2 = JSON.parse(runAllSteps(made.v2()).json)
      assert.isAbove(runAllSteps(runAllSteps(made.v2()).protobuf()).length, 1000)
      for (const schemas of [v3.components.schemas, v2.definitions]) {
        assert.deepStrictEqual(schemas[name], { type: "object", ...dialKind })
        assert.deepStrictEqual(schemas["com.example.rollcall.v1.Knob"].properties.even, { type: "string" })
      }
      assert.isDefined(v3.paths["/apis/rollcall.example.com/v1/namespaces/{namespace}/dials"])
      assert.strictEqual(runAllSteps(made.document("api/v1"))?.hash, runAllSteps(documents.document("api/v1"))?.hash)
      assert.deepStrictEqual([...new Set(reported)], [name])
    })
  }
})
