import { getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime, type PodKill, type PodRefusal } from "../src/index.ts"
import { makeWorld } from "./world.ts"

type Options = NonNullable<Parameters<typeof makeWorld>[0]>
type World = ReturnType<typeof makeWorld>

const started = (options: Options = {}): World => {
  const world = makeWorld(options)
  world.kubelet.startKubelet()
  world.untilMs(5_000)
  return world
}

const stopsAfter = (stopMs: number): Options => ({ runtime: (timers) => makeModelledPodRuntime(timers, { stopMs }) })

const uidOf = ({ api }: World, name: string) => api.pod(name)?.metadata.uid ?? ""
const phaseOf = ({ api }: World, name: string) => api.pod(name)?.status?.phase

const shutdown = { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." }

describe("a pod that its kubelet ends", () => {
  it("fails when its containers have stopped, not before, and stays", () => {
    const world = started(stopsAfter(3_000))
    const { api, kubelet, untilMs } = world
    api.createPod("a", "n1")
    untilMs(8_000)
    const outcomes: Array<string> = []
    const done: PodKill["done"] = (outcome) => outcomes.push(outcome)
    kubelet.killPod(uidOf(world, "a"), { ...shutdown, disruption: shutdown.message, done })
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
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.deepStrictEqual(
      kubelet.pods().map(({ stage }) => stage),
      ["stopped"]
    )
    assert.deepStrictEqual(kubelet.activePods(), [])
  })

  it("counts among the active ones until then", () => {
    const world = started(stopsAfter(3_000))
    world.api.createPod("a", "n1")
    world.untilMs(8_000)
    world.kubelet.killPod(uidOf(world, "a"), shutdown)
    world.untilMs(10_999)
    assert.lengthOf(world.kubelet.activePods(), 1)
  })

  it("gets the grace period of its killer, which only decreases", () => {
    const world = started(stopsAfter(600_000))
    const { api, kubelet, untilMs } = world
    api.createPod("a", "n1")
    untilMs(8_000)
    kubelet.killPod(uidOf(world, "a"), { ...shutdown, graceSeconds: 20 })
    untilMs(10_000)
    kubelet.killPod(uidOf(world, "a"), { ...shutdown, graceSeconds: 60 })
    untilMs(11_000)
    kubelet.killPod(uidOf(world, "a"), { reason: "Evicted", message: "low", graceSeconds: 5 })
    untilMs(15_999)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    untilMs(16_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.strictEqual(api.pod("a")?.status?.reason, "Evicted", "the last who asked has the word")
  })

  it("is given up after its time, and at least ten seconds", () => {
    const events: Array<string> = []
    const world = started({
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
    const { api, kubelet, untilMs } = world
    for (const name of ["a", "b"]) api.createPod(name, "n1", { terminationGracePeriodSeconds: 30 })
    untilMs(8_000)
    const outcomes: Array<string> = []
    const done = (name: string) => (outcome: string) => outcomes.push(`${name} ${outcome}`)
    kubelet.killPod(uidOf(world, "a"), { ...shutdown, graceSeconds: 2, done: done("a") })
    kubelet.killPod(uidOf(world, "b"), { ...shutdown, done: done("b") })
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
    assert.strictEqual(phaseOf(world, "a"), "Running")
    untilMs(108_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.lengthOf(outcomes, 2)
  })

  it("is done at once when there is nothing to end", () => {
    const { kubelet } = started()
    const outcomes: Array<string> = []
    kubelet.killPod("nobody", { ...shutdown, done: (outcome) => outcomes.push(outcome) })
    assert.deepStrictEqual(outcomes, ["stopped"])
  })

  it("is removed when it is deleted meanwhile, after its reason was written", () => {
    const world = started(stopsAfter(3_000))
    const { api, kubelet, untilMs } = world
    api.createPod("a", "n1")
    untilMs(8_000)
    kubelet.killPod(uidOf(world, "a"), shutdown)
    untilMs(9_000)
    api.deletePod("a")
    untilMs(11_000)
    assert.isUndefined(api.pod("a"))
    assert.strictEqual(world.lastPodStatus()?.reason, "Terminated")
  })

  it("is run again after a power loss before its status was written", () => {
    const world = started(stopsAfter(3_000))
    const { boot, api, kubelet, link, untilMs } = world
    api.createPod("a", "n1")
    untilMs(8_000)
    link.setCut(true)
    kubelet.killPod(uidOf(world, "a"), shutdown)
    untilMs(12_000)
    kubelet.powerLost()
    link.setCut(false)
    boot()
    untilMs(20_000)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.isUndefined(api.pod("a")?.status?.reason)
    assert.strictEqual(api.pod("a")?.status?.containerStatuses?.[0]?.restartCount, 1)
  })
})

describe("asynchronous admission", () => {
  type Decide = (refusal: PodRefusal | undefined) => void

  const slow = (options: Options = {}) => {
    const asked: Array<{ readonly name: string; readonly decide: Decide; readonly others: ReadonlyArray<string> }> = []
    const world = started({
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
    return { ...world, asked, answer: (refusal?: PodRefusal) => asked.at(-1)?.decide(refusal) }
  }

  it("makes one pod wait behind another", () => {
    const world = slow()
    for (const name of ["a", "b", "c"]) world.api.createPod(name, "n1")
    world.untilMs(5_001)
    assert.deepStrictEqual(
      world.asked.map(({ name }) => name),
      ["a"]
    )
    world.answer()
    world.answer({ reason: "No", message: "room" })
    world.answer()
    assert.deepStrictEqual(
      world.asked.map(({ name, others }) => `${name}: ${others}`),
      ["a: ", "b: a", "c: a"]
    )
    world.untilMs(8_000)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((name) => phaseOf(world, name)),
      ["Running", "Failed", "Running"]
    )
  })

  it("admits the oldest first", () => {
    const world = slow()
    world.kubelet.stopKubelet()
    world.api.createPod("z", "n1")
    world.untilMs(7_000)
    world.api.createPod("a", "n1")
    world.kubelet.startKubelet()
    world.untilMs(9_000)
    world.answer()
    assert.deepStrictEqual(
      world.asked.map(({ name }) => name),
      ["z", "a"]
    )
  })

  it("does not start a pod that was deleted meanwhile, whether its admission was in progress or not", () => {
    const world = slow()
    for (const name of ["a", "b", "c"]) world.api.createPod(name, "n1")
    for (const name of ["a", "b"]) world.api.deletePod(name)
    world.untilMs(5_001)
    assert.isUndefined(world.api.pod("a"))
    assert.isUndefined(world.api.pod("b"))
    world.answer()
    assert.deepStrictEqual(
      world.asked.map(({ name }) => name),
      ["a", "c"]
    )
    world.answer()
    world.untilMs(8_000)
    assert.deepStrictEqual(
      world.kubelet.pods().map(({ name, stage }) => `${name} ${stage}`),
      ["c running"]
    )
  })

  it("drops admissions in progress when the kubelet is stopped, and starts them again", () => {
    const world = slow()
    world.api.createPod("a", "n1")
    world.untilMs(5_001)
    world.kubelet.stopKubelet()
    world.answer()
    world.untilMs(6_000)
    assert.deepStrictEqual(world.kubelet.activePods(), [])
    world.kubelet.startKubelet()
    world.untilMs(7_000)
    assert.lengthOf(world.asked, 2)
    world.answer()
    world.untilMs(9_000)
    assert.strictEqual(phaseOf(world, "a"), "Running")
  })
})
