import { formatTime, getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeKubelet, makeModelledPodRuntime } from "../src/index.ts"
import { annotationBehaviour } from "../src/runtime/PodBehaviour.ts"
import { modelWithoutJitter, START, setUpKubelet } from "./setUpKubelet.ts"

type StartedKubelet = ReturnType<typeof setUpKubelet>

const startKubelet = (options: Parameters<typeof setUpKubelet>[0] = {}): StartedKubelet => {
  const testNode = setUpKubelet(options)
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return testNode
}

const requestDeletion = ({ api }: StartedKubelet, name: string, gracePeriodSeconds?: number) =>
  api.deletePod(name, gracePeriodSeconds)

const stages = ({ kubelet }: StartedKubelet) => kubelet.pods().map(({ name, stage }) => `${name} ${stage}`)

const readyConditionOf = (pod: Pod | undefined) => getPodCondition(pod?.status, "Ready")

describe("a pod", () => {
  it("is shown as being created at once, and as running when the runtime says so", () => {
    const { api, untilMs } = startKubelet()
    api.createPod("a", "n1", { initContainers: [{ name: "i", image: "busybox" }] })
    untilMs(5_999)
    const creating = api.pod("a")?.status
    assert.strictEqual(creating?.phase, "Pending")
    assert.deepStrictEqual(creating?.containerStatuses?.[0]?.state, { waiting: { reason: "PodInitializing" } })
    assert.strictEqual(getPodCondition(creating, "Initialized")?.message, "containers with incomplete status: [i]")
    assert.strictEqual(readyConditionOf(api.pod("a"))?.message, "containers with unready status: [c]")
    untilMs(6_000)
    const { status } = api.pod("a") as Pod
    assert.strictEqual(status?.phase, "Running")
    assert.strictEqual(status?.startTime, formatTime(START + 5_000))
    assert.strictEqual(status?.podIP, "10.244.0.2")
    assert.deepStrictEqual(
      status?.conditions?.map(({ status, type }) => `${type}=${status}`),
      ["PodReadyToStartContainers=True", "Initialized=True", "Ready=True", "ContainersReady=True", "PodScheduled=True"]
    )
    assert.strictEqual(status?.initContainerStatuses?.[0]?.state?.terminated?.reason, "Completed")
  })

  it("has no timers and no writes while it runs", () => {
    const testNode = startKubelet()
    for (let index = 0; index < 30; index++) testNode.api.createPod(`p${index}`, "n1")
    testNode.untilMs(10_000)
    assert.lengthOf(testNode.api.asked("patch Pod/status"), 60)
    const plans = testNode.plans()
    testNode.untilMs(99_000)
    assert.strictEqual(testNode.plans() - plans, 8, "leases only")
    assert.lengthOf(testNode.api.asked("patch Pod/status"), 60)
  })

  it("is stopped when it is deleted: terminal status, then the final delete", () => {
    const testNode = startKubelet()
    const { api, untilMs } = testNode
    const { uid } = api.createPod("a", "n1").metadata
    untilMs(8_000)
    requestDeletion(testNode, "a")
    untilMs(8_999)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
    assert.deepStrictEqual(stages(testNode), ["a stopping"])
    untilMs(9_000)
    assert.isUndefined(api.pod("a"))
    assert.deepStrictEqual(stages(testNode), [])
    assert.strictEqual(testNode.lastPodStatus()?.phase, "Succeeded")
    const last = api.asked("delete Pod").at(-1)?.request
    assert.deepStrictEqual(last?.verb === "delete" ? last.options : undefined, {
      gracePeriodSeconds: 0,
      preconditions: { uid: uid ?? "" }
    })
  })

  it("gets no more than its grace period", () => {
    const testNode = startKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { stopMs: 60_000 }) })
    const { api, untilMs } = testNode
    api.createPod("a", "n1", { terminationGracePeriodSeconds: 20 })
    untilMs(8_000)
    requestDeletion(testNode, "a")
    untilMs(27_999)
    assert.isDefined(api.pod("a"))
    untilMs(28_000)
    assert.isUndefined(api.pod("a"))
    assert.strictEqual(testNode.lastPodStatus()?.phase, "Failed", "it was killed")
  })

  it("has no less time when it is deleted again with a shorter grace period", () => {
    const testNode = startKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { stopMs: 60_000 }) })
    const { api, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    requestDeletion(testNode, "a")
    untilMs(10_000)
    requestDeletion(testNode, "a", 5)
    untilMs(37_999)
    assert.isDefined(api.pod("a"))
    untilMs(38_000)
    assert.isUndefined(api.pod("a"))
  })

  it("that never ran fails and is removed at once when it is deleted", () => {
    const testNode = startKubelet()
    const { api, kubelet, untilMs } = testNode
    kubelet.stopKubelet()
    api.createPod("a", "n1")
    requestDeletion(testNode, "a")
    kubelet.startKubelet()
    untilMs(5_000)
    assert.isUndefined(api.pod("a"))
    const last = testNode.lastPodStatus()
    assert.strictEqual(last?.phase, "Failed")
    assert.strictEqual(last?.containerStatuses?.[0]?.state?.terminated?.reason, "ContainerStatusUnknown")
  })

  it("is stopped when it is missing from the API", () => {
    const testNode = startKubelet()
    testNode.api.createPod("a", "n1")
    testNode.untilMs(8_000)
    requestDeletion(testNode, "a", 0)
    testNode.untilMs(8_999)
    assert.deepStrictEqual(stages(testNode), ["a stopping"])
    const writes = testNode.api.asked("patch Pod/status").length
    testNode.untilMs(20_000)
    assert.deepStrictEqual(stages(testNode), [])
    assert.lengthOf(testNode.api.asked("patch Pod/status"), writes)
  })

  it("becomes ready again with the next comparison when the node controller marked it", () => {
    const testNode = startKubelet()
    const { api, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(12_000)
    const pod = api.pod("a") as Pod
    const since = readyConditionOf(pod)?.lastTransitionTime
    const conditions = pod.status?.conditions?.map((held) =>
      held.type === "Ready" ? { ...held, status: "False" as const, lastTransitionTime: "2026-01-01T00:00:12Z" } : held
    )
    api.update("Pod", { ...pod, status: { ...pod.status, conditions } } as Pod, "status")
    untilMs(19_999)
    assert.strictEqual(readyConditionOf(api.pod("a"))?.status, "False")
    untilMs(20_000)
    assert.strictEqual(readyConditionOf(api.pod("a"))?.status, "True")
    assert.strictEqual(readyConditionOf(api.pod("a"))?.lastTransitionTime, since)
  })

  it("stays Failed once another client has set that phase, while its containers stop and a finalizer keeps it", () => {
    const testNode = startKubelet()
    const { api, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(12_000)
    const pod = api.pod("a") as Pod
    const metadata = { ...pod.metadata, finalizers: ["example.com/keep"] }
    api.update("Pod", { ...pod, metadata } as Pod)
    const phases = new Set<string | undefined>()
    const failed = { ...api.pod("a")?.status, phase: "Failed" as const, reason: "Gone", message: "its node was lost" }
    api.update("Pod", { ...(api.pod("a") as Pod), status: failed } as Pod, "status")
    requestDeletion(testNode, "a", 0)
    for (let atMs = 12_000; atMs <= 60_000; atMs += 100) {
      untilMs(atMs)
      phases.add(api.pod("a")?.status?.phase)
    }
    assert.deepStrictEqual([...phases], ["Failed"])
    assert.strictEqual(readyConditionOf(api.pod("a"))?.status, "False")
  })

  it("stays Failed although its kubelet, which was cut off meanwhile, has it running or succeeded", () => {
    for (const [behaviour, phase] of [
      [{ c: { startSeconds: 20 } }, "Failed"],
      [{ c: { exitAfterSeconds: 20 } }, "Failed"],
      [{ c: { exitAfterSeconds: 20 } }, "Succeeded"]
    ] as const) {
      const testNode = startKubelet()
      const { api, link, untilMs } = testNode
      // Its watch is never as fast as what it sends.
      const annotations = { [annotationBehaviour]: JSON.stringify(behaviour) }
      const finalizers = ["example.com/keep"]
      api.ask({
        verb: "create",
        kind: "Pod",
        namespace: "default",
        object: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "a", namespace: "default", annotations, finalizers },
          spec: { nodeName: "n1", restartPolicy: "Never", containers: [{ name: "c", image: "x" }] }
        } as Pod
      })
      untilMs(10_000)
      link.setDeaf(true)
      const status = { ...api.pod("a")?.status, phase, reason: "Gone", message: "its node was lost" }
      api.update("Pod", { ...(api.pod("a") as Pod), status } as Pod, "status")
      api.deletePod("a")
      const seen = new Set<string>()
      for (let atMs = 10_000; atMs <= 60_000; atMs += 100) {
        untilMs(atMs)
        const { phase, reason } = api.pod("a")?.status ?? {}
        seen.add(`${phase} ${reason}`)
      }
      link.setDeaf(false)
      untilMs(120_000)
      assert.deepStrictEqual([...seen], [`${phase} Gone`])
      assert.strictEqual(`${api.pod("a")?.status?.phase} ${api.pod("a")?.status?.reason}`, `${phase} Gone`)
    }
  })

  it("keeps its reason when its kubelet is restarted", () => {
    const testNode = startKubelet()
    const { api, kubelet, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(12_000)
    kubelet.killPod(api.pod("a")?.metadata.uid ?? "", { graceSeconds: 0, reason: "Evicted", message: "low on memory" })
    untilMs(20_000)
    const { message, phase, reason } = api.pod("a")?.status ?? {}
    assert.deepStrictEqual([phase, reason, message], ["Failed", "Evicted", "low on memory"])
    kubelet.stopKubelet()
    const { timers } = testNode.time
    const again = makeKubelet(timers, { name: "n1", connection: testNode.link.connection, model: modelWithoutJitter })
    again.startKubelet()
    untilMs(60_000)
    const now = api.pod("a")?.status ?? {}
    assert.deepStrictEqual([now.phase, now.reason, now.message], ["Failed", "Evicted", "low on memory"])
  })

  it("keeps conditions of other clients", () => {
    const testNode = startKubelet()
    const { api, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(5_500)
    const pod = api.pod("a") as Pod
    const mark = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" } as const
    const conditions = [...(pod.status?.conditions ?? []), mark]
    api.update("Pod", { ...pod, status: { ...pod.status, conditions } } as Pod, "status")
    untilMs(6_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
    assert.strictEqual(getPodCondition(api.pod("a")?.status, "DisruptionTarget")?.reason, mark.reason)
  })

  it("is rejected permanently by the first handler that rejects it", () => {
    const refuse = { reason: "NodeShutdown", message: "Pod was rejected as the node is shutting down." }
    const testNode = startKubelet({ admission: [() => undefined, () => refuse] })
    const { api, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(20_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Failed")
    assert.strictEqual(api.pod("a")?.status?.reason, "NodeShutdown")
    assert.strictEqual(
      api.pod("a")?.status?.message,
      "Pod was rejected: Pod was rejected as the node is shutting down."
    )
    assert.deepStrictEqual(stages(testNode), ["a rejected"])
    requestDeletion(testNode, "a", 0)
    untilMs(20_001)
    assert.deepStrictEqual(stages(testNode), [])
  })

  it("passes to its handlers the other pods that hold resources", () => {
    const seen: Array<string> = []
    const testNode = startKubelet({
      admission: [
        ({ otherPods, pod }) => {
          seen.push(`${pod.metadata.name}: ${otherPods().map(({ metadata }) => metadata.name)}`)
          return undefined
        }
      ]
    })
    testNode.api.createPod("a", "n1")
    testNode.untilMs(6_500)
    requestDeletion(testNode, "a")
    testNode.untilMs(7_000)
    testNode.api.createPod("b", "n1")
    testNode.untilMs(9_000)
    testNode.api.createPod("c", "n1")
    testNode.untilMs(12_000)
    requestDeletion(testNode, "b", 0)
    testNode.untilMs(12_500)
    assert.deepStrictEqual(stages(testNode), ["b stopping", "c running"], "it was deleted by force")
    testNode.api.createPod("d", "n1")
    testNode.untilMs(13_000)
    assert.deepStrictEqual(seen, ["a: ", "b: a", "c: b", "d: c"])
  })

  it("terminates when its containers have, or restarts them, as its restart policy says", () => {
    const runtime: NonNullable<Parameters<typeof setUpKubelet>[0]>["runtime"] = (timers) =>
      makeModelledPodRuntime(timers, {
        outcome: ({ metadata }) => (metadata.name === "job" ? { afterMs: 2_000, exitCode: 0 } : undefined)
      })
    const testNode = startKubelet({ runtime })
    const { api, untilMs } = testNode
    api.createPod("job", "n1", { restartPolicy: "OnFailure" })
    untilMs(7_999)
    assert.strictEqual(api.pod("job")?.status?.phase, "Running")
    untilMs(8_000)
    assert.strictEqual(api.pod("job")?.status?.phase, "Succeeded")
    assert.strictEqual(readyConditionOf(api.pod("job"))?.reason, "PodCompleted")
    assert.deepStrictEqual(stages(testNode), ["job stopped"])
  })

  it("that crashes is restarted after growing delays", () => {
    const runtime: NonNullable<Parameters<typeof setUpKubelet>[0]>["runtime"] = (timers) =>
      makeModelledPodRuntime(timers, { restartMs: 0, outcome: () => ({ afterMs: 1_000, exitCode: 1 }) })
    const testNode = startKubelet({ runtime })
    const { api, untilMs } = testNode
    const { uid } = api.createPod("a", "n1").metadata
    const container = () => api.pod("a")?.status?.containerStatuses?.[0]
    // Up at 6 s, down at 7 s, restarted at once; down again at 8 s, and from then on 10 s, 20 s, ….
    untilMs(8_000)
    assert.strictEqual(container()?.restartCount, 1)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
    untilMs(17_999)
    assert.isDefined(container()?.state?.terminated)
    // The back-off is shown by the sync that ends it, or by one before if it is long.
    untilMs(18_000)
    assert.isDefined(container()?.state?.running)
    assert.strictEqual(container()?.lastState?.terminated?.exitCode, 1)
    untilMs(39_000)
    assert.strictEqual(container()?.restartCount, 3)
    // Down again at 40 s and 80 s: the pod is synced after a minute at the latest.
    untilMs(141_000)
    assert.strictEqual(
      container()?.state?.waiting?.message,
      `back-off 1m20s restarting failed container=c pod=a_default(${uid})`
    )
  })

  it("whose last request to the API was lost is posted again", () => {
    const testNode = startKubelet()
    const { api, link, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    requestDeletion(testNode, "a")
    untilMs(8_500)
    link.setCut(true)
    untilMs(9_500)
    link.setCut(false)
    untilMs(9_999)
    assert.isDefined(api.pod("a"))
    untilMs(10_000)
    assert.isUndefined(api.pod("a"), "with the comparison at 10 s")
  })
})
