import { assert, describe, it } from "vitest"
import type { Node } from "../../src/index.ts"
import { noErrors } from "../../src/validation/FieldError.ts"
import { type FieldErrors, fieldErrorText } from "../../src/validation/index.ts"
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "../../src/validation/node.ts"

const stored: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", uid: "u", resourceVersion: "1" },
  spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24", "fd00::/64"], providerID: "fake://a" },
  status: { capacity: { cpu: "4", pods: "110" }, allocatable: { cpu: "4", pods: "110" } }
}

const texts = (errors: FieldErrors): ReadonlyArray<string> => errors.map(fieldErrorText)
const withSpec = (spec: Node["spec"]): Node => ({ ...stored, spec: { ...stored.spec, ...spec } })
const withStatus = (status: NonNullable<Node["status"]>): Node => ({
  ...stored,
  status: { ...stored.status, ...status }
})

describe("a node's subnets and provider", () => {
  const forbidden = (field: string, word: string) =>
    `spec.${field}: Forbidden: node updates may not change ${word} except from "" to valid`

  it("report each subnet that changed", () => {
    const changed = withSpec({ podCIDRs: ["10.0.1.0/24", "fd01::/64"] })
    const fault = forbidden("podCIDRs", "podCIDR")
    assert.deepStrictEqual(texts(validateNodeUpdate(changed, stored)), [fault, fault])
  })

  it("report a changed number of subnets once", () => {
    const changed = withSpec({ podCIDRs: ["10.0.0.0/24"] })
    assert.deepStrictEqual(texts(validateNodeUpdate(changed, stored)), [forbidden("podCIDRs", "podCIDR")])
  })

  it("cannot be cleared", () => {
    assert.deepStrictEqual(texts(validateNodeUpdate(withSpec({ providerID: "" }), stored)), [
      forbidden("providerID", "providerID")
    ])
  })

  it("report two errors for an invalid subnet", () => {
    const node = withSpec({ podCIDRs: ["10.0.0.0/24", "x"] })
    assert.deepStrictEqual(texts(validateNode(node)), [
      'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)",
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: may specify no more than one CIDR for each IP family'
    ])
  })
})

describe("a node's status", () => {
  it("skips validation when nothing changed", () => {
    assert.strictEqual(validateNodeStatusUpdate(stored, stored), noErrors)
    assert.strictEqual(validateNodeStatusUpdate({ ...stored, status: { ...stored.status } }, stored), noErrors)
  })

  it("may name an address under two types but not twice under one", () => {
    const addresses = [
      { type: "InternalIP", address: "1.2.3.4" },
      { type: "ExternalIP", address: "1.2.3.4" },
      { type: "InternalIP", address: "1.2.3.4" }
    ]
    assert.deepStrictEqual(texts(validateNodeStatusUpdate(withStatus({ addresses }), stored)), [
      'status.addresses[2]: Duplicate value: {"Type":"InternalIP","Address":"1.2.3.4"}'
    ])
  })

  it("counts pods in whole numbers and shows amounts in canonical form", () => {
    assert.deepStrictEqual(texts(validateNodeStatusUpdate(withStatus({ capacity: { pods: "1.5" } }), stored)), [
      'status.capacity.pods: Invalid value: "1500m": must be an integer'
    ])
  })

  it("names a resource without a name by brackets", () => {
    assert.deepStrictEqual(texts(validateNodeStatusUpdate(withStatus({ allocatable: { "": "-1" } }), stored)), [
      'status.allocatable[]: Invalid value: "-1": must be greater than or equal to 0'
    ])
  })

  it("reports an invalid quantity instead of failing", () => {
    assert.deepStrictEqual(
      validateNodeStatusUpdate(withStatus({ capacity: { cpu: "four" } }), stored).map(({ field }) => field),
      ["status.capacity.cpu"]
    )
  })

  it("has unique declared features in order", () => {
    const node = withStatus({ declaredFeatures: ["B", "A", "A", "x"] })
    assert.deepStrictEqual(
      validateNode(node).map(({ field, type }) => `${field} ${type}`),
      [
        "status.declaredFeatures[1] FieldValueInvalid",
        "status.declaredFeatures[2] FieldValueDuplicate",
        "status.declaredFeatures[3] FieldValueInvalid"
      ]
    )
  })
})

describe("an update of a node", () => {
  it("reports metadata by the rule for new nodes and by the rule for updates", () => {
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { a: "b c" } } }
    assert.strictEqual(validateNodeUpdate(labelled, stored).length, 2)
    assert.strictEqual(validateNodeStatusUpdate(labelled, stored).length, 1)
  })
})
