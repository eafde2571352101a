import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf, type ObjectOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, object: object): ObjectOf<K> => {
  const metadata = { name: "a", namespace: "n", resourceVersion: "1" }
  return kindOf(kind).defaults(Effect.runSync(decodeObject(kind, { metadata, ...object })))
}

const faultsOf = (kind: KindName, spec: object): ReadonlyArray<string> =>
  kindOf(kind).validation.create(read(kind, { spec })).map(fieldErrorText)

// The messages are those of kube-apiserver v1.36.2 for the same objects.

describe("limit ranges", () => {
  const container = (lists: object) => ({ limits: [{ type: "Container", ...lists }] })
  const at = "spec.limits[0]"

  it("default the limits of containers to the maxima, and the requests to the limits, then to the minima", () => {
    const { spec } = read("LimitRange", { spec: container({ max: { cpu: "1.0001" }, min: { memory: "1Mi" } }) })
    assert.deepStrictEqual(spec?.limits?.[0], {
      type: "Container",
      max: { cpu: "1001m" },
      min: { memory: "1Mi" },
      default: { cpu: "1001m" },
      defaultRequest: { cpu: "1001m", memory: "1Mi" }
    })
    const ofPods = { limits: [{ type: "Pod", max: { cpu: "1" } }] }
    assert.deepStrictEqual(read("LimitRange", { spec: ofPods }).spec, ofPods)
  })

  it("have one item of each type, with names that it can have", () => {
    assert.deepStrictEqual(faultsOf("LimitRange", { limits: [{ type: "X" }] }), [
      `${at}.type: Invalid value: "X": must be a standard limit type or fully qualified`
    ])
    assert.deepStrictEqual(faultsOf("LimitRange", { limits: [{ type: "a/B" }, { type: "a/B" }] }), [
      'spec.limits[1].type: Duplicate value: "a/B"'
    ])
    assert.deepStrictEqual(faultsOf("LimitRange", container({ maxLimitRequestRatio: { storage: "1" } })), [
      `${at}.maxLimitRequestRatio[storage]: Invalid value: "storage": must be a standard resource for containers`
    ])
    assert.deepStrictEqual(faultsOf("LimitRange", { limits: [{ type: "PersistentVolumeClaim" }] }), [
      `${at}.limits: Required value: either minimum or maximum storage value is required, but neither was provided`
    ])
    assert.deepStrictEqual(faultsOf("LimitRange", { limits: [{ type: "Pod", default: { cpu: "1" } }] }), [
      `${at}.default: Forbidden: may not be specified when \`type\` is 'Pod'`
    ])
  })

  it("have amounts in order, and a ratio that these allow", () => {
    assert.deepStrictEqual(faultsOf("LimitRange", container({ max: { cpu: "1" }, default: { cpu: "2" } })), [
      `${at}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1`,
      `${at}.default[cpu]: Invalid value: "1": default value 2 is greater than max value 1`
    ])
    const ratio = { maxLimitRequestRatio: { cpu: "5" }, min: { cpu: "1" }, max: { cpu: "2" } }
    assert.deepStrictEqual(faultsOf("LimitRange", container(ratio)), [
      `${at}.maxLimitRequestRatio[cpu]: Invalid value: "5": ratio 5 is greater than max/min = 2.000000`
    ])
    assert.deepStrictEqual(faultsOf("LimitRange", container({ maxLimitRequestRatio: { cpu: "500m" } })), [
      `${at}.maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1`
    ])
  })
})

describe("resource quotas", () => {
  it("count standard resources, and qualified ones", () => {
    const hard = { cpu: "1", "count/deployments.apps": "4", "requests.nvidia.com/gpu": "1", "hugepages-2Mi": "2Mi" }
    assert.deepStrictEqual(faultsOf("ResourceQuota", { hard }), [])
    assert.deepStrictEqual(faultsOf("ResourceQuota", { hard: { foo: "1" } }), [
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota'
    ])
    assert.deepStrictEqual(faultsOf("ResourceQuota", { hard: { storage: "1", pods: "1500m" } }), [
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer'
    ])
  })

  it("have scopes that fit the resources and each other, and never change", () => {
    assert.deepStrictEqual(faultsOf("ResourceQuota", { scopes: ["X"] }), [
      'spec.scopes: Invalid value: ["X"]: unsupported scope'
    ])
    const scopes = ["BestEffort", "NotBestEffort"]
    assert.deepStrictEqual(faultsOf("ResourceQuota", { scopes, hard: { secrets: "1" } }), [
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'
    ])
    const { update } = kindOf("ResourceQuota").validation
    const changed = update(read("ResourceQuota", { spec: { scopes: ["BestEffort"] } }), read("ResourceQuota", {}))
    assert.deepStrictEqual(changed.map(fieldErrorText), [
      'spec.scopes: Invalid value: ["BestEffort"]: field is immutable'
    ])
  })

  it("select scopes by operators", () => {
    const at = "spec.scopeSelector.matchExpressions"
    const faults = (...matchExpressions: ReadonlyArray<object>) =>
      faultsOf("ResourceQuota", { scopeSelector: { matchExpressions } })
    assert.deepStrictEqual(faults({ scopeName: "PriorityClass", operator: "In", values: ["a"] }), [])
    assert.deepStrictEqual(faults({ scopeName: "PriorityClass", operator: "In" }), [
      `${at}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`
    ])
    assert.deepStrictEqual(faults({ scopeName: "X", operator: "Y" }), [
      `${at}.scopeName: Invalid value: "X": unsupported scope`,
      `${at}.operator: Invalid value: "Y": not a valid selector operator`
    ])
    assert.deepStrictEqual(faults({ scopeName: "BestEffort", operator: "DoesNotExist" }), [
      `${at}.operator: Invalid value: "DoesNotExist": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`
    ])
  })

  it("warn of requests above the limits", () => {
    const quota = read("ResourceQuota", { spec: { hard: { memory: "3", "limits.memory": "2" } } })
    assert.deepStrictEqual(kindOf("ResourceQuota").warnings?.(quota, undefined), [
      "ResourceQuota memory (3) should be less than limits.memory (2)"
    ])
  })
})

describe("replication controllers", () => {
  const containers = [{ name: "c", image: "i" }]

  it("default selector and labels to those of the pods", () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
    const { metadata, spec } = read("ReplicationController", { spec: { template } })
    assert.deepStrictEqual([metadata.labels, spec?.selector, spec?.replicas], [{ a: "b" }, { a: "b" }, 1])
    assert.deepStrictEqual(faultsOf("ReplicationController", { template }), [])
  })

  it("require a selector that matches the template", () => {
    assert.deepStrictEqual(faultsOf("ReplicationController", {}), [
      "spec.selector: Required value",
      "spec.template: Required value"
    ])
    const template = { metadata: { labels: { a: "b" } }, spec: { containers, activeDeadlineSeconds: 3 } }
    assert.deepStrictEqual(faultsOf("ReplicationController", { template, selector: { a: "c" }, replicas: -1 }), [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported"
    ])
  })
})
