import type { Pod, PodCondition } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { podNotReady } from "../../src/rules.ts"

const NOW = "2026-01-01T00:01:00Z"

const podOf = (...conditions: ReadonlyArray<PodCondition>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [] },
  status: { phase: "Running", conditions }
})

describe("a pod of a node that is not ready", () => {
  it("is not Ready from then on, and everything else about it stays", () => {
    const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }
    const ready: PodCondition = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }
    const pod = podOf(scheduled, ready)
    assert.deepStrictEqual(
      podNotReady(pod, NOW),
      podOf(scheduled, { ...ready, status: "False", lastTransitionTime: NOW })
    )
    assert.deepStrictEqual(pod, podOf(scheduled, ready))
    assert.deepInclude(podNotReady(podOf({ type: "Ready", status: "Unknown" }), NOW)?.status?.conditions?.[0], {
      status: "False"
    })
  })

  it("is not written where it says nothing of Ready, or says False", () => {
    assert.isUndefined(podNotReady(podOf({ type: "Ready", status: "False" }), NOW))
    assert.isUndefined(podNotReady(podOf({ type: "PodScheduled", status: "True" }), NOW))
    assert.isUndefined(podNotReady({ ...podOf(), status: {} }, NOW))
    const { status: _, ...bare } = podOf()
    assert.isUndefined(podNotReady(bare, NOW))
  })
})
