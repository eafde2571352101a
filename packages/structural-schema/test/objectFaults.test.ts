import { assert, describe, it } from "@effect/vitest"
import { fieldErrorText } from "@rollcall/api/validation"
import { type CustomType, type JsonSchema, objectFaults } from "../src/index.ts"

const spec: JsonSchema = {
  type: "object",
  properties: {
    size: { type: "integer" },
    limit: { type: "integer" },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }
  },
  "x-kubernetes-validations": [{ rule: "!has(self.size) || self.size <= self.limit", message: "is too large" }]
}
const type: CustomType = {
  resource: {
    group: "example.com",
    version: "v1",
    kind: "Dial",
    plural: "dials",
    singular: "dial",
    shortNames: [],
    namespaced: true
  },
  schema: { type: "object", properties: { spec, status: { type: "object", properties: { on: { type: "boolean" } } } } },
  scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
}
const dial = (spec: object, more: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Dial",
  metadata: {
    name: "a",
    namespace: "default",
    resourceVersion: "1",
    uid: "u",
    creationTimestamp: "2026-01-01T00:00:00Z"
  },
  spec,
  ...more
})
const errorsOf = (...given: Parameters<typeof objectFaults>) => objectFaults(...given).errors.map(fieldErrorText)

describe("the faults of a custom resource", () => {
  it("are those of its rules, once its schema holds", () => {
    assert.deepStrictEqual(errorsOf({ object: dial({ size: 1, limit: 2 }) }, type), [])
    assert.deepStrictEqual(errorsOf({ object: dial({ size: 3, limit: 2 }) }, type), [
      "spec: Invalid value: is too large"
    ])
    assert.deepStrictEqual(errorsOf({ object: dial({ size: 3, limit: "x" }) }, type), [
      'spec.limit: Invalid value: "string": spec.limit in body must be of type integer: "string"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
    ])
  })

  it("are warned of in parts that an update leaves unchanged", () => {
    const stored = dial({ size: 3, limit: 2 })
    const metadata = { ...stored.metadata, labels: { a: "b" } }
    const { errors, warned } = objectFaults({ object: { ...stored, metadata }, stored }, type)
    assert.deepStrictEqual([errors.length, warned.map(({ field }) => field)], [0, ["spec"]])
  })

  it("are only those of the status in a write through its subresource", () => {
    const object = dial({ size: 1, limit: 2 }, { status: { on: 1 } })
    assert.match(
      errorsOf({ object, stored: dial({ size: 1, limit: 2 }), isStatus: true }, type)[0] ?? "",
      /^status\.on: /
    )
  })

  it("are its kind and what its schema has no part in, if that is another", () => {
    const knob = { ...dial({ size: 3, limit: 2, other: 1, tags: ["a", "a"] }), kind: "Knob" }
    assert.deepStrictEqual(errorsOf({ object: { ...knob, metadata: { name: "B_" } } }, type), [
      'kind: Invalid value: "Knob": must be Dial',
      'spec.tags[1]: Duplicate value: "a"',
      "spec: Invalid value: is too large"
    ])
  })

  it("are the size of its defaults before all content", () => {
    assert.deepStrictEqual(errorsOf({ object: dial({ size: "x" }), exceedsDefaults: true }, type), [
      "<nil>: Too long: may not be more than 3145728 bytes"
    ])
  })

  it("are among values at the paths of its scale", () => {
    assert.include(errorsOf({ object: dial({ size: -1, limit: 2 }) }, type)[0], "should be a non-negative integer")
  })
})
