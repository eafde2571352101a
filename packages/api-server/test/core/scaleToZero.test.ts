import { assert, describe, it } from "@effect/vitest"
import type { HorizontalPodAutoscaler } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import { makeTestServer } from "./testServer.ts"

const autoscaler = (type: "External" | "Resource"): HorizontalPodAutoscaler => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 0,
    maxReplicas: 3,
    metrics: [
      type === "External"
        ? { type, external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "2" } } }
        : { type, resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
    ]
  }
})

/** Creates an object; returns why it is refused, or nothing. */
const messageOf = (scalesToZero: boolean, object: object, kind: AnyKind = "HorizontalPodAutoscaler"): string => {
  const server = makeTestServer({ scalesToZero })
  try {
    server.ask({ verb: "create", kind, namespace: "default", object })
    return ""
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe("HPAScaleToZero", () => {
  it("allows no replicas, with a metric that needs none", () => {
    assert.strictEqual(messageOf(true, autoscaler("External")), "")
    assert.match(messageOf(true, autoscaler("Resource")), /must specify at least one Object or External metric/)
  })

  it("is off by default", () => {
    const refusal = /spec\.minReplicas: Invalid value: 0: must be greater than or equal to 1/
    assert.match(messageOf(false, autoscaler("External")), refusal)
  })

  it("holds for autoscaling/v1 too", () => {
    const { spec } = autoscaler("External")
    const metrics = JSON.stringify([{ type: "External", external: { metricName: "queue", targetAverageValue: "2" } }])
    const annotations = { "autoscaling.alpha.kubernetes.io/metrics": metrics }
    const v1 = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "default", annotations },
      spec: { scaleTargetRef: spec.scaleTargetRef, minReplicas: 0, maxReplicas: 3 }
    }
    const kind = "HorizontalPodAutoscaler.autoscaling/v1" as const
    assert.strictEqual(messageOf(true, v1, kind), "")
    assert.match(messageOf(false, v1, kind), /must be greater than or equal to 1/)
  })
})
