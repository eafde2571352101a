import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledHost, makeModelledPodRuntime } from "../../src/index.ts"
import { createPod, makeRecorder, phaseOf, startKubelet } from "../pod/lifeOf.ts"

const setUp = (runtimeHandlers?: ReadonlyArray<string>) => {
  const { events, recorder } = makeRecorder()
  const options = runtimeHandlers === undefined ? {} : { runtimeHandlers }
  const testNode = startKubelet({
    recorder,
    config: kubeletConfig(),
    host: makeModelledHost({ name: "n1", ...options }),
    runtime: (timers) => makeModelledPodRuntime(timers, options)
  })
  return {
    ...testNode,
    testNode,
    failures: () => events.filter((text) => text.includes("FailedCreatePodSandBox")),
    createClass: (name: string, handler: string) =>
      testNode.api.ask({
        verb: "create",
        kind: "RuntimeClass",
        object: { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler }
      }),
    metrics: () => {
      const { body } = testNode.kubelet.serve({ method: "GET", path: "/metrics", query: new Map() })
      return String(body)
        .split("\n")
        .filter((line) => /^kubelet_(started|terminated)/.test(line))
    }
  }
}

const FAILED = "Warning FailedCreatePodSandBox Failed to create pod sandbox: "

describe("a pod with a RuntimeClass", () => {
  it("waits for a handler that its node lacks, and is tried again", () => {
    const { createClass, failures, metrics, testNode, untilMs } = setUp(["runc"])
    createClass("sandboxed", "gvisor")
    createPod(testNode, "p", { runtimeClassName: "sandboxed" })
    untilMs(26_000)
    const problem =
      'rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "gvisor" is configured'
    assert.deepStrictEqual(failures(), Array(3).fill(`${FAILED}${problem}`))
    assert.strictEqual(phaseOf(testNode, "p"), "Pending")
    assert.include(metrics(), "kubelet_started_pods_errors_total 3")
    assert.include(metrics(), "kubelet_started_pods_total 3")
  })

  it("starts once its class exists", () => {
    const { createClass, failures, testNode, untilMs } = setUp(["runc"])
    createPod(testNode, "p", { runtimeClassName: "plain" })
    untilMs(6_000)
    assert.deepStrictEqual(failures(), [`${FAILED}runtimeclass.node.k8s.io "plain" not found`])
    createClass("plain", "runc")
    untilMs(20_000)
    assert.lengthOf(failures(), 1)
    assert.strictEqual(phaseOf(testNode, "p"), "Running")
  })

  it("can be deleted while it waits", () => {
    const { api, createClass, failures, testNode, untilMs } = setUp([])
    createClass("sandboxed", "gvisor")
    createPod(testNode, "p", { runtimeClassName: "sandboxed" })
    untilMs(6_000)
    api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
    untilMs(60_000)
    assert.isUndefined(api.pod("p"))
    assert.lengthOf(failures(), 1)
  })

  it("runs on each node whose handlers are not said", () => {
    const { createClass, testNode, untilMs } = setUp()
    createClass("sandboxed", "gvisor")
    createPod(testNode, "p", { runtimeClassName: "sandboxed" })
    untilMs(8_000)
    assert.strictEqual(phaseOf(testNode, "p"), "Running")
  })

  it("finds the handlers in the status of its Node", () => {
    const { kubelet } = setUp(["runc", "gvisor"])
    assert.deepStrictEqual(
      kubelet.node?.status?.runtimeHandlers?.map(({ name }) => name),
      ["", "gvisor", "runc"]
    )
  })
})

describe("the counts of a kubelet", () => {
  it("have what has started and ended, each end once", () => {
    const { metrics, testNode, untilMs } = setUp()
    assert.deepStrictEqual(metrics(), [
      "kubelet_started_pods_errors_total 0",
      "kubelet_started_pods_total 0",
      "kubelet_started_user_namespaced_pods_errors_total 0",
      "kubelet_started_user_namespaced_pods_total 0"
    ])
    const behaviour = { i: { exitAfterSeconds: 1 }, c: { exitAfterSeconds: 2, exitCode: 139 } }
    const initContainers = [{ name: "i", image: "init" }]
    createPod(testNode, "fails", { initContainers, behaviour, restartPolicy: "Never" })
    createPod(testNode, "runs", {})
    createPod(testNode, "crashes", { behaviour: { c: { exitAfterSeconds: 3, exitCode: 1, exitTimes: 1 } } })
    untilMs(30_000)
    assert.deepStrictEqual(metrics(), [
      'kubelet_started_containers_total{container_type="container"} 4',
      'kubelet_started_containers_total{container_type="init_container"} 1',
      "kubelet_started_pods_errors_total 0",
      "kubelet_started_pods_total 3",
      "kubelet_started_user_namespaced_pods_errors_total 0",
      "kubelet_started_user_namespaced_pods_total 0",
      'kubelet_terminated_containers_total{container_type="container",exit_code="1",reason="Error"} 1',
      'kubelet_terminated_containers_total{container_type="container",exit_code="139",reason="Error"} 1',
      'kubelet_terminated_containers_total{container_type="init_container",exit_code="0",reason="Completed"} 1'
    ])
  })

  it("have pods with a user namespace, and each whose first sync fails once", () => {
    const { createClass, metrics, testNode, untilMs } = setUp(["runc"])
    const counts = () =>
      metrics().flatMap((line) => (line.includes("user_namespaced") ? [Number(line.split(" ")[1])] : []))
    createPod(testNode, "host", {})
    createPod(testNode, "own", { hostUsers: false })
    createPod(testNode, "shared", { hostUsers: true })
    untilMs(6_000)
    assert.deepStrictEqual(counts(), [0, 1])
    const noConfig = { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "none", key: "a" } } }] }
    const containers = ["a", "b"].map((name) => ({ name, image: "i", ...noConfig }))
    createPod(testNode, "fails", { hostUsers: false, containers })
    untilMs(60_000)
    assert.deepStrictEqual(counts(), [1, 2])
    const initContainers = [{ name: "i", image: "init" }]
    createPod(testNode, "fails-later", { hostUsers: false, initContainers, containers })
    untilMs(120_000)
    assert.deepStrictEqual(counts(), [1, 3])
    createClass("sandboxed", "gvisor")
    createPod(testNode, "no-handler", { hostUsers: false, runtimeClassName: "sandboxed" })
    untilMs(121_000)
    assert.deepStrictEqual(counts(), [2, 4])
  })

  it("do not have again what had ended before the process", () => {
    const { kubelet, metrics, testNode, untilMs } = setUp()
    createPod(testNode, "fails", { behaviour: { c: { exitAfterSeconds: 2, exitCode: 3 } }, restartPolicy: "Never" })
    untilMs(20_000)
    kubelet.stopKubelet()
    untilMs(25_000)
    kubelet.startKubelet()
    untilMs(60_000)
    const ends = metrics().filter((line) => line.includes("terminated"))
    assert.deepStrictEqual(ends, [
      'kubelet_terminated_containers_total{container_type="container",exit_code="3",reason="Error"} 1'
    ])
  })
})
