import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { terminatedStatus } from "../src/index.ts"
import { bucketIndexOf } from "../src/plan/groupByPriority.ts"
import { groupByPriority, killGrace, killTimeoutSeconds, planShutdown } from "../src/rules.ts"

const NOW = "2026-01-01T00:00:00Z"
const MESSAGE = "Pod was terminated in response to imminent node shutdown."

describe("the status of a pod that a shutdown terminated", () => {
  it("has phase Failed, unless it had succeeded, and a reason", () => {
    const status = terminatedStatus({ phase: "Running", podIP: "10.0.0.1" }, NOW)
    assert.deepStrictEqual(status, {
      phase: "Failed",
      podIP: "10.0.0.1",
      reason: "Terminated",
      message: MESSAGE,
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "TerminationByKubelet",
          message: MESSAGE,
          lastTransitionTime: NOW
        }
      ]
    })
    assert.strictEqual(terminatedStatus({ phase: "Succeeded" }, NOW).phase, "Succeeded")
  })

  it("carries the pod's generation where that is tracked", () => {
    assert.strictEqual(terminatedStatus({}, NOW, 3).conditions?.[0]?.observedGeneration, 3)
    assert.notProperty(terminatedStatus({}, NOW).conditions?.[0] ?? {}, "observedGeneration")
  })
})

const pod = (priority: number, terminationGracePeriodSeconds?: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `p${priority}` },
  spec: {
    containers: [],
    priority,
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds })
  }
})

describe("which bucket serves a pod", () => {
  const buckets = [10, 20, 20, 30].map((priority) => ({ priority, shutdownGracePeriodSeconds: 1 }))

  it("is the last at or below its priority, or the first", () => {
    assert.deepStrictEqual(
      [5, 10, 15, 20, 25, 30, 35].map((priority) => bucketIndexOf(buckets, priority)),
      [0, 0, 0, 1, 2, 3, 3]
    )
  })

  it("is none without buckets", () => assert.deepStrictEqual(groupByPriority([], [pod(1)]), []))
})

describe("the grace period of a kill", () => {
  it("is the pod's own if that fits, else the bucket's", () => {
    assert.deepStrictEqual([killGrace(pod(0), 10), killGrace(pod(0, 5), 10), killGrace(pod(0, 30), 10)], [10, 5, 10])
  })

  it("times 1.5 is how long a kill is waited for, at least ten seconds", () => {
    assert.deepStrictEqual([0, 6, 7, 11, 30].map(killTimeoutSeconds), [10, 10, 10, 16, 45])
  })
})

describe("a plan", () => {
  it("overrides a delay of logind that is shorter than it asks for", () => {
    const config = {
      shutdownGracePeriodMs: 10_000,
      shutdownGracePeriodCriticalPodsMs: 0,
      shutdownGracePeriodByPodPriority: [],
      featureGates: { GracefulNodeShutdown: true, GracefulNodeShutdownBasedOnPodPriority: true }
    }
    const overrides = [9, 10, 11].map(
      (inhibitDelaySeconds) => planShutdown(config, [], { inhibitDelaySeconds }).overridesDelay
    )
    assert.deepStrictEqual(overrides, [true, false, false])
  })
})
