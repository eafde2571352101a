import { assert, describe, it } from "vitest"
import { makeModelledHost, makeModelledKubelet } from "../../src/index.ts"
import { modelWithoutJitter, setUpKubelet } from "../setUpKubelet.ts"

const container = { name: "c", image: "busybox" }

/** Starts a kubelet, and later another process in its place, which finds nothing in its runtime. */
const setUp = () => {
  const { api, kubelet, lastPodStatus, link, time, untilMs } = setUpKubelet()
  kubelet.startKubelet()
  untilMs(5_000)
  return {
    api,
    untilMs,
    lastPodStatus,
    stop: () => kubelet.stopKubelet(),
    startAnother: () => {
      const host = makeModelledHost({ name: "n1" })
      const { connection } = link
      makeModelledKubelet(time.timers, { name: "n1", connection, model: modelWithoutJitter, host }).startKubelet()
    }
  }
}

describe("another process of the kubelet", () => {
  it("leaves pods that have ended as they are", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    const command = (text: string) => ({
      restartPolicy: "Never",
      containers: [{ ...container, command: ["sh", "-c", text] }]
    })
    api.createPod("completed", "n1", command("sleep 1"))
    api.createPod("failed", "n1", command("exit 3"))
    untilMs(20_000)
    const before = [api.pod("completed"), api.pod("failed")]
    assert.deepStrictEqual(
      before.map((pod) => pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode),
      [0, 3]
    )
    stop()
    startAnother()
    untilMs(60_000)
    assert.deepStrictEqual([api.pod("completed"), api.pod("failed")], before)
  })

  it("adds nothing about the containers of a deleted pod that had ended", () => {
    const { api, lastPodStatus, startAnother, stop, untilMs } = setUp()
    api.createPod("a", "n1", { containers: [{ ...container, command: ["sh", "-c", "sleep 1; exit 3"] }] })
    untilMs(25_000)
    const [before] = api.pod("a")?.status?.containerStatuses ?? []
    assert.strictEqual(before?.lastState?.terminated?.exitCode, 3)
    stop()
    api.deletePod("a")
    startAnother()
    untilMs(60_000)
    assert.isUndefined(api.pod("a"))
    assert.deepInclude(lastPodStatus(), { phase: "Failed" })
    assert.isUndefined(lastPodStatus()?.containerStatuses)
  })

  it("goes on with what runs, for the time that is left", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    const sleep = (seconds: number) => ({ ...container, command: ["sleep", String(seconds)] })
    api.createPod("a", "n1", { restartPolicy: "Never", containers: [sleep(30)] })
    api.createPod("b", "n1", { restartPolicy: "Never", containers: [sleep(4)] })
    api.createPod("i", "n1", { initContainers: [{ ...sleep(30), name: "i" }] })
    untilMs(8_000)
    stop()
    untilMs(20_000)
    startAnother()
    untilMs(30_000)
    const terminated = (name: string) => api.pod(name)?.status?.containerStatuses?.[0]?.state?.terminated
    assert.strictEqual(terminated("b")?.exitCode, 0)
    assert.strictEqual(api.pod("i")?.status?.initContainerStatuses?.[0]?.restartCount, 0)
    assert.isUndefined(terminated("a"))
    untilMs(40_000)
    assert.strictEqual(terminated("a")?.finishedAt, "2026-01-01T00:00:36Z")
    assert.strictEqual(
      api.pod("i")?.status?.initContainerStatuses?.[0]?.state?.terminated?.finishedAt,
      "2026-01-01T00:00:36Z"
    )
    assert.strictEqual(api.pod("i")?.status?.phase, "Running")
  })

  for (const [when, deletedAtMs] of [
    ["before", 8_000],
    ["while", 11_000]
  ] as const) {
    it(`stops a pod with its whole grace period that was deleted ${when} none ran`, () => {
      const { api, lastPodStatus, startAnother, stop, untilMs } = setUp()
      const container = { name: "c", image: "pause" }
      const slow = { ...container, lifecycle: { preStop: { sleep: { seconds: 10 } } } }
      api.createPod("a", "n1", { terminationGracePeriodSeconds: 30, containers: [slow] })
      api.createPod("plain", "n1", { containers: [container] })
      untilMs(7_000)
      const deleteAll = () => {
        for (const name of ["a", "plain"]) api.deletePod(name)
      }
      if (deletedAtMs < 8_500) {
        untilMs(deletedAtMs)
        deleteAll()
      }
      untilMs(8_500)
      stop()
      untilMs(11_000)
      if (deletedAtMs > 8_500) deleteAll()
      startAnother()
      untilMs(11_500)
      assert.isDefined(api.pod("plain"))
      untilMs(21_500)
      assert.isUndefined(api.pod("plain"))
      assert.isDefined(api.pod("a")?.status?.containerStatuses?.[0]?.state?.running)
      untilMs(23_000)
      assert.isUndefined(api.pod("a"))
      const terminated = lastPodStatus()?.containerStatuses?.[0]?.state?.terminated
      assert.deepInclude(terminated, { exitCode: 0, finishedAt: "2026-01-01T00:00:22Z" })
    })
  }

  it("starts what has ended and is to be restarted, at once", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    api.createPod("a", "n1", { containers: [{ ...container, command: ["sh", "-c", "sleep 1; exit 3"] }] })
    untilMs(10_000)
    const statusOf = () => api.pod("a")?.status?.containerStatuses?.[0]
    assert.deepStrictEqual([statusOf()?.restartCount, statusOf()?.state?.running], [1, undefined])
    stop()
    startAnother()
    untilMs(11_000)
    assert.strictEqual(statusOf()?.restartCount, 2)
    assert.isDefined(statusOf()?.state?.running)
  })

  it("goes on with the containers of a pod of which one cannot be started", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "none", key: "a" } } }]
    const containers = [
      { ...container, image: "pause" },
      { ...container, name: "d", env }
    ]
    api.createPod("a", "n1", { containers })
    untilMs(8_000)
    const shown = () =>
      api
        .pod("a")
        ?.status?.containerStatuses?.map(({ restartCount, state }) => [restartCount, Object.keys(state ?? {})])
    const before = [
      [0, ["running"]],
      [0, ["waiting"]]
    ]
    assert.deepStrictEqual([api.pod("a")?.status?.phase, shown()], ["Pending", before])
    stop()
    startAnother()
    untilMs(20_000)
    assert.deepStrictEqual(shown(), before)
    api.ask({
      verb: "create",
      kind: "ConfigMap",
      namespace: "default",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none" }, data: { a: "b" } }
    })
    untilMs(40_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
  })

  it("sees the end of an ephemeral container", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    const pod = api.createPod("a", "n1", { containers: [{ ...container, image: "pause" }] })
    untilMs(7_000)
    const ephemeralContainers = [{ name: "e", image: "busybox", command: ["sleep", "10"] }]
    const present = api.pod("a") ?? pod
    api.update(
      "Pod",
      { ...present, spec: { ...present.spec, ephemeralContainers } } as typeof pod,
      "ephemeralcontainers"
    )
    untilMs(9_000)
    stop()
    startAnother()
    const state = () => api.pod("a")?.status?.ephemeralContainerStatuses?.[0]?.state
    untilMs(12_000)
    assert.isDefined(state()?.running)
    untilMs(30_000)
    assert.deepInclude(state()?.terminated, { exitCode: 0 })
  })

  it("waits for no hook of a container that has ended, before and after", () => {
    for (const startsAnother of [false, true]) {
      const { api, startAnother, stop, untilMs } = setUp()
      const lifecycle = { preStop: { sleep: { seconds: 10 } } }
      api.createPod("a", "n1", { containers: [{ ...container, lifecycle, command: ["false"] }] })
      untilMs(9_000)
      if (startsAnother) {
        stop()
        startAnother()
      }
      untilMs(9_500)
      api.deletePod("a")
      untilMs(10_500)
      assert.isUndefined(api.pod("a"))
    }
  })

  it("finishes a deleted pod that it never started", () => {
    const { api, startAnother, stop, untilMs } = setUp()
    stop()
    api.createPod("a", "n1", { containers: [container] })
    api.deletePod("a")
    startAnother()
    untilMs(7_000)
    assert.isUndefined(api.pod("a"))
  })
})
