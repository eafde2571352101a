import type { ContainerStatus, Pod, PodDisruptionBudget } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { whyItHolds, whyUncounted } from "../src/plan/explainBudget.ts"
import { type PlannedPod, plannedPod } from "../src/plan/PlannedPod.ts"

const containerOf = (more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: "c",
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  ...more
})

const podOf = (name: string, status: Pod["status"] | "none", metadata: Partial<Pod["metadata"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name, ...metadata },
  spec: { nodeName: "n2", containers: [] },
  ...(status === "none" || status === undefined ? {} : { status })
})

const ready = podOf("a", { phase: "Running", conditions: [{ type: "Ready", status: "True" }] })

const budgetOf = (status: Partial<NonNullable<PodDisruptionBudget["status"]>>): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 5, ...status }
})

const others = (...pods: ReadonlyArray<PlannedPod>): string => whyItHolds(ready, budgetOf({}), pods)

describe("which pods a budget lacks", () => {
  const text = (status: Pod["status"] | "none") => others(plannedPod(podOf("b", status)))

  it("tells why one is not ready, as far as its status says", () => {
    const head = "Of its pods, default/b on n2 is not ready"
    const waiting = { waiting: { reason: "ImagePullBackOff" } }
    const conditions = [
      { type: "PodScheduled", status: "True" as const, reason: "Scheduled" },
      { type: "Ready", status: "False" as const, reason: "ContainersNotReady" }
    ]
    assert.strictEqual(text("none"), `${head} (Pending).`)
    assert.strictEqual(text({}), `${head} (Pending).`)
    assert.strictEqual(text({ phase: "Running" }), `${head} (Running).`)
    assert.strictEqual(text({ phase: "Running", conditions }), `${head} (ContainersNotReady).`)
    // The first container that waits, also behind some that do not.
    const containerStatuses = [
      containerOf({ restartCount: 1 }),
      containerOf({ state: {} }),
      containerOf({ state: { waiting: {} } }),
      containerOf({ state: waiting })
    ]
    assert.strictEqual(
      text({ phase: "Running", conditions, containerStatuses }),
      `${head} (ImagePullBackOff, 1 restart).`
    )
    const none = [containerOf({ state: {}, restartCount: 2 }), containerOf({ restartCount: 1 })]
    assert.strictEqual(text({ phase: "Running", containerStatuses: none }), `${head} (Running, 3 restarts).`)
  })

  it("tells those that terminate, or have no node, from those that fit nowhere", () => {
    const pod = podOf("b", { phase: "Pending" })
    const planned = { ...plannedPod(pod), node: undefined }
    assert.strictEqual(others({ ...plannedPod(pod), isTerminating: true }), "Of its pods, default/b is terminating.")
    assert.strictEqual(others(planned), "Of its pods, default/b has no node.")
    assert.strictEqual(others({ ...planned, message: "full" }), "Of its pods, default/b fits nowhere.")
  })

  it("says of a replacement that was ready once why it is not ready now", () => {
    const replacement = { ...plannedPod(podOf("b", { phase: "Running" }), "default/old"), readyAt: 7 }
    assert.strictEqual(
      others(replacement),
      "Of its pods, what comes in place of default/old on n2 is not ready (Running)."
    )
  })

  it("names three, and counts the others", () => {
    const unready = (count: number) =>
      Array.from({ length: count }, (_, index) => plannedPod(podOf(`p${index}`, { phase: "Running" })))
    const named = [0, 1, 2].map((index) => `default/p${index} on n2 is not ready (Running)`).join("; ")
    assert.strictEqual(others(...unready(3)), `Of its pods, ${named}.`)
    assert.strictEqual(others(...unready(5)), `Of its pods, ${named}; and 2 more.`)
  })

  it("leaves out the pod itself, and those that are healthy or have ended", () => {
    const done = plannedPod(podOf("b", { phase: "Succeeded" }))
    assert.strictEqual(others(plannedPod(ready), { ...plannedPod(ready), healthy: false }, done), "")
  })
})

describe("why a budget never lets a pod go", () => {
  it("is its controller, which says why it failed if it can", () => {
    const why = (condition: object) =>
      whyItHolds(
        ready,
        budgetOf({
          desiredHealthy: 0,
          conditions: [
            { type: "Other", status: "True" },
            { type: "DisruptionAllowed", status: "False", ...condition }
          ]
        }),
        []
      )
    const failed = "Its controller cannot tell how many pods it needs"
    assert.strictEqual(why({ reason: "SyncFailed" }), `${failed}, and allows nothing until it can.`)
    assert.strictEqual(
      why({ reason: "SyncFailed", message: "no scale" }),
      `${failed} (no scale), and allows nothing until it can.`
    )
    assert.strictEqual(why({ reason: "InsufficientPods", message: "x" }), "")
  })

  it("is that it needs all of them, and that one is missing", () => {
    const why = whyItHolds(ready, budgetOf({ desiredHealthy: 3, expectedPods: 3 }), [
      plannedPod(podOf("b", { phase: "Running" }))
    ])
    assert.strictEqual(
      why,
      "The budget needs every one of the 3 pods that there should be, so it never spares one: one more replica would help, or a budget that can. Of its pods, default/b on n2 is not ready (Running)."
    )
  })

  it("is that it has not been counted yet", () => {
    const { status: _, ...uncounted } = budgetOf({})
    assert.include(whyItHolds(ready, uncounted, []), "The budget needs every one of the 0 pods")
  })
})

describe("why a pod goes past its budget uncounted", () => {
  const crashing = podOf("a", { phase: "Running", containerStatuses: [containerOf({ restartCount: 1 })] })

  it("is that it runs, but is not ready", () => {
    assert.strictEqual(
      whyUncounted(crashing, budgetOf({ currentHealthy: 2 })),
      "It is not ready (Running, 1 restart), so budget web lets it go and counts nothing: the budget needs 2 healthy pods and has 2 without it."
    )
  })

  // Upstream: pkg/registry/core/pod/storage/eviction.go, canIgnorePDB.
  it("needs no reason where no budget is asked: pods that have not begun, have ended, or are being deleted", () => {
    assert.isUndefined(whyUncounted(ready, budgetOf({})))
    assert.isUndefined(whyUncounted(podOf("a", "none"), budgetOf({})))
    assert.isUndefined(whyUncounted(podOf("a", { phase: "Pending" }), budgetOf({})))
    assert.isUndefined(whyUncounted(podOf("a", { phase: "Failed" }), budgetOf({})))
    const going = podOf("a", { phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" })
    assert.isUndefined(whyUncounted(going, budgetOf({})))
  })
})
