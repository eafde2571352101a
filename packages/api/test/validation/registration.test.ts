import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf, type ObjectOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, name: string, parts: object): ObjectOf<K> =>
  kindOf(kind).defaults(Effect.runSync(decodeObject(kind, { metadata: { name, resourceVersion: "1" }, ...parts })))

const createFaults = (kind: KindName, name: string, spec: object): ReadonlyArray<string> =>
  kindOf(kind)
    .validation.create(read(kind, name, { spec }))
    .map(fieldErrorText)

const updateFaults = (kind: KindName, name: string, spec: object, old: object): ReadonlyArray<string> =>
  kindOf(kind)
    .validation.update(read(kind, name, { spec }), read(kind, name, { spec: old }))
    .map(fieldErrorText)

// The messages are those of kube-apiserver v1.36.2 for the same objects.

describe("addresses", () => {
  const parentRef = { resource: "services", namespace: "default", name: "x" }

  it("are the names of the objects, in their canonical form", () => {
    assert.deepStrictEqual(createFaults("IPAddress", "10.1.0.1", { parentRef }), [])
    assert.deepStrictEqual(createFaults("IPAddress", "2001:db8::0", { parentRef }), [
      'metadata.name: Invalid value: "2001:db8::0": must be in canonical form ("2001:db8::")'
    ])
  })

  it("have a parent that never changes", () => {
    assert.deepStrictEqual(createFaults("IPAddress", "10.1.0.1", {}), ["spec.parentRef: Required value"])
    assert.deepStrictEqual(
      updateFaults("IPAddress", "10.1.0.1", { parentRef: { ...parentRef, name: "y" } }, { parentRef }),
      [
        'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"y"}: field is immutable'
      ]
    )
  })
})

describe("ranges of addresses of Services", () => {
  it("are one or one of each family", () => {
    assert.deepStrictEqual(createFaults("ServiceCIDR", "a", {}), [
      "spec.cidrs: Required value: at least one CIDR required"
    ])
    assert.deepStrictEqual(createFaults("ServiceCIDR", "a", { cidrs: ["10.2.0.0/24", "10.3.0.0/24"] }), [
      'spec.cidrs: Invalid value: ["10.2.0.0/24","10.3.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    ])
  })

  it("only gain a second family", () => {
    const before = { cidrs: ["10.2.0.0/24"] }
    assert.deepStrictEqual(updateFaults("ServiceCIDR", "a", { cidrs: ["10.2.0.0/24", "2001:db8::/64"] }, before), [])
    assert.deepStrictEqual(updateFaults("ServiceCIDR", "a", { cidrs: ["10.9.0.0/24"] }, before), [
      'spec.cidrs[0]: Invalid value: "10.9.0.0/24": field is immutable'
    ])
  })
})

describe("API services", () => {
  const priorities = { groupPriorityMinimum: 100, versionPriority: 10 }

  it("are named for their version and group", () => {
    assert.deepStrictEqual(createFaults("APIService", "v1.a.b", { group: "a.b", version: "v1", ...priorities }), [])
    assert.deepStrictEqual(createFaults("APIService", "v1.x", { group: "a.b", version: "v1", ...priorities }), [
      'metadata.name: Invalid value: "v1.x": must be `spec.version+"."+spec.group`: "v1.a.b"'
    ])
  })

  it("are local without a Service, and then have no certificate bundle", () => {
    const spec = { group: "a.b", version: "v1", ...priorities, caBundle: "AAAA", insecureSkipTLSVerify: true }
    assert.deepStrictEqual(createFaults("APIService", "v1.a.b", spec), [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify"
    ])
    const remote = read("APIService", "v1.a.b", { spec: { ...spec, service: { namespace: "n", name: "s" } } })
    assert.strictEqual(remote.spec?.service?.port, 443)
  })
})

describe("requests for certificates", () => {
  const spec = { request: "eA==", signerName: "example.com/x", usages: ["client auth"] }

  it("name usages and a signer", () => {
    assert.deepStrictEqual(createFaults("CertificateSigningRequest", "a", spec), [])
    const unusual = { ...spec, signerName: "x", usages: ["client auth", "client auth"], expirationSeconds: 10 }
    assert.deepStrictEqual(createFaults("CertificateSigningRequest", "a", unusual), [
      'spec.usages[1]: Duplicate value: "client auth"',
      "spec.signerName: Invalid value: \"x\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
      "spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 600 seconds (10 minutes)"
    ])
  })

  it("are approved once, and get one certificate", () => {
    const request = (status: object) => read("CertificateSigningRequest", "a", { spec, status })
    const condition = (type: string) => ({ type, status: "True" })
    const faults = (status: object, old: object) =>
      kindOf("CertificateSigningRequest").validation.updateStatus?.(request(status), request(old)).map(fieldErrorText)
    assert.deepStrictEqual(faults({ conditions: [condition("Approved")] }, {}), [
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"'
    ])
    assert.deepStrictEqual(faults({}, { conditions: [condition("Failed")] }), [
      'status.conditions: Forbidden: updates may not remove a condition of type "Failed"'
    ])
    assert.deepStrictEqual(faults({ certificate: "eA==" }, {}), [])
    assert.deepStrictEqual(faults({ certificate: "eA==" }, { certificate: "eQ==" }), [
      "status.certificate: Forbidden: updates may not modify existing certificate content"
    ])
  })
})
