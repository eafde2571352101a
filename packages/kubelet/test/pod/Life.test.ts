import { getPodCondition } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime } from "../../src/index.ts"
import { annotationBehaviour } from "../../src/runtime/PodBehaviour.ts"
import {
  createPod,
  initContainer,
  makeRecorder,
  phaseOf,
  sidecarContainer,
  startKubelet,
  states,
  statusOf
} from "./lifeOf.ts"

describe("init containers", () => {
  it("run one after another, and then the regular ones", () => {
    const testNode = startKubelet()
    const behaviour = { i1: { exitAfterSeconds: 2 }, i2: { exitAfterSeconds: 3 } }
    createPod(testNode, "a", { initContainers: [initContainer("i1"), initContainer("i2")], behaviour })
    testNode.untilMs(6_000)
    assert.strictEqual(states(testNode, "a"), "i1 running, i2 PodInitializing, c PodInitializing")
    assert.strictEqual(phaseOf(testNode, "a"), "Pending")
    const pod = testNode.api.pod("a")?.status
    assert.strictEqual(getPodCondition(pod, "PodReadyToStartContainers")?.status, "True")
    assert.strictEqual(getPodCondition(pod, "Initialized")?.message, "containers with incomplete status: [i1 i2]")
    testNode.untilMs(8_000)
    assert.strictEqual(states(testNode, "a"), "i1 ended 0, i2 running, c PodInitializing")
    testNode.untilMs(10_999)
    assert.strictEqual(phaseOf(testNode, "a"), "Pending")
    testNode.untilMs(11_000)
    assert.strictEqual(states(testNode, "a"), "i1 ended 0, i2 ended 0, c running")
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    const { terminated } = statusOf(testNode, "a", "i2")?.state ?? {}
    assert.deepStrictEqual(
      [terminated?.startedAt, terminated?.finishedAt],
      ["2026-01-01T00:00:08Z", "2026-01-01T00:00:11Z"]
    )
    assert.strictEqual(getPodCondition(testNode.api.pod("a")?.status, "Initialized")?.status, "True")
  })

  it("that fail are tried again after a pause", () => {
    const testNode = startKubelet()
    const behaviour = { i: { startSeconds: 0, exitAfterSeconds: 1, exitCode: 1, exitTimes: 3 } }
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour })
    // Up at 6 s, 7 s and, after 10 s, at 18 s.
    testNode.untilMs(8_000)
    assert.strictEqual(states(testNode, "a"), "i ended 1, c PodInitializing")
    assert.strictEqual(phaseOf(testNode, "a"), "Pending")
    testNode.untilMs(18_000)
    assert.strictEqual(states(testNode, "a"), "i running, c PodInitializing")
    testNode.untilMs(38_999)
    assert.strictEqual(states(testNode, "a"), "i ended 1, c PodInitializing")
    testNode.untilMs(39_000)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running")
    assert.strictEqual(statusOf(testNode, "a", "i")?.restartCount, 3)
  })

  it("that fail are tried again at once by a kubelet that has been restarted, with the first pause after that", () => {
    const testNode = startKubelet()
    const behaviour = { i: { startSeconds: 0, exitAfterSeconds: 1, exitCode: 1 } }
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour })
    const restarts = () => statusOf(testNode, "a", "i")?.restartCount
    // Up at 6 s, 7 s and 18 s; it would be up again at 39 s.
    testNode.untilMs(20_000)
    assert.strictEqual(restarts(), 2)
    testNode.kubelet.stopKubelet()
    testNode.untilMs(21_000)
    testNode.kubelet.startKubelet()
    testNode.untilMs(22_000)
    assert.strictEqual(restarts(), 3)
    testNode.untilMs(31_999)
    assert.strictEqual(restarts(), 3)
    testNode.untilMs(32_000)
    assert.strictEqual(restarts(), 4)
  })

  it("that fail for good fail the pod", () => {
    const testNode = startKubelet()
    const behaviour = { i: { exitAfterSeconds: 1, exitCode: 3 } }
    createPod(testNode, "a", {
      restartPolicy: "Never",
      initContainers: [sidecarContainer("s"), initContainer("i")],
      behaviour
    })
    testNode.untilMs(6_999)
    assert.strictEqual(states(testNode, "a"), "s running, i running, c PodInitializing")
    testNode.untilMs(7_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Pending", "its sidecar still runs")
    testNode.untilMs(8_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.strictEqual(states(testNode, "a"), "s ended 0, i ended 3, c PodInitializing")
    testNode.untilMs(100_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
  })
})

describe("sidecars", () => {
  it("start in their order, before the regular containers, which wait for their startup probes", () => {
    const testNode = startKubelet()
    const startupProbe = { exec: { command: ["up"] }, periodSeconds: 2 }
    const behaviour = { s1: { startedAfterSeconds: 3 }, s2: { startSeconds: 1 } }
    createPod(testNode, "a", {
      initContainers: [{ ...sidecarContainer("s1"), startupProbe }, sidecarContainer("s2")],
      behaviour
    })
    testNode.untilMs(6_000)
    assert.strictEqual(states(testNode, "a"), "s1 running, s2 PodInitializing, c PodInitializing")
    testNode.untilMs(9_999)
    assert.isFalse(statusOf(testNode, "a", "s1")?.started)
    testNode.untilMs(10_000)
    assert.isTrue(statusOf(testNode, "a", "s1")?.started, "with the check at 4 s")
    testNode.untilMs(11_000)
    assert.strictEqual(states(testNode, "a"), "s1 running, s2 running, c running")
  })

  it("end after the regular ones, the last first", () => {
    const testNode = startKubelet()
    const behaviour = { c: { stopSeconds: 3 }, s1: { stopSeconds: 1 }, s2: { stopSeconds: 2 } }
    createPod(testNode, "a", { initContainers: [sidecarContainer("s1"), sidecarContainer("s2")], behaviour })
    testNode.untilMs(8_000)
    testNode.api.deletePod("a", 20)
    testNode.untilMs(13_999)
    assert.strictEqual(states(testNode, "a"), "s1 running, s2 running, c running", "reported when all have stopped")
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.isDefined(testNode.api.pod("a"))
    testNode.untilMs(14_000)
    assert.isUndefined(testNode.api.pod("a"))
  })

  it("come back whenever they end, and do not keep a job alive", () => {
    const testNode = startKubelet()
    const behaviour = { s: { exitAfterSeconds: 2, exitTimes: 1, exitCode: 9 }, c: { exitAfterSeconds: 5 } }
    createPod(testNode, "a", { restartPolicy: "Never", initContainers: [sidecarContainer("s")], behaviour })
    testNode.untilMs(8_500)
    assert.strictEqual(states(testNode, "a"), "s running, c running")
    assert.strictEqual(statusOf(testNode, "a", "s")?.restartCount, 1)
    testNode.untilMs(11_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.strictEqual(states(testNode, "a"), "s running, c ended 0")
    testNode.untilMs(12_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Succeeded")
  })
})

describe("probes", () => {
  const exec = { exec: { command: ["check"] } }

  it("make a container ready, and unready again", () => {
    const testNode = startKubelet()
    const readinessProbe = {
      ...exec,
      initialDelaySeconds: 3,
      periodSeconds: 2,
      failureThreshold: 2,
      successThreshold: 1
    }
    createPod(testNode, "a", {
      containers: [{ name: "c", image: "app", readinessProbe }],
      behaviour: { c: { readyAfterSeconds: 5, unreadyAtSeconds: 20, readyAgainAtSeconds: 31 } }
    })
    const ready = () => getPodCondition(testNode.api.pod("a")?.status, "Ready")?.status
    testNode.untilMs(11_999)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.strictEqual(ready(), "False")
    testNode.untilMs(12_000)
    assert.strictEqual(ready(), "True", "with the check at 6 s")
    testNode.untilMs(27_999)
    assert.strictEqual(ready(), "True")
    testNode.untilMs(28_000)
    assert.strictEqual(ready(), "False", "after those at 20 s and 22 s")
    testNode.untilMs(38_000)
    assert.strictEqual(ready(), "True")
  })

  it("that always pass need no timer after their first success", () => {
    const testNode = startKubelet()
    const probe = { ...exec, periodSeconds: 1 }
    createPod(testNode, "a", {
      containers: [{ name: "c", image: "app", livenessProbe: probe, readinessProbe: probe, startupProbe: probe }]
    })
    testNode.untilMs(6_000)
    assert.isTrue(statusOf(testNode, "a", "c")?.ready)
    const plans = testNode.plans()
    testNode.untilMs(9_500)
    assert.strictEqual(testNode.plans(), plans)
  })

  it("restart a container whose liveness probe fails", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const livenessProbe = { ...exec, periodSeconds: 5, failureThreshold: 2 }
    createPod(testNode, "a", {
      containers: [{ name: "c", image: "app", livenessProbe }],
      behaviour: { c: { failsLivenessAtSeconds: 7, stopSeconds: 60, startSeconds: 0 } },
      terminationGracePeriodSeconds: 4
    })
    events.length = 0
    // Checks at 10 s and 15 s of its life fail; it does not heed SIGTERM.
    testNode.untilMs(24_999)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 0)
    testNode.untilMs(25_000)
    assert.strictEqual(statusOf(testNode, "a", "c")?.lastState?.terminated?.exitCode, 137)
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 1)
    assert.deepStrictEqual(
      events.filter((event) => event.includes("Unhealthy") || event.includes("Killing")),
      [
        "Warning Unhealthy Liveness probe failed: ",
        "Warning Unhealthy Liveness probe failed: ",
        "Normal Killing Container c failed liveness probe, will be restarted"
      ]
    )
  })

  it("restart a container whose startup probe fails", () => {
    const testNode = startKubelet()
    const startupProbe = { ...exec, periodSeconds: 2, failureThreshold: 3 }
    createPod(testNode, "a", {
      containers: [{ name: "c", image: "app", startupProbe }],
      behaviour: { c: { startedAfterSeconds: 100 } }
    })
    testNode.untilMs(9_999)
    assert.isFalse(statusOf(testNode, "a", "c")?.started)
    // The third check fails at 10 s, it ends at 11 s and is up again at 11.5 s.
    testNode.untilMs(11_500)
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 1)
  })
})

describe("readiness gates", () => {
  it("keep a pod from being ready until their conditions are True, and then make it ready at once", () => {
    const testNode = startKubelet()
    const conditionType = "example.com/routed"
    createPod(testNode, "a", { readinessGates: [{ conditionType }] })
    testNode.untilMs(8_000)
    const ready = () => getPodCondition(testNode.api.pod("a")?.status, "Ready")
    assert.strictEqual(ready()?.reason, "ReadinessGatesNotReady")
    const body = { status: { conditions: [{ type: conditionType, status: "True" }] } }
    testNode.api.ask({
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name: "a",
      subresource: "status",
      patchType: "strategic",
      body
    })
    testNode.untilMs(8_001)
    assert.strictEqual(ready()?.status, "True")
  })
})

describe("images", () => {
  it("that cannot be pulled are tried again after 10 s, 20 s, and so on", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { behaviour: { c: { imagePullFailTimes: 2 } } })
    testNode.untilMs(7_000)
    assert.strictEqual(states(testNode, "a"), "c ErrImagePull")
    assert.strictEqual(phaseOf(testNode, "a"), "Pending")
    // The pod is synced again 10 s after each sync that has failed, and shows why.
    testNode.untilMs(17_000)
    assert.strictEqual(states(testNode, "a"), "c ImagePullBackOff")
    assert.include(statusOf(testNode, "a", "c")?.state?.waiting?.message ?? "", 'Back-off pulling image "app"')
    testNode.untilMs(27_000)
    assert.strictEqual(states(testNode, "a"), "c ErrImagePull")
    testNode.untilMs(36_999)
    assert.strictEqual(states(testNode, "a"), "c ErrImagePull")
    testNode.untilMs(37_000)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 0)
    const reference = "docker.io/library/app:latest"
    const notFound = `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`
    assert.deepStrictEqual(events.slice(-9), [
      'Normal Pulling Pulling image "app"',
      `Warning Failed Failed to pull image "app": ${notFound}`,
      "Warning Failed Error: ErrImagePull",
      'Normal BackOff Back-off pulling image "app"',
      "Warning Failed Error: ImagePullBackOff",
      'Normal Pulling Pulling image "app"',
      'Normal Pulled Successfully pulled image "app" in 0s (0s including waiting). Image size: 104857600 bytes.',
      "Normal Created Container created",
      "Normal Started Container started"
    ])
  })
})

describe("an image that is changed", () => {
  it("restarts its container, regardless of the restart policy", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { restartPolicy: "Never" })
    testNode.untilMs(8_000)
    const body = { spec: { containers: [{ name: "c", image: "app:2" }] } }
    const request = {
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name: "a",
      patchType: "strategic",
      body
    } as const
    testNode.api.ask(request)
    testNode.untilMs(9_400)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.image, "app")
    testNode.untilMs(9_500)
    const status = statusOf(testNode, "a", "c")
    assert.strictEqual(status?.image, "app:2")
    assert.strictEqual(status?.restartCount, 1)
    assert.strictEqual(status?.lastState?.terminated?.finishedAt, "2026-01-01T00:00:09Z")
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.include(events, "Normal Killing Container c definition changed, will be restarted")
  })
})

describe("the end of a pod", () => {
  it("comes at its deadline", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { activeDeadlineSeconds: 20 })
    testNode.untilMs(24_999)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    testNode.untilMs(25_999)
    assert.strictEqual(phaseOf(testNode, "a"), "Running", "its containers are stopping")
    testNode.untilMs(26_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.strictEqual(testNode.api.pod("a")?.status?.reason, "DeadlineExceeded")
    const message = "Pod was active on the node longer than the specified deadline"
    assert.strictEqual(testNode.api.pod("a")?.status?.message, message)
    assert.include(events, `Normal DeadlineExceeded ${message}`)
    assert.include(events, "Normal Killing Stopping container c")
  })

  it("comes at the deadline also if its containers never started", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { activeDeadlineSeconds: 20, behaviour: { c: { imagePull: "fail" } } })
    testNode.untilMs(25_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.strictEqual(testNode.api.pod("a")?.status?.reason, "DeadlineExceeded")
  })

  it("waits for the preStop hook, within the grace period", () => {
    const testNode = startKubelet()
    const preStop = { sleep: { seconds: 8 } }
    createPod(testNode, "a", { containers: [{ name: "c", image: "app", lifecycle: { preStop } }] })
    createPod(testNode, "b", { containers: [{ name: "c", image: "app", lifecycle: { preStop } }] })
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 30)
    testNode.api.deletePod("b", 5)
    testNode.untilMs(15_999)
    assert.isDefined(testNode.api.pod("b"))
    testNode.untilMs(16_000)
    assert.isUndefined(testNode.api.pod("b"), "asked to end after 5 s of hook, it ends within its last two")
    testNode.untilMs(18_999)
    assert.isDefined(testNode.api.pod("a"))
    testNode.untilMs(19_000)
    assert.isUndefined(testNode.api.pod("a"))
  })

  it("gives containers at least two seconds, however short the grace period", () => {
    const testNode = startKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { stopMs: 60_000 }) })
    createPod(testNode, "a", {})
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 1)
    testNode.untilMs(11_999)
    assert.isDefined(testNode.api.pod("a"))
    testNode.untilMs(12_000)
    assert.isUndefined(testNode.api.pod("a"))
  })
})

describe("behaviour", () => {
  it("that is invalid is reported, and the pod runs by the defaults", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    testNode.api.ask({
      verb: "create",
      kind: "Pod",
      namespace: "default",
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a", namespace: "default", annotations: { [annotationBehaviour]: '{"c": {"exit": 3}}' } },
        spec: { containers: [{ name: "c", image: "app" }], nodeName: "n1" }
      }
    })
    testNode.untilMs(6_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.include(events, 'Warning InvalidBehaviour c: unknown field "exit"')
  })

  it("continues while the kubelet is stopped, and is observed when it starts again", () => {
    const testNode = startKubelet()
    const behaviour = { i: { exitAfterSeconds: 4 }, c: { exitAfterSeconds: 10, exitTimes: 1, exitCode: 1 } }
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour })
    testNode.untilMs(8_000)
    testNode.kubelet.stopKubelet()
    testNode.untilMs(20_000)
    assert.strictEqual(states(testNode, "a"), "i running, c PodInitializing")
    testNode.kubelet.startKubelet()
    testNode.untilMs(22_000)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running")
  })

  it("restarts after a power loss, init containers first", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour: { i: { exitAfterSeconds: 4 } } })
    testNode.untilMs(12_000)
    const changed = () => events.filter((text) => text.includes("SandboxChanged"))
    assert.isEmpty(changed())
    testNode.kubelet.powerLost()
    testNode.boot()
    testNode.untilMs(15_000)
    assert.deepStrictEqual(changed(), ["Normal SandboxChanged Pod sandbox changed, it will be killed and re-created."])
    assert.strictEqual(states(testNode, "a").split(", ")[0], "i running")
    assert.strictEqual(getPodCondition(testNode.api.pod("a")?.status, "Ready")?.status, "False")
    testNode.untilMs(18_000)
    assert.strictEqual(states(testNode, "a"), "i ended 0, c running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.restartCount, 1)
  })
})
