import { type Container, featureGatesOf, type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { podLevelStatus } from "../../src/allocation/podLevelStatus.ts"

const gates = featureGatesOf(releases["1.36"])

const container = (name: string, limits?: Record<string, string>, requests = limits): Container => ({
  name,
  ...(limits === undefined && requests === undefined
    ? {}
    : { resources: { ...(limits && { limits }), ...(requests && { requests }) } })
})

const statusOf = (phase: string, containers: ReadonlyArray<Container>, resources?: Pod["spec"]["resources"]) =>
  podLevelStatus(
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers, ...(resources && { resources }) },
      status: { phase: phase as "Running" }
    },
    undefined,
    gates
  )

const small = { cpu: "100m", memory: "64Mi" }
const twice = { cpu: "200m", memory: "128Mi" }

describe("the resources in the status of a pod as a whole", () => {
  it("are empty without requests and limits", () => {
    for (const phase of ["Pending", "Running"])
      assert.deepStrictEqual(statusOf(phase, [container("a")]), { resources: {} })
  })

  it("are the sums of the containers", () => {
    const expected = { allocatedResources: twice, resources: { limits: twice, requests: twice } }
    for (const phase of ["Pending", "Running"]) {
      assert.deepStrictEqual(statusOf(phase, [container("a", small), container("b", small)]), expected)
    }
  })

  it("have limits of a running pod only if all its containers have them, or the pod as a whole", () => {
    const some = [container("a", { cpu: "100m" }), container("b")]
    const requests = { cpu: "100m" }
    const allocatedResources = requests
    assert.deepStrictEqual(statusOf("Pending", some), { allocatedResources, resources: { limits: requests, requests } })
    assert.deepStrictEqual(statusOf("Running", some), { allocatedResources, resources: { requests } })
    const whole = statusOf("Running", some, { limits: { cpu: "1" }, requests: { cpu: "500m" } })
    const resources = { limits: { cpu: "1" }, requests: { cpu: "500m" } }
    assert.deepStrictEqual(whole, { allocatedResources: { cpu: "500m" }, resources })
  })

  it("are absent in releases without them", () => {
    const former = featureGatesOf(releases["1.35"])
    const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [container("a", small)] } }
    assert.deepStrictEqual(podLevelStatus(pod, undefined, former), {})
  })
})
