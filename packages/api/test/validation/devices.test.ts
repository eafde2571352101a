import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decodeObject, type KindName, kindOf, type ObjectOf } from "../../src/index.ts"
import { deviceClassRules, fieldErrorText } from "../../src/validation/index.ts"
import { decodeJson, wireTypeOf } from "../../src/wire/index.ts"

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, object: object): ObjectOf<K> => {
  const isNamespaced = kindOf(kind).resource.namespaced
  const metadata = { name: "a", resourceVersion: "1", ...(isNamespaced ? { namespace: "n" } : {}) }
  return kindOf(kind).defaults(Effect.runSync(decodeObject(kind, { metadata, ...object })))
}

const createFaults = (kind: KindName, spec: object): ReadonlyArray<string> =>
  kindOf(kind).validation.create(read(kind, { spec })).map(fieldErrorText)

const statusFaults = (spec: object, status: object, old: object = {}): ReadonlyArray<string> | undefined =>
  kindOf("ResourceClaim")
    .validation.updateStatus?.(read("ResourceClaim", { spec, status }), read("ResourceClaim", { spec, status: old }))
    .map(fieldErrorText)

// The messages are those of kube-apiserver v1.36.2 for the same objects.

describe("device slices", () => {
  it("show terms of nodes that are absent as null, and an empty list as such", () => {
    const fault = (nodeSelector: object) => {
      const given = { kind: "ResourceSlice", metadata: { name: "a" }, spec: { pool: {}, nodeSelector } }
      const decoded = Result.getOrThrow(decodeJson(wireTypeOf("ResourceSlice"), JSON.stringify(given)))
      const faults = kindOf("ResourceSlice").validation.create(decoded.value as ObjectOf<"ResourceSlice">)
      return faults.map(fieldErrorText).find((text) => text.includes("exactly one node selector term"))
    }
    const shown = (value: string) =>
      `spec.nodeSelector.nodeSelectorTerms: Invalid value: ${value}: must have exactly one node selector term`
    assert.strictEqual(fault({}), shown("null"))
    assert.strictEqual(fault({ nodeSelectorTerms: [] }), shown("[]"))
  })
})

describe("device classes", () => {
  it("configure drivers with objects", () => {
    assert.deepStrictEqual(createFaults("DeviceClass", { config: [{}] }), ["spec.config[0].opaque: Required value"])
    const config = [{ opaque: { driver: "", parameters: [1] } }]
    assert.deepStrictEqual(createFaults("DeviceClass", { config }), [
      "spec.config[0].opaque.driver: Required value",
      'spec.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'
    ])
    assert.deepStrictEqual(createFaults("DeviceClass", { extendedResourceName: "cpu" }), [
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name'
    ])
  })

  it("check the meaning of an expression that is not too long", () => {
    const seen: Array<string> = []
    const rules = deviceClassRules((expression) => {
      seen.push(expression)
      return []
    })
    const selectors = ["true", "x".repeat(10 * 1024 + 1)].map((expression) => ({ cel: { expression } }))
    assert.deepStrictEqual(
      rules.create(read("DeviceClass", { spec: { selectors: [...selectors, {}] } })).map(fieldErrorText),
      [
        "spec.selectors[1].cel.expression: Too long: may not be more than 10240 bytes",
        "spec.selectors[2].cel: Required value"
      ]
    )
    assert.deepStrictEqual(seen, ["true"])
  })
})

const request = { name: "r", exactly: { deviceClassName: "x" } }
const alternatives = [
  { name: "s", deviceClassName: "y" },
  { name: "s", deviceClassName: "y" }
]

describe("resource claim templates", () => {
  it("show the metadata of their claims as Go writes it", () => {
    const template = (metadata: object) =>
      read("ResourceClaimTemplate", { spec: { metadata, spec: { devices: { requests: [request] } } } })
    const labels = { b: "2", a: "1" }
    const faults = kindOf("ResourceClaimTemplate").validation.update(
      template({ labels, generateName: "A" }),
      template({ labels: { a: "1" } })
    )
    assert.include(
      faults.map(fieldErrorText).at(-1) ?? "",
      'spec: Invalid value: {"generateName":"A","labels":{"a":"1","b":"2"},"Spec":'
    )
  })
})

describe("the metadata of a template", () => {
  it("may not have a grace period, not even one of 0", () => {
    const faultsOf = (metadata: object) =>
      kindOf("ResourceClaimTemplate")
        .validation.create(
          read("ResourceClaimTemplate", { spec: { metadata, spec: { devices: { requests: [request] } } } })
        )
        .map(({ field, type }) => `${field} ${type}`)
    assert.notInclude(faultsOf({ generation: 0 }).join(), "spec.metadata")
    assert.include(
      faultsOf({ deletionGracePeriodSeconds: 0 }),
      "spec.metadata.deletionGracePeriodSeconds FieldValueForbidden"
    )
  })
})

describe("resource claims", () => {
  it("request one device unless they say otherwise", () => {
    const { spec } = read("ResourceClaim", { spec: { devices: { requests: [request] } } })
    const exactly = { deviceClassName: "x", allocationMode: "ExactCount", count: 1 }
    assert.deepStrictEqual(spec.devices?.requests, [{ name: "r", exactly }])
  })

  it("refer to requests by their names", () => {
    const fault =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
    const devices = {
      requests: [{ name: "r", firstAvailable: alternatives }],
      constraints: [{ requests: ["r/s", "q", "a/b/c"], matchAttribute: "x" }, {}]
    }
    assert.deepStrictEqual(createFaults("ResourceClaim", { devices }), [
      'spec.devices.requests[0].firstAvailable[1]: Duplicate value: "s"',
      `spec.devices.constraints[0].requests[1]: Invalid value: "q": ${fault}`,
      `spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": ${fault}`,
      'spec.devices.constraints[0].matchAttribute: Invalid value: "x": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    ])
  })

  it("keep what is allocated, and describe only that", () => {
    const spec = { devices: { requests: [request] } }
    const result = { request: "r", driver: "d.x", pool: "p", device: "a" }
    const allocation = { devices: { results: [result] } }
    assert.deepStrictEqual(statusFaults(spec, { allocation }), [])
    const consumer = { resource: "pods", name: "x", uid: "1" }
    assert.deepStrictEqual(statusFaults(spec, { reservedFor: [consumer] }), [
      "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"
    ])
    const devices = [{ driver: "d.x", pool: "p", device: "b" }]
    assert.deepStrictEqual(statusFaults(spec, { allocation, devices }, { allocation }), [
      'status.devices[0]: Invalid value: {"Driver":"d.x","Pool":"p","Device":"b","ShareID":""}: must be an allocated device in the claim'
    ])
    const other = { devices: { results: [{ ...result, device: "e" }] } }
    const shown =
      '{"Devices":{"Results":[{"Request":"r","Driver":"d.x","Pool":"p","Device":"e","AdminAccess":null,"Tolerations":null,"BindingConditions":null,"BindingFailureConditions":null,"ShareID":null,"ConsumedCapacity":null}],"Config":null},"NodeSelector":null,"AllocationTimestamp":null}'
    assert.deepStrictEqual(statusFaults(spec, { allocation: other }, { allocation }), [
      `status.allocation: Invalid value: ${shown}: field is immutable`
    ])
  })
})

const pool = { name: "p", generation: 1, resourceSliceCount: 1 }
const sliceFaults = (spec: object) => createFaults("ResourceSlice", { driver: "d.x", pool, ...spec })

describe("resource slices", () => {
  it("are on one node, on some or on all", () => {
    const fault = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    assert.deepStrictEqual(sliceFaults({}), [`spec: Required value: ${fault}`])
    assert.deepStrictEqual(sliceFaults({ nodeName: "n", allNodes: true }), [
      `spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${fault}, but multiple fields are set`
    ])
  })

  it("describe devices by one value for each attribute", () => {
    const attributes = { a: { int: 1 }, b: {}, c: { int: 1, bool: true }, d: { version: "1.2" } }
    const fault = "exactly one value must be specified"
    const at = "spec.devices[0].attributes"
    assert.deepStrictEqual(sliceFaults({ allNodes: true, devices: [{ name: "x", attributes }] }), [
      `${at}[b]: Invalid value: "": ${fault}`,
      `${at}[c]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: ${fault}`,
      `${at}[d].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`
    ])
  })

  it("share capacity by policies whose default is valid", () => {
    const capacity = {
      m: { value: "10", requestPolicy: { default: "4", validRange: { min: "5", max: "20", step: "3" } } }
    }
    const at = "spec.devices[0].capacity[m].requestPolicy"
    assert.deepStrictEqual(sliceFaults({ allNodes: true, devices: [{ name: "x", capacity }] }), [
      `${at}: Forbidden: allowMultipleAllocations must be true`
    ])
    const devices = [{ name: "x", allowMultipleAllocations: true, capacity }]
    assert.deepStrictEqual(sliceFaults({ allNodes: true, devices }), [
      `${at}.validRange.min: Invalid value: "4": default is less than min: 5`,
      `${at}.validRange.max: Invalid value: "20": max is larger than capacity value: 10`,
      `${at}.validRange.step: Invalid value: "4": value is not a multiple of a given step (3) from (5)`
    ])
  })
})
