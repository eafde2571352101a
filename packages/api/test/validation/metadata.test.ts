import { assert, describe, it } from "vitest"
import type { ObjectMeta } from "../../src/index.ts"
import {
  ErrorList,
  fieldErrorText,
  nameIsDNSSubdomain,
  validateNewMetadata,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "../../src/validation/index.ts"

const stored: ObjectMeta = {
  name: "n",
  uid: "u",
  resourceVersion: "7",
  generation: 3,
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: { a: "b" }
}

const createFaults = (metadata: ObjectMeta, namespaced = false): ReadonlyArray<string> => {
  const errors = new ErrorList()
  validateObjectMeta(errors, metadata, { namespaced, name: nameIsDNSSubdomain, standardFinalizers: true })
  return errors.all.map(fieldErrorText)
}

const updateFaults = (metadata: ObjectMeta, old: ObjectMeta = stored): ReadonlyArray<string> => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, metadata, old)
  return errors.all.map(fieldErrorText)
}

describe("metadata of a new object", () => {
  it("has a namespace exactly if its kind is namespaced", () => {
    assert.deepStrictEqual(createFaults({ name: "n", namespace: "x" }), [
      "metadata.namespace: Forbidden: not allowed on this type"
    ])
    assert.deepStrictEqual(createFaults({ name: "n" }, true), ["metadata.namespace: Required value"])
  })

  it("is owned by one controller at most, and never by an event", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "a", uid: "1", controller: true }
    const both = [owner, { ...owner, name: "b", uid: "2" }]
    assert.deepStrictEqual(createFaults({ name: "n", ownerReferences: both }), [
      `metadata.ownerReferences: Invalid value: ${JSON.stringify(both)}: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b`
    ])
    const event = { apiVersion: "v1", kind: "Event", name: "e", uid: "1" }
    assert.deepStrictEqual(createFaults({ name: "n", ownerReferences: [event] }), [
      `metadata.ownerReferences: Invalid value: ${JSON.stringify(event)}: /v1, Kind=Event is disallowed from being an owner`
    ])
  })

  it("cannot be orphaned and deleted with its dependents at once", () => {
    assert.deepStrictEqual(createFaults({ name: "n", finalizers: ["orphan", "foregroundDeletion"] }), [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set'
    ])
  })

  it("carries at most 256 KiB of annotations", () => {
    const half = "x".repeat(128 * 1024 - 1)
    assert.deepStrictEqual(createFaults({ name: "n", annotations: { a: half, b: half } }), [])
    assert.deepStrictEqual(createFaults({ name: "n", annotations: { a: half, b: `${half}x` } }), [
      "metadata.annotations: Too long: may not be more than 262144 bytes"
    ])
  })
})

describe("metadata of an update", () => {
  it.each<[keyof ObjectMeta, Partial<ObjectMeta>, string]>([
    ["name", { name: "m" }, 'Invalid value: "m": field is immutable'],
    ["uid", { uid: "v" }, 'Invalid value: "v": field is immutable'],
    ["namespace", { namespace: "x" }, 'Invalid value: "x": field is immutable'],
    ["deletionTimestamp", { deletionTimestamp: "t" }, 'Invalid value: "t": field is immutable'],
    ["deletionGracePeriodSeconds", { deletionGracePeriodSeconds: 3 }, "Invalid value: 3: field is immutable"],
    ["generation", { generation: 2 }, "Invalid value: 2: must not be decremented"],
    ["resourceVersion", { resourceVersion: "" }, 'Invalid value: "": must be specified for an update']
  ])("keeps its %s", (field, change, fault) => {
    assert.deepStrictEqual(updateFaults({ ...stored, ...change }), [`metadata.${field}: ${fault}`])
  })

  it("accepts no new finalizers during a deletion, but their removal", () => {
    const deleting = { ...stored, deletionTimestamp: "t", finalizers: ["a/b", "a/c"] }
    assert.deepStrictEqual(updateFaults({ ...deleting, finalizers: ["a/b"] }, deleting), [])
    assert.deepStrictEqual(updateFaults({ ...deleting, finalizers: ["a/b", "z/z", "a/d"] }, deleting), [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/d", "z/z"}'
    ])
  })

  it("is not validated again where it shares parts with the stored object", () => {
    const labels = { "not valid": "x" }
    assert.deepStrictEqual(updateFaults({ ...stored, labels }, { ...stored, labels }), [])
    assert.strictEqual(updateFaults({ ...stored, labels: { ...labels } }, { ...stored, labels }).length, 1)
  })
})

describe("the checks of new metadata", () => {
  const metadata = { name: "A%b", namespace: "n", labels: { a: "b" } }
  const texts = (checked: object, namespaced = true) => validateNewMetadata(checked, namespaced).map(fieldErrorText)
  const pathSegment = /^metadata.name: Invalid value: "A%b": may not contain '%'/

  it("are the same after those of a kind that found no fault", () => {
    const errors = new ErrorList()
    validateObjectMeta(errors, metadata, { namespaced: true, name: () => [] })
    assert.deepStrictEqual(errors.all, [])
    assert.match(texts(metadata)[0] ?? "", pathSegment)
    assert.deepStrictEqual(texts(metadata, false).length, 2)
    assert.match(texts({ ...metadata })[0] ?? "", pathSegment)
  })

  it("are all made if the kind checks other metadata, or none", () => {
    const errors = new ErrorList()
    validateObjectMeta(errors, { name: "a", namespace: "n" }, { namespaced: true, name: () => [] })
    assert.lengthOf(texts({ name: "a", namespace: "n", labels: { "-": "-" } }), 2)
    assert.lengthOf(texts({ name: "a", namespace: "n", labels: { "-": "-" } }), 2)
  })
})
