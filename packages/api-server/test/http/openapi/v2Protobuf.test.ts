import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import { assert, describe, it } from "@effect/vitest"
import { runAllSteps } from "../../../src/core/turns/Steps.ts"
import { openApi } from "../../../src/http/openapi/index.ts"
import { v2Protobuf } from "../../../src/http/openapi/v2Protobuf.ts"
import { builtInKinds } from "./kinds.ts"

/** The contents of each occurrence of a field; all that is written here is length-delimited. */
const contents = (bytes: Uint8Array, wanted: number): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    assert.strictEqual(wire, WireType.LengthDelimited)
    const content = reader.bytes()
    if (number === wanted) found.push(content)
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
const { bytes } = runAllSteps(openApi(kinds, "v1.36.0").v2Protobuf())

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
    assert.deepStrictEqual(JSON.parse(textAt(gvk ?? new Uint8Array(), 2, 2)), [
      { group: "", version: "v1", kind: "Pod" }
    ])
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

  it("may be empty", () => {
    assert.strictEqual(textAt(runAllSteps(v2Protobuf({})), 1), "2.0")
  })
})
