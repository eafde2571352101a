import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type KindName, kinds } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"
import { decodeValue, wireTypeOf } from "../../src/wire/index.ts"

const read = (kind: KindName, parts: object) => {
  const metadata = { name: kind === "IPAddress" ? "10.0.0.1" : "a", namespace: undefined, resourceVersion: "1" }
  const namespaced = kind === "HorizontalPodAutoscaler" ? { ...metadata, namespace: "n" } : metadata
  const value = JSON.parse(JSON.stringify({ metadata: namespaced, ...parts }))
  return kinds[kind].defaults(Result.getOrThrow(decodeValue(wireTypeOf(kind), value)).value as never)
}

const updateFaults = (kind: KindName, next: object, old: object) =>
  kinds[kind].validation.update(read(kind, next) as never, read(kind, old) as never).map(fieldErrorText)

const immutable = "field is immutable"

describe("the parent of an IPAddress", () => {
  const parent = { resource: "services", namespace: "n", name: "s" }
  const spec = (parentRef: object | undefined) => ({ spec: { parentRef } })

  it("is checked by an update as by a create", () => {
    assert.deepStrictEqual(updateFaults("IPAddress", spec(undefined), spec(parent)), [
      "spec.parentRef: Required value",
      `spec.parentRef: Invalid value: null: ${immutable}`
    ])
    assert.deepStrictEqual(updateFaults("IPAddress", spec({ ...parent, name: "" }), spec(parent)), [
      "spec.parentRef.name: Required value",
      `spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":""}: ${immutable}`
    ])
  })
})

describe("the change of metadata", () => {
  const metadata = (kind: KindName, deletionTimestamp?: string) => {
    const { name, resourceVersion } = { name: kind === "IPAddress" ? "10.0.0.1" : "v1.a", resourceVersion: "1" }
    return {
      metadata: {
        name,
        namespace: kinds[kind].resource.namespaced ? "n" : undefined,
        resourceVersion,
        deletionTimestamp
      }
    }
  }

  // What is common to all kinds checks it once, too.
  it("is checked once by the kinds of devices, requests, addresses and services", () => {
    for (const kind of [
      "DeviceClass",
      "ResourceClaim",
      "ResourceClaimTemplate",
      "CertificateSigningRequest",
      "IPAddress",
      "APIService"
    ] as const) {
      const faults = updateFaults(kind, metadata(kind, "2021-03-04T05:06:07Z"), metadata(kind))
      assert.lengthOf(
        faults.filter((fault) => fault.startsWith("metadata.deletionTimestamp: ")),
        1,
        kind
      )
    }
  })
})

describe("the ranges of a ServiceCIDR", () => {
  it("are null in an error if there are none", () => {
    const faults = (spec: object) => updateFaults("ServiceCIDR", { spec }, { spec: { cidrs: ["10.0.0.0/24"] } })
    assert.deepStrictEqual(faults({}), [`spec.cidrs: Invalid value: null: ${immutable}`])
    assert.deepStrictEqual(faults({ cidrs: [] }), [`spec.cidrs: Invalid value: []: ${immutable}`])
  })
})

describe("an autoscaler", () => {
  const faults = (scaleDown: object, metrics: ReadonlyArray<object> = []) => {
    const spec = {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 3,
      metrics,
      behavior: { scaleDown }
    }
    return kinds.HorizontalPodAutoscaler.validation
      .create(read("HorizontalPodAutoscaler", { spec }) as never)
      .map(fieldErrorText)
  }
  const at = "spec.behavior.scaleDown"

  it("has default policies only if it has none", () => {
    assert.deepStrictEqual(faults({}), [])
    assert.deepStrictEqual(faults({ policies: [] }), [
      `${at}.policies: Required value: must specify at least one Policy`
    ])
    assert.deepStrictEqual(faults({ selectPolicy: "" }), [
      `${at}.selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"`
    ])
  })

  it("measures a standard resource of a container", () => {
    const target = { type: "Utilization", averageUtilization: 5 }
    const metric = (name: string) => [
      { type: "ContainerResource", containerResource: { name, container: "c", target } }
    ]
    assert.deepStrictEqual(faults({}, metric("cpu")), [])
    assert.deepStrictEqual(faults({}, metric("a.b/c")), [])
    assert.lengthOf(faults({}, metric("requests.a.b/c")), 1)
    const name = "spec.metrics[0].containerResource.name"
    assert.deepStrictEqual(faults({}, metric("x")), [
      `${name}: Invalid value: "x": must be a standard resource type or fully qualified`,
      `${name}: Invalid value: "x": must be a standard resource for containers`
    ])
  })
})

describe("the affinity of a PersistentVolume", () => {
  it("is shown as Go's structs", () => {
    const source = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } }
    const affine = (required: object) => ({ spec: { ...source, nodeAffinity: { required } } })
    const term = { matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] }
    assert.strictEqual(
      updateFaults("PersistentVolume", affine({}), affine({ nodeSelectorTerms: [term] })).at(-1),
      `nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":null}}: ${immutable}, except for updating from beta label to GA`
    )
  })
})

describe("the key of an affinity of a PersistentVolume", () => {
  const source = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } }
  const keyed = (key: string) => ({
    spec: {
      ...source,
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["v"] }] }] }
      }
    }
  })
  const refused = (key: string, old: string) =>
    updateFaults("PersistentVolume", keyed(key), keyed(old)).filter((fault) => fault.includes(immutable)).length > 0

  it("may become today's name of a beta label, and never the other way", () => {
    assert.isFalse(refused("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"))
    assert.isTrue(refused("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"))
    assert.isTrue(refused("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"))
    assert.isTrue(refused("k", "j"))
  })

  it("may become empty where no label replaced it", () => {
    assert.isFalse(refused("", "k"))
    assert.isTrue(refused("", "failure-domain.beta.kubernetes.io/zone"))
  })
})

describe("the target of a HorizontalPodAutoscaler", () => {
  const target = (kind: string, apiVersion?: string) => ({
    spec: { maxReplicas: 3, scaleTargetRef: { kind, name: "t", ...(apiVersion === undefined ? {} : { apiVersion }) } }
  })
  const changed = (next: object, old: object) => updateFaults("HorizontalPodAutoscaler", next, old)
  const fault = 'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'

  it("has a group when its type changes, whatever it had before", () => {
    assert.deepStrictEqual(changed(target("Deployment"), target("Deployment")), [])
    assert.deepStrictEqual(changed(target("Deployment"), target("ReplicationController", "v1")), [fault])
    assert.deepStrictEqual(changed(target("Deployment"), target("ReplicaSet")), [fault])
    assert.deepStrictEqual(changed(target("ReplicationController"), target("ReplicaSet", "apps/v1")), [])
  })
})
