import { getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime, type PodKill, type PodRefusal } from "../src/index.ts"
import { setUpKubelet } from "./setUpKubelet.ts"

type Options = NonNullable<Parameters<typeof setUpKubelet>[0]>
type StartedKubelet = ReturnType<typeof setUpKubelet>

const startKubelet = (options: Options = {}): StartedKubelet => {
  const testNode = setUpKubelet(options)
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return testNode
}

const runtimeThatStopsAfter = (stopMs: number): Options => ({
  runtime: (timers) => makeModelledPodRuntime(timers, { stopMs })
})

const uidOf = ({ api }: StartedKubelet, name: string) => api.pod(name)?.metadata.uid ?? ""
const phaseOf = ({ api }: StartedKubelet, name: string) => api.pod(name)?.status?.phase

const shutdown = { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." }

describe("a pod that its kubelet ends", () => {
  it("fails when its containers have stopped, not before, and stays", () => {
    const testNode = startKubelet(runtimeThatStopsAfter(3_000))
    const { api, kubelet, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    const outcomes: Array<string> = []
    const done: PodKill["done"] = (outcome) => outcomes.push(outcome)
    kubelet.killPod(uidOf(testNode, "a"), { ...shutdown, disruption: shutdown.message, done })
    untilMs(10_999)
    const { status } = api.pod("a") as Pod
    assert.strictEqual(status?.phase, "Running")
    assert.isUndefined(status?.reason)
    assert.isUndefined(getPodCondition(status, "DisruptionTarget"))
    assert.deepStrictEqual(outcomes, [])
    untilMs(11_000)
    const ended = api.pod("a")?.status
    assert.strictEqual(ended?.phase, "Failed", "although its containers ended well")
    assert.strictEqual(ended?.reason, "Terminated")
    assert.strictEqual(ended?.message, shutdown.message)
    const mark = getPodCondition(ended, "DisruptionTarget")
    assert.deepStrictEqual(
      [mark?.status, mark?.reason, mark?.message],
      ["True", "TerminationByKubelet", shutdown.message]
    )
    assert.strictEqual(getPodCondition(ended, "Ready")?.reason, "PodFailed")
    assert.deepStrictEqual(outcomes, ["stopped"])
    const patches = api.asked("patch Pod/status").length
    untilMs(600_000)
    assert.lengthOf(api.asked("patch Pod/status"), patches, "said in one patch, and no more")
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.deepStrictEqual(
      kubelet.pods().map(({ stage }) => stage),
      ["stopped"]
    )
    assert.deepStrictEqual(kubelet.activePods(), [])
  })

  it("counts among the active ones until then", () => {
    const testNode = startKubelet(runtimeThatStopsAfter(3_000))
    testNode.api.createPod("a", "n1")
    testNode.untilMs(8_000)
    testNode.kubelet.killPod(uidOf(testNode, "a"), shutdown)
    testNode.untilMs(10_999)
    assert.lengthOf(testNode.kubelet.activePods(), 1)
  })

  it("gets the grace period of its first killer: the stop is not interrupted", () => {
    const testNode = startKubelet(runtimeThatStopsAfter(600_000))
    const { api, kubelet, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    kubelet.killPod(uidOf(testNode, "a"), { ...shutdown, graceSeconds: 20 })
    untilMs(10_000)
    kubelet.killPod(uidOf(testNode, "a"), { ...shutdown, graceSeconds: 60 })
    untilMs(11_000)
    kubelet.killPod(uidOf(testNode, "a"), { reason: "Evicted", message: "low", graceSeconds: 5 })
    untilMs(27_999)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    untilMs(28_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.strictEqual(api.pod("a")?.status?.reason, "Evicted", "the last who asked has the word")
  })

  it("is waited for no longer than its kill timeout, which is at least ten seconds", () => {
    const events: Array<string> = []
    const testNode = startKubelet({
      recorder: { event: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
      // Whatever grace it gets, this machine does not heed it.
      runtime: (timers) => {
        const runtime = makeModelledPodRuntime(timers)
        return {
          start: (pod, observer) => runtime.start(pod, observer),
          restart: (pod, name, observer) => runtime.restart(pod, name, observer),
          stop: (_, __, observer) => void timers.after(100_000, () => observer.stopped(137)),
          runs: (pod, observer) => runtime.runs(pod, observer),
          setPodCIDR: (cidrs) => runtime.setPodCIDR(cidrs),
          powerOff: () => runtime.powerOff()
        }
      }
    })
    const { api, kubelet, untilMs } = testNode
    for (const name of ["a", "b"]) api.createPod(name, "n1", { terminationGracePeriodSeconds: 30 })
    untilMs(8_000)
    const outcomes: Array<string> = []
    const done = (name: string) => (outcome: string) => outcomes.push(`${name} ${outcome}`)
    kubelet.killPod(uidOf(testNode, "a"), { ...shutdown, graceSeconds: 2, done: done("a") })
    kubelet.killPod(uidOf(testNode, "b"), { ...shutdown, done: done("b") })
    untilMs(17_999)
    assert.deepStrictEqual(outcomes, [])
    untilMs(18_000)
    assert.deepStrictEqual(outcomes, ["a timedOut"])
    untilMs(52_999)
    assert.lengthOf(outcomes, 1)
    untilMs(53_000)
    assert.deepStrictEqual(outcomes, ["a timedOut", "b timedOut"])
    const given = "Warning ExceededGracePeriod Container runtime did not kill the pod within specified grace period."
    assert.strictEqual(events.filter((event) => event === given).length, 2)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    untilMs(108_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Failed")
    assert.lengthOf(outcomes, 2)
  })

  it("is killed at once when it has no containers", () => {
    const { kubelet } = startKubelet()
    const outcomes: Array<string> = []
    kubelet.killPod("nobody", { ...shutdown, done: (outcome) => outcomes.push(outcome) })
    assert.deepStrictEqual(outcomes, ["stopped"])
  })

  it("is removed when it is deleted meanwhile, after its reason was written", () => {
    const testNode = startKubelet(runtimeThatStopsAfter(3_000))
    const { api, kubelet, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    kubelet.killPod(uidOf(testNode, "a"), shutdown)
    untilMs(9_000)
    api.deletePod("a")
    untilMs(11_000)
    assert.isUndefined(api.pod("a"))
    assert.strictEqual(testNode.lastPodStatus()?.reason, "Terminated")
  })

  it("is run again after a power loss before its status was written", () => {
    const testNode = startKubelet(runtimeThatStopsAfter(3_000))
    const { boot, api, kubelet, link, untilMs } = testNode
    api.createPod("a", "n1")
    untilMs(8_000)
    link.setCut(true)
    kubelet.killPod(uidOf(testNode, "a"), shutdown)
    untilMs(12_000)
    kubelet.powerLost()
    link.setCut(false)
    boot()
    untilMs(20_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.isUndefined(api.pod("a")?.status?.reason)
    assert.strictEqual(api.pod("a")?.status?.containerStatuses?.[0]?.restartCount, 1)
  })
})

describe("asynchronous admission", () => {
  type Decide = (refusal: PodRefusal | undefined) => void

  const slow = (options: Options = {}) => {
    const asked: Array<{ readonly name: string; readonly decide: Decide; readonly others: ReadonlyArray<string> }> = []
    const testNode = startKubelet({
      ...options,
      admission: [
        ({ otherPods, pod }) =>
          (decide) =>
            asked.push({
              name: pod.metadata.name ?? "",
              decide,
              others: otherPods().map(({ metadata }) => metadata.name ?? "")
            })
      ]
    })
    return { ...testNode, asked, answer: (refusal?: PodRefusal) => asked.at(-1)?.decide(refusal) }
  }

  it("makes one pod wait behind another", () => {
    const testNode = slow()
    for (const name of ["a", "b", "c"]) testNode.api.createPod(name, "n1")
    testNode.untilMs(5_001)
    assert.deepStrictEqual(
      testNode.asked.map(({ name }) => name),
      ["a"]
    )
    testNode.answer()
    testNode.answer({ reason: "No", message: "room" })
    testNode.answer()
    assert.deepStrictEqual(
      testNode.asked.map(({ name, others }) => `${name}: ${others}`),
      ["a: ", "b: a", "c: a"]
    )
    testNode.untilMs(8_000)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((name) => phaseOf(testNode, name)),
      ["Running", "Failed", "Running"]
    )
  })

  it("admits the oldest first", () => {
    const testNode = slow()
    testNode.kubelet.stopKubelet()
    testNode.api.createPod("z", "n1")
    testNode.untilMs(7_000)
    testNode.api.createPod("a", "n1")
    testNode.kubelet.startKubelet()
    testNode.untilMs(9_000)
    testNode.answer()
    assert.deepStrictEqual(
      testNode.asked.map(({ name }) => name),
      ["z", "a"]
    )
  })

  it("does not start a pod that was deleted meanwhile, whether its admission was in progress or not", () => {
    const testNode = slow()
    for (const name of ["a", "b", "c"]) testNode.api.createPod(name, "n1")
    for (const name of ["a", "b"]) testNode.api.deletePod(name)
    testNode.untilMs(5_001)
    assert.isUndefined(testNode.api.pod("a"))
    assert.isUndefined(testNode.api.pod("b"))
    testNode.answer()
    assert.deepStrictEqual(
      testNode.asked.map(({ name }) => name),
      ["a", "c"]
    )
    testNode.answer()
    testNode.untilMs(8_000)
    assert.deepStrictEqual(
      testNode.kubelet.pods().map(({ name, stage }) => `${name} ${stage}`),
      ["c running"]
    )
  })

  it("drops admissions in progress when the kubelet is stopped, and starts them again", () => {
    const testNode = slow()
    testNode.api.createPod("a", "n1")
    testNode.untilMs(5_001)
    testNode.kubelet.stopKubelet()
    testNode.answer()
    testNode.untilMs(6_000)
    assert.deepStrictEqual(testNode.kubelet.activePods(), [])
    testNode.kubelet.startKubelet()
    testNode.untilMs(7_000)
    assert.lengthOf(testNode.asked, 2)
    testNode.answer()
    testNode.untilMs(9_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
  })
})
