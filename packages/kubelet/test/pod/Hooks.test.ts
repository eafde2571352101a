import { type Container, getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { lifecycleFromStatuses } from "../../src/pod/ContainerLifecycle.ts"
import { createPod, initContainer, makeRecorder, phaseOf, startKubelet, states, statusOf } from "./lifeOf.ts"

const withPostStart = (postStart: NonNullable<NonNullable<Container["lifecycle"]>["postStart"]>): Container => ({
  name: "c",
  image: "app",
  lifecycle: { postStart }
})

describe("a postStart hook", () => {
  it("delays what is seen of its container, and the start of the next one", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const containers = [withPostStart({ sleep: { seconds: 8 } }), { name: "d", image: "app" }]
    createPod(testNode, "a", { containers })
    testNode.untilMs(13_999)
    assert.strictEqual(states(testNode, "a"), "c ContainerCreating, d ContainerCreating")
    assert.strictEqual(events.filter((event) => event.includes("Started")).length, 1)
    testNode.untilMs(14_000)
    assert.strictEqual(states(testNode, "a"), "c running, d running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.state?.running?.startedAt, "2026-01-01T00:00:06Z")
    assert.isTrue(statusOf(testNode, "a", "c")?.ready)
  })

  it("that fails ends its container, which is restarted", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { containers: [withPostStart({ exec: { command: ["false"] } })] })
    // It has started at 6 s, ends at 7 s, and starts again at 7.5 s.
    testNode.untilMs(7_000)
    assert.strictEqual(states(testNode, "a"), "c PostStartHookError")
    const { message = "" } = statusOf(testNode, "a", "c")?.state?.waiting ?? {}
    assert.match(
      message,
      /^Exec lifecycle hook \(\[false\]\) for Container "c" in Pod "a_default\(.+\)" failed - error: /
    )
    assert.includeMembers(events, [
      "Warning FailedPostStartHook PostStartHook failed",
      "Normal Killing FailedPostStartHook"
    ])
    // The pod is synced twice: for the start and for the end, which the next relist shows.
    testNode.untilMs(9_000)
    assert.strictEqual(states(testNode, "a"), "c PostStartHookError")
    testNode.untilMs(10_000)
    assert.strictEqual(states(testNode, "a"), "c CrashLoopBackOff")
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 1)
  })
})

describe("a container whose exit restarts all", () => {
  it("restarts the pod in place, init containers first, without a back-off", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const watcher: Container = {
      name: "w",
      image: "app",
      restartPolicy: "Never",
      restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [88] } }]
    }
    createPod(testNode, "a", {
      restartPolicy: "Never",
      initContainers: [initContainer("i")],
      containers: [{ name: "c", image: "app" }, watcher],
      behaviour: {
        i: { exitAfterSeconds: 3 },
        c: { stopSeconds: 60 },
        w: { exitAfterSeconds: 10, exitCode: 88, exitTimes: 1 }
      }
    })
    const restarting = () => getPodCondition(testNode.api.pod("a")?.status, "AllContainersRestarting")
    testNode.untilMs(18_999)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running, w running")
    assert.strictEqual(restarting()?.status, "False")
    testNode.untilMs(19_500)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running, w ended 88")
    assert.strictEqual(restarting()?.reason, "RestartAllContainersStarted")
    assert.include(events, "Normal Killing killing")
    // It has no grace period, but the two seconds that every container has.
    testNode.untilMs(21_000)
    assert.strictEqual(states(testNode, "a"), "i running, c RestartingAllContainers, w RestartingAllContainers")
    assert.strictEqual(restarting()?.status, "False")
    assert.strictEqual(getPodCondition(testNode.api.pod("a")?.status, "Initialized")?.status, "True")
    assert.strictEqual(phaseOf(testNode, "a"), "Pending", "its init container runs again")
    testNode.untilMs(24_000)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running, w running")
    for (const name of ["i", "c", "w"]) {
      const status = statusOf(testNode, "a", name)
      assert.strictEqual(status?.restartCount, 1)
      assert.strictEqual(status?.lastState?.terminated?.reason, "RestartingAllContainers")
    }
    testNode.untilMs(60_000)
    assert.strictEqual(statusOf(testNode, "a", "w")?.restartCount, 1)
  })
})

describe("a kubelet that takes over a pod whose containers are all being restarted", () => {
  it("goes on with that", () => {
    const pod = (status: "True" | "False"): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      spec: { containers: [{ name: "c" }] },
      status: { conditions: [{ type: "AllContainersRestarting", status }] }
    })
    assert.isTrue(lifecycleFromStatuses(pod("True"), [], 0).restartsAll)
    assert.isFalse(lifecycleFromStatuses(pod("False"), [], 0).restartsAll)
  })
})
