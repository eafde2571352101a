import type { ContainerStatus, Pod, PodDisruptionBudget } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { explainRefusal, explainUncounted } from "../src/plan/explainBudget.ts"
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

const readyPod = podOf("a", { phase: "Running", conditions: [{ type: "Ready", status: "True" }] })

const budgetOf = (status: Partial<NonNullable<PodDisruptionBudget["status"]>>): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 5, ...status }
})

const explainWithOthers = (...pods: ReadonlyArray<PlannedPod>): string => explainRefusal(readyPod, budgetOf({}), pods)

describe("the unhealthy pods of a budget", () => {
  const text = (status: Pod["status"] | "none") => explainWithOthers(plannedPod(podOf("b", status)))

  it("are listed with the reason that their status gives", () => {
    const head = "Unhealthy pods: default/b on n2 is not ready"
    const waiting = { waiting: { reason: "ImagePullBackOff" } }
    const conditions = [
      { type: "PodScheduled", status: "True" as const, reason: "Scheduled" },
      { type: "Ready", status: "False" as const, reason: "ContainersNotReady" }
    ]
    assert.strictEqual(text("none"), `${head} (Pending).`)
    assert.strictEqual(text({}), `${head} (Pending).`)
    assert.strictEqual(text({ phase: "Running" }), `${head} (Running).`)
    assert.strictEqual(text({ phase: "Running", conditions }), `${head} (ContainersNotReady).`)
    // The first waiting container, also after some that do not wait.
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

  it("differ by whether they terminate, have no node, or fit on none", () => {
    const pod = podOf("b", { phase: "Pending" })
    const planned = { ...plannedPod(pod), node: undefined }
    assert.strictEqual(
      explainWithOthers({ ...plannedPod(pod), isTerminating: true }),
      "Unhealthy pods: default/b is terminating."
    )
    assert.strictEqual(explainWithOthers(planned), "Unhealthy pods: default/b has no node.")
    assert.strictEqual(explainWithOthers({ ...planned, message: "full" }), "Unhealthy pods: default/b fits on no node.")
  })

  it("include a replacement that is no longer ready, with the reason", () => {
    const replacement = { ...plannedPod(podOf("b", { phase: "Running" }), "default/old"), readyAt: 7 }
    assert.strictEqual(
      explainWithOthers(replacement),
      "Unhealthy pods: the replacement of default/old on n2 is not ready (Running)."
    )
  })

  it("are named up to three, then counted", () => {
    const unready = (count: number) =>
      Array.from({ length: count }, (_, index) => plannedPod(podOf(`p${index}`, { phase: "Running" })))
    const named = [0, 1, 2].map((index) => `default/p${index} on n2 is not ready (Running)`).join("; ")
    assert.strictEqual(explainWithOthers(...unready(3)), `Unhealthy pods: ${named}.`)
    assert.strictEqual(explainWithOthers(...unready(5)), `Unhealthy pods: ${named}; and 2 more.`)
  })

  it("exclude the pod itself, and healthy or terminated ones", () => {
    const done = plannedPod(podOf("b", { phase: "Succeeded" }))
    assert.strictEqual(explainWithOthers(plannedPod(readyPod), { ...plannedPod(readyPod), healthy: false }, done), "")
  })
})

describe("why a budget never permits an eviction", () => {
  it("is its controller's failure, with the reason if there is one", () => {
    const why = (condition: object) =>
      explainRefusal(
        readyPod,
        budgetOf({
          desiredHealthy: 0,
          conditions: [
            { type: "Other", status: "True" },
            { type: "DisruptionAllowed", status: "False", ...condition }
          ]
        }),
        []
      )
    const failed = "The disruption controller cannot compute how many pods it needs"
    assert.strictEqual(why({ reason: "SyncFailed" }), `${failed}, and allows no disruption until it can.`)
    assert.strictEqual(
      why({ reason: "SyncFailed", message: "no scale" }),
      `${failed} (no scale), and allows no disruption until it can.`
    )
    assert.strictEqual(why({ reason: "InsufficientPods", message: "x" }), "")
  })

  it("is that it requires all pods, and that one is unhealthy", () => {
    const why = explainRefusal(readyPod, budgetOf({ desiredHealthy: 3, expectedPods: 3 }), [
      plannedPod(podOf("b", { phase: "Running" }))
    ])
    assert.strictEqual(
      why,
      "The budget requires all 3 of its pods to be healthy, so it never permits an eviction: add a replica, or relax the budget. Unhealthy pods: default/b on n2 is not ready (Running)."
    )
  })

  it("is that it has not been counted yet", () => {
    const { status: _, ...uncounted } = budgetOf({})
    assert.include(explainRefusal(readyPod, uncounted, []), "The budget requires all 0 of its pods")
  })
})

describe("why a pod is evicted uncounted", () => {
  const crashing = podOf("a", { phase: "Running", containerStatuses: [containerOf({ restartCount: 1 })] })

  it("is that it runs, but is not ready", () => {
    assert.strictEqual(
      explainUncounted(crashing, budgetOf({ currentHealthy: 2 })),
      "It is not ready (Running, 1 restart), so budget web permits the eviction without counting it: the budget needs 2 healthy pods and has 2 without it."
    )
  })

  // Upstream: pkg/registry/core/pod/storage/eviction.go, canIgnorePDB.
  it("is undefined where budgets do not apply: pods that are pending, terminated, or being deleted", () => {
    assert.isUndefined(explainUncounted(readyPod, budgetOf({})))
    assert.isUndefined(explainUncounted(podOf("a", "none"), budgetOf({})))
    assert.isUndefined(explainUncounted(podOf("a", { phase: "Pending" }), budgetOf({})))
    assert.isUndefined(explainUncounted(podOf("a", { phase: "Failed" }), budgetOf({})))
    const going = podOf("a", { phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" })
    assert.isUndefined(explainUncounted(going, budgetOf({})))
  })
})
