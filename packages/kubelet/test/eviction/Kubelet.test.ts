import { defaultRelease, getNodeCondition, getPodCondition, type Node, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { EvictionManager } from "../../src/eviction/EvictionManager.ts"
import { PressureSources } from "../../src/eviction/PressureSources.ts"
import { kubeletConfig, type PodAdmitHandler } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"
import { GI, MI, readingsAt } from "./samples.ts"

const pressureOf = (node: Node | undefined) =>
  node === undefined ? undefined : getNodeCondition(node, "MemoryPressure")?.status

/** A kubelet with an eviction manager beside it, on a machine whose memory is what the test says. */
const setUp = () => {
  let admission: PodAdmitHandler = () => undefined
  const config = kubeletConfig({ evictionHard: { "memory.available": "1Gi" } })
  const events: Array<readonly [reason: string, annotations: unknown]> = []
  const recorder = {
    event: (_object: unknown, _type: string, reason: string, _message: string, annotations?: unknown) => {
      events.push([reason, annotations])
    }
  }
  const testNode = setUpKubelet({ config, recorder, admission: [(request) => admission(request)] })
  const { kubelet, time } = testNode
  const sources = new PressureSources(kubelet.pressure.bind(kubelet))
  let left = 4 * GI
  let changed = () => {}
  const loop = new EvictionManager({
    timers: time.timers,
    config,
    release: defaultRelease,
    resources: {
      read: () =>
        readingsAt(
          time.timers.now(),
          { "memory.available": left },
          new Map(kubelet.activePods().map(({ metadata }) => [metadata.uid ?? "", { memoryBytes: 10 * MI }]))
        ),
      onChange: (listener) => {
        changed = listener
      }
    },
    activePods: () => kubelet.activePods(),
    killPod: kubelet.killPod,
    setPressure: sources.observe,
    nodeEvent: (type, reason, message) => kubelet.nodeEvent(type, reason, message),
    recorder
  })
  admission = loop.admission
  kubelet.startKubelet()
  loop.start()
  return {
    ...testNode,
    events,
    sources,
    setLeft: (bytes: number) => {
      left = bytes
      changed()
    }
  }
}

describe("a kubelet under memory pressure", () => {
  it("evicts the pod of lowest priority, rejects new pods, and reports pressure until five minutes after its end", () => {
    const { api, events, setLeft, untilMs } = setUp()
    untilMs(5_000)
    api.createPod("low", "n1")
    const metadata = { name: "high" }
    const object = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value: 1000 }
    api.ask({ verb: "create", kind: "PriorityClass", object })
    api.createPod("high", "n1", { priorityClassName: "high" })
    untilMs(8_000)
    setLeft(500 * MI)
    untilMs(11_000)
    setLeft(3 * GI)
    untilMs(25_000)

    const { status } = api.pod("low") as Pod
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.reason, "Evicted")
    const message = "The node was low on resource: memory. Threshold quantity: 1Gi, available: 500Mi. "
    assert.strictEqual(status?.message, message)
    assert.deepInclude(getPodCondition(status, "DisruptionTarget"), {
      status: "True",
      reason: "TerminationByKubelet",
      message
    })
    assert.strictEqual(api.pod("high")?.status?.phase, "Running")
    const pressure = () => pressureOf(api.node("n1"))
    assert.strictEqual(pressure(), "True")
    const annotations = { offending_containers: "", offending_containers_usage: "", starved_resource: "memory" }
    assert.deepStrictEqual(
      events.filter(([reason]) => reason === "Evicted" || reason === "EvictionThresholdMet"),
      [
        ["EvictionThresholdMet", undefined],
        ["Evicted", annotations]
      ]
    )

    api.createPod("late", "n1")
    untilMs(30_000)
    assert.strictEqual(api.pod("late")?.status?.reason, "Evicted")
    assert.strictEqual(api.pod("late")?.status?.message, "Pod was rejected: The node had condition: [MemoryPressure]. ")

    untilMs(309_000)
    assert.strictEqual(pressure(), "True")
    untilMs(340_000)
    assert.strictEqual(pressure(), "False")
  })

  it("stays under pressure from a fault when its measured pressure has ended", () => {
    const { api, setLeft, sources, untilMs } = setUp()
    untilMs(5_000)
    setLeft(500 * MI)
    untilMs(11_000)
    sources.setFault("MemoryPressure", true)
    setLeft(4 * GI)
    untilMs(400_000)
    const pressure = () => pressureOf(api.node("n1"))
    assert.strictEqual(pressure(), "True")
    sources.setFault("MemoryPressure", false)
    untilMs(420_000)
    assert.strictEqual(pressure(), "False")
  })
})
