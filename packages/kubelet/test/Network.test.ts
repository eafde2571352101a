import { getNodeCondition, type Node } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeKubelet, makeModelledPodRuntime } from "../src/index.ts"
import { modelWithoutJitter, setUpKubelet } from "./setUpKubelet.ts"

const PROBLEM =
  "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

const startWithoutNetwork = (podCIDR = "await") => {
  const events: Array<string> = []
  const recorder = {
    event: (object: { readonly metadata?: { readonly name?: string } }, _: string, reason: string, message: string) =>
      void events.push(`${object.metadata?.name ?? ""} ${reason}: ${message}`)
  }
  const testNode = setUpKubelet({
    recorder: recorder as never,
    runtime: (timers) => makeModelledPodRuntime(timers, { podCIDR })
  })
  testNode.kubelet.startKubelet()
  const give = (cidr: string) => {
    const node = testNode.api.node("n1") as Node
    testNode.api.update("Node", { ...node, spec: { ...node.spec, podCIDR: cidr, podCIDRs: [cidr] } } as Node)
  }
  const ready = () => getNodeCondition(testNode.api.node("n1") ?? {}, "Ready")
  return { ...testNode, events, give, ready }
}

describe("a machine whose network works with the Node's podCIDR", () => {
  it("is not ready until it has a podCIDR, and its pods wait", () => {
    const { api, events, give, ready, untilMs } = startWithoutNetwork()
    untilMs(5_000)
    assert.deepStrictEqual([ready()?.status, ready()?.reason, ready()?.message], ["False", "KubeletNotReady", PROBLEM])
    api.createPod("a", "n1")
    api.createPod("host", "n1", { hostNetwork: true })
    api.createPod("init", "n1", { initContainers: [{ name: "i", image: "busybox" }] })
    untilMs(60_000)
    assert.deepStrictEqual(
      ["a", "host", "init"].map((name) => [api.pod(name)?.status?.phase, api.pod(name)?.status?.podIP]),
      [
        ["Pending", undefined],
        ["Running", api.node("n1")?.status?.addresses?.[0]?.address],
        ["Pending", undefined]
      ]
    )
    assert.deepStrictEqual(
      events.filter((event) => event.includes("NetworkNotReady")),
      ["a", "init"].map((name) => `${name} NetworkNotReady: network is not ready: ${PROBLEM}`)
    )
    give("10.7.3.0/24")
    untilMs(72_000)
    assert.strictEqual(ready()?.status, "True")
    assert.deepStrictEqual(
      ["a", "init"].map((name) => api.pod(name)?.status?.podIP),
      ["10.7.3.2", "10.7.3.3"]
    )
    assert.deepStrictEqual(
      ["a", "init"].map((name) => api.pod(name)?.status?.phase),
      ["Running", "Running"]
    )
  })

  it("removes at once a pod that is deleted while it waits", () => {
    const { api, give, kubelet, untilMs } = startWithoutNetwork()
    untilMs(5_000)
    api.createPod("a", "n1")
    untilMs(6_000)
    api.deletePod("a")
    untilMs(6_001)
    assert.isUndefined(api.pod("a"))
    give("10.7.3.0/24")
    untilMs(20_000)
    assert.deepStrictEqual(kubelet.pods(), [])
  })

  it("starts a pod again after a power loss only when the network is ready", () => {
    const { boot, api, give, kubelet, untilMs } = startWithoutNetwork()
    untilMs(5_000)
    api.createPod("a", "n1")
    untilMs(8_000)
    kubelet.powerLost()
    untilMs(9_000)
    boot()
    untilMs(20_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Pending")
    give("10.7.3.0/24")
    untilMs(40_000)
    assert.strictEqual(api.pod("a")?.status?.podIP, "10.7.3.2")
  })
})

describe("a machine whose addresses are all taken", () => {
  it("makes a pod wait for an address until another pod has terminated, deleted or not", () => {
    const { api, events, untilMs } = startWithoutNetwork("10.7.3.0/29")
    untilMs(5_000)
    const names = ["a", "b", "c", "d", "job"]
    for (const name of names.slice(0, 4)) api.createPod(name, "n1")
    const behaviour = JSON.stringify({ c: { exitAfterSeconds: 20 } })
    api.createPod("job", "n1", { restartPolicy: "Never" })
    const job = api.pod("job")
    assert.isDefined(job)
    api.update("Pod", {
      ...job,
      metadata: { ...job?.metadata, annotations: { "rollcall.dev/behaviour": behaviour } }
    } as never)
    untilMs(8_000)
    assert.sameMembers(
      names.map((name) => api.pod(name)?.status?.podIP),
      ["10.7.3.2", "10.7.3.3", "10.7.3.4", "10.7.3.5", "10.7.3.6"]
    )
    api.createPod("more", "n1")
    untilMs(20_000)
    assert.strictEqual(api.pod("more")?.status?.phase, "Pending")
    assert.include(
      events.join("\n"),
      "more FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to allocate for range 0: no IP addresses available in range set: 10.7.3.1-10.7.3.6"
    )
    api.deletePod("b", 0)
    untilMs(25_000)
    assert.strictEqual(api.pod("more")?.status?.phase, "Running")
  })
})

describe("a kubelet that is restarted beside its pods", () => {
  it("does not give the addresses of running pods to new ones", () => {
    const first = startWithoutNetwork()
    first.untilMs(1_000)
    first.give("10.7.3.0/24")
    first.untilMs(5_000)
    first.api.createPod("old", "n1")
    first.untilMs(8_000)
    assert.strictEqual(first.api.pod("old")?.status?.podIP, "10.7.3.2")
    first.kubelet.stopKubelet()
    const { timers } = first.time
    const second = makeKubelet(timers, {
      name: "n1",
      connection: first.link.connection,
      model: modelWithoutJitter,
      runtime: makeModelledPodRuntime(timers, { podCIDR: "await" })
    })
    second.startKubelet()
    first.untilMs(12_000)
    first.api.createPod("new", "n1")
    first.untilMs(20_000)
    assert.strictEqual(first.api.pod("old")?.status?.podIP, "10.7.3.2")
    assert.strictEqual(first.api.pod("new")?.status?.podIP, "10.7.3.3")
  })
})
