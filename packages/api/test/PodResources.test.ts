import { assert, describe, it } from "vitest"
import { computeQosClass, formatAmounts, type Pod, podLimits, podRequests, qosClassOf } from "../src/index.ts"

const pod = (spec: Pod["spec"], status?: Pod["status"]): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec,
  ...(status === undefined ? {} : { status })
})

describe("pod resources", () => {
  it("of an init container that starts after a sidecar count beside it", () => {
    const spec: Pod["spec"] = {
      containers: [{ name: "main", resources: { requests: { cpu: "1" } } }],
      initContainers: [
        { name: "early", resources: { requests: { cpu: "4" } } },
        { name: "side", restartPolicy: "Always", resources: { requests: { cpu: "2" } } },
        { name: "late", resources: { requests: { cpu: "3" } } }
      ]
    }
    assert.deepStrictEqual(formatAmounts(podRequests(pod(spec))), { cpu: "5" })
  })

  it("at pod level replace cpu, memory and huge pages, and nothing else", () => {
    const spec: Pod["spec"] = {
      containers: [{ name: "c", resources: { requests: { cpu: "1", "example.com/gpu": "1" } } }],
      resources: { requests: { cpu: "3", "hugepages-2Mi": "4Mi", "example.com/gpu": "9" } }
    }
    assert.deepStrictEqual(formatAmounts(podRequests(pod(spec))), {
      cpu: "3",
      "example.com/gpu": "1",
      "hugepages-2Mi": "4Mi"
    })
  })

  it("limits take the resized ones from the status", () => {
    const spec: Pod["spec"] = { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] }
    const status: Pod["status"] = { containerStatuses: [{ name: "c", resources: { limits: { cpu: "2" } } }] }
    assert.deepStrictEqual(formatAmounts(podLimits(pod(spec, status), { useStatusResources: true })), { cpu: "2" })
    assert.deepStrictEqual(formatAmounts(podLimits(pod(spec, status))), { cpu: "1" })
  })

  it("do not change the pod", () => {
    const requests = Object.freeze({ cpu: "1" })
    const frozen = pod({
      containers: [
        { name: "a", resources: { requests } },
        { name: "b", resources: { requests } }
      ]
    })
    assert.deepStrictEqual(formatAmounts(podRequests(frozen)), { cpu: "2" })
    assert.deepStrictEqual(formatAmounts(podRequests(frozen)), { cpu: "2" })
  })
})

describe("QoS", () => {
  it("is BestEffort under an empty pod-level object, whatever containers ask for", () => {
    const spec: Pod["spec"] = { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }], resources: {} }
    assert.strictEqual(computeQosClass(pod(spec)), "BestEffort")
    assert.strictEqual(computeQosClass(pod(spec), { podLevelResources: false }), "Burstable")
  })

  it("in the status takes precedence over the computed one", () => {
    const noted = pod({ containers: [{ name: "c" }] }, { qosClass: "Guaranteed" })
    assert.strictEqual(qosClassOf(noted), "Guaranteed")
    assert.strictEqual(computeQosClass(noted), "BestEffort")
  })
})
