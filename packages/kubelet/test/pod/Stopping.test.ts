import { type Container, getPodCondition, type PodStatus } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { createPod, makeRecorder, sidecarContainer, startKubelet, statusOf } from "./lifeOf.ts"

const withPreStop = (name: string, command: ReadonlyArray<string>): Container => ({
  name,
  image: "app",
  lifecycle: { preStop: { exec: { command } } }
})

const aboutHooks = (events: ReadonlyArray<string>) => events.filter((event) => event.includes("PreStop"))

describe("a preStop hook that fails", () => {
  it("is an Event when it ends, and does not keep its container", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const containers = [withPreStop("c", ["sh", "-c", "sleep 3; exit 1"]), withPreStop("d", ["sleep", "2"])]
    createPod(testNode, "a", { containers, terminationGracePeriodSeconds: 20 })
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 20)
    testNode.untilMs(12_999)
    assert.deepStrictEqual(aboutHooks(events), [])
    testNode.untilMs(13_000)
    assert.deepStrictEqual(aboutHooks(events), ["Warning FailedPreStopHook PreStopHook failed"])
    testNode.untilMs(14_000)
    assert.isUndefined(testNode.api.pod("a"))
  })

  it("is one by its behaviour too, also of a sidecar", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const lifecycle = { preStop: { httpGet: { path: "/bye", port: 80 } } }
    createPod(testNode, "a", {
      initContainers: [{ ...sidecarContainer("s"), lifecycle }],
      behaviour: { s: { preStop: "fail" } }
    })
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 20)
    testNode.untilMs(20_000)
    assert.deepStrictEqual(aboutHooks(events), ["Warning FailedPreStopHook PreStopHook failed"])
  })

  it("is none when the grace period is over before, and none of a kubelet that has ended", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { containers: [withPreStop("c", ["sh", "-c", "sleep 30; exit 1"])] })
    createPod(testNode, "b", { containers: [withPreStop("c", ["sh", "-c", "sleep 5; exit 1"])] })
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 10)
    testNode.api.deletePod("b", 10)
    testNode.untilMs(12_000)
    testNode.kubelet.stopKubelet()
    testNode.untilMs(60_000)
    assert.deepStrictEqual(aboutHooks(events), [])
  })

  it("is an Event of a container that its liveness probe stops", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const livenessProbe = { exec: { command: ["true"] }, periodSeconds: 1, failureThreshold: 1 }
    createPod(testNode, "a", {
      containers: [{ ...withPreStop("c", ["false"]), livenessProbe }],
      behaviour: { c: { failsLivenessAtSeconds: 3 } }
    })
    testNode.untilMs(10_500)
    assert.lengthOf(aboutHooks(events), 1)
  })
})

describe("the readiness probe of a pod that is being stopped", () => {
  it("still decides whether it is ready", () => {
    const testNode = startKubelet()
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 2 }
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 }
    const behaviour = { c: { stopSeconds: 20, unreadyAtSeconds: 10, failsLivenessAtSeconds: 8 } }
    const containers = [{ name: "c", image: "app", readinessProbe, livenessProbe }]
    createPod(testNode, "a", { containers, behaviour })
    testNode.untilMs(12_000)
    testNode.api.deletePod("a", 30)
    testNode.untilMs(16_999)
    assert.isTrue(statusOf(testNode, "a", "c")?.ready)
    // It started at 6 s: its checks fail at 16 s and at 17 s.
    testNode.untilMs(17_000)
    assert.isFalse(statusOf(testNode, "a", "c")?.ready)
    assert.strictEqual(getPodCondition(testNode.api.pod("a")?.status, "Ready")?.status, "False")
    assert.isDefined(statusOf(testNode, "a", "c")?.state?.running, "its liveness probe has ended")
    testNode.untilMs(32_000)
    assert.isUndefined(testNode.api.pod("a"))
    const plans = testNode.plans()
    testNode.untilMs(39_000)
    assert.isAtMost(testNode.plans() - plans, 4, "nothing of the pod is planned any more")
  })
})

describe("the id of a container", () => {
  it("differs from those of the others of its pod", () => {
    const testNode = startKubelet()
    const containers = ["ab", "ba", "cd"].map((name): Container => ({ name, image: "app" }))
    createPod(testNode, "a", { containers })
    testNode.untilMs(10_000)
    const ids = containers.map(({ name }) => statusOf(testNode, "a", name)?.containerID ?? "")
    assert.strictEqual(new Set(ids).size, 3)
    for (const id of ids) assert.match(id, /^containerd:\/\/[0-9a-f]{64}$/)
  })
})

describe("a container that the kubelet stops because a probe fails", () => {
  const stateOf = (restartPolicy: "Always" | "Never" | "OnFailure", ofContainer?: "Always" | "Never" | "OnFailure") => {
    const testNode = startKubelet({})
    const livenessProbe = { exec: { command: ["false"] }, periodSeconds: 2, failureThreshold: 1 }
    const policy = ofContainer === undefined ? {} : { restartPolicy: ofContainer }
    const failing: Container = { name: "c", image: "app", livenessProbe, ...policy }
    createPod(testNode, "a", { restartPolicy, containers: [failing, { name: "d", image: "app" }] })
    testNode.untilMs(9_500)
    const { restartCount, state } = statusOf(testNode, "a", "c") ?? {}
    return state?.terminated === undefined ? `restarted ${restartCount}` : `ended ${state.terminated.exitCode}`
  }

  it("is restarted whatever its exit code is, unless the policy is Never", () => {
    assert.strictEqual(stateOf("Always"), stateOf("OnFailure"))
    assert.match(stateOf("OnFailure"), /^restarted [1-9]/)
    assert.strictEqual(stateOf("Never"), "ended 0")
    assert.strictEqual(stateOf("Always", "Never"), "ended 0")
    assert.match(stateOf("Never", "OnFailure"), /^restarted [1-9]/)
  })
})

describe("a container that ends as soon as it starts", () => {
  it("keeps its exit code when its pod is deleted meanwhile", () => {
    const testNode = startKubelet()
    createPod(testNode, "p", {
      containers: [{ name: "c", image: "busybox", command: ["/bin/false"] }],
      restartPolicy: "Never"
    })
    testNode.untilMs(5_500)
    testNode.api.deletePod("p")
    testNode.untilMs(20_000)
    const ends = testNode.api.asked("patch Pod/status").flatMap(({ request }) => {
      const { status = {} } = ("body" in request ? request.body : {}) as { readonly status?: PodStatus }
      return status.containerStatuses?.flatMap(({ state }) => state?.terminated?.exitCode ?? []) ?? []
    })
    assert.deepStrictEqual([...new Set(ends)], [1])
  })
})
