import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import { assert, describe, it } from "@effect/vitest"
import { runAllSteps } from "@rollcall/time"
import { encodeDocument } from "../src/gnostic/encodeDocument.ts"
import { openApi } from "../src/index.ts"
import { builtInKinds } from "./kinds.ts"

/** The contents of each occurrence of a field that is length-delimited. */
const contents = (bytes: Uint8Array, wanted: number): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    if (number === wanted && wire === WireType.LengthDelimited) found.push(reader.bytes())
    else reader.skip(wire, number)
  }
  return found
}

const messageAt = (bytes: Uint8Array, ...path: ReadonlyArray<number>): Uint8Array =>
  path.reduce((inner, number) => contents(inner, number)[0] ?? new Uint8Array(), bytes)
const textAt = (bytes: Uint8Array, ...path: ReadonlyArray<number>): string =>
  Buffer.from(messageAt(bytes, ...path)).toString()

const entryNamed = (list: ReadonlyArray<Uint8Array>, name: string): Uint8Array =>
  messageAt(list.find((each) => textAt(each, 1) === name) ?? new Uint8Array(), 2)

const kinds = builtInKinds()
const documents = openApi(kinds, "v1.36.0")
const v2 = runAllSteps(documents.v2())
const bytes = runAllSteps(v2.protobuf())

describe("the OpenAPI v2 document in protobuf", () => {
  it("has its version and title", () => {
    assert.strictEqual(textAt(bytes, 1), "2.0")
    assert.strictEqual(textAt(bytes, 2, 2), "v1.36.0")
  })

  it("defines kinds: references, lists, maps, required fields and GroupVersionKinds", () => {
    const definitions = contents(messageAt(bytes, 9), 1)
    const pod = entryNamed(definitions, "io.k8s.api.core.v1.Pod")
    assert.strictEqual(textAt(pod, 22, 1), "object")
    assert.strictEqual(
      textAt(entryNamed(contents(messageAt(pod, 25), 1), "spec"), 1),
      "#/definitions/io.k8s.api.core.v1.PodSpec"
    )
    const gvk = contents(pod, 31).find((each) => textAt(each, 1) === "x-kubernetes-group-version-kind")
    assert.strictEqual(textAt(gvk ?? new Uint8Array(), 2, 2), '- group: ""\n  kind: Pod\n  version: v1\n')
    const status = contents(messageAt(entryNamed(definitions, "io.k8s.api.core.v1.NodeStatus"), 25), 1)
    assert.strictEqual(
      textAt(entryNamed(status, "conditions"), 23, 1, 1),
      "#/definitions/io.k8s.api.core.v1.NodeCondition"
    )
    const quantity = "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"
    assert.strictEqual(textAt(entryNamed(status, "capacity"), 21, 1, 1), quantity)
    const condition = entryNamed(definitions, "io.k8s.api.core.v1.NodeCondition")
    assert.includeMembers(
      contents(condition, 19).map((each) => Buffer.from(each).toString()),
      ["type", "status"]
    )
  })

  it("has fieldValidation among the parameters of PATCH", () => {
    const patch = messageAt(entryNamed(contents(messageAt(bytes, 8), 2), "/api/v1/nodes/{name}"), 8)
    const names = contents(patch, 8).map((each) => textAt(each, 1, 2, 3, 4))
    assert.include(names, "fieldValidation")
    assert.include(textAt(patch, 13, 2, 2), "patch")
  })

  it("refers to shared parameters, which have a hash in their names", () => {
    const patch = messageAt(entryNamed(contents(messageAt(bytes, 8), 2), "/api/v1/nodes/{name}"), 8)
    const references = contents(patch, 8).map((each) => textAt(each, 2, 1))
    const [force] = references.filter((each) => /^#\/parameters\/force-[\w-]{8}$/.test(each))
    assert.isDefined(force)
    const shared = contents(messageAt(bytes, 10), 1).map((each) => textAt(each, 1))
    assert.include(shared, force?.slice("#/parameters/".length))
  })
})

describe("the messages of OpenAPI documents", () => {
  const hex = (document: object, version: "v2" | "v3") =>
    Buffer.from(runAllSteps(encodeDocument(document as never, version))).toString("hex")

  it("are those of gnostic", () => {
    const text = (number: number, value: string) => Buffer.from([number * 8 + 2, value.length, ...Buffer.from(value)])
    assert.strictEqual(hex({}, "v2"), "")
    assert.strictEqual(hex({ swagger: "2.0" }, "v2"), text(1, "2.0").toString("hex"))
    // components 5, schemas 1, an entry 1 of a name 1 and a value 2, which is a schema 1 of a default 33: an empty text.
    const a = { components: { schemas: { A: { default: "" } } } }
    assert.strictEqual(hex(a, "v3"), "2a100a0e0a0c0a014112070a058a02021a00")
    // additionalProperties 21 of version 2 is a bool 2 or a schema 1.
    const b = { definitions: { B: { additionalProperties: true } } }
    assert.strictEqual(hex(b, "v2"), "4a0c0a0a0a01421205aa01021001")
  })
})

describe("OpenAPI v3 documents in protobuf", () => {
  it("have paths, schemas with their defaults, and the hash of the JSON", () => {
    const document = runAllSteps(documents.document("apis/apps/v1"))
    assert.isDefined(document)
    if (document === undefined) return
    const encoded = runAllSteps(document.protobuf())
    assert.strictEqual(textAt(encoded, 1), "3.0.0")
    const schemas = contents(messageAt(encoded, 5, 1), 1)
    const set = entryNamed(schemas, "io.k8s.api.apps.v1.StatefulSetSpec")
    const fields = contents(messageAt(set, 1, 31), 1)
    assert.strictEqual(contents(messageAt(entryNamed(fields, "serviceName"), 1, 33), 3).length, 1)
    const path = entryNamed(contents(messageAt(encoded, 4), 1), "/apis/apps/v1/deployments")
    assert.strictEqual(textAt(path, 4, 5), "listAppsV1DeploymentForAllNamespaces")
  })
})
