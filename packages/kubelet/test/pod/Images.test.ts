import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import {
  kubeletConfig,
  type ModelledPodRuntimeOptions,
  makeModelledHost,
  makeModelledPodRuntime
} from "../../src/index.ts"
import { createPod, makeRecorder, phaseOf, startKubelet, states, statusOf } from "./lifeOf.ts"

const images = (given: ModelledPodRuntimeOptions["images"] & {}, config: Parameters<typeof kubeletConfig>[0] = {}) => {
  const host = makeModelledHost({ name: "n1" })
  const { events, recorder } = makeRecorder()
  const testNode = startKubelet({
    recorder,
    host,
    config: kubeletConfig(config),
    runtime: (timers) => makeModelledPodRuntime(timers, { images: given }, host)
  })
  return { events, testNode }
}

const container = (image: string, imagePullPolicy?: string): Pod["spec"]["containers"][number] => ({
  name: "c",
  image,
  ...(imagePullPolicy === undefined ? {} : { imagePullPolicy })
})

const about = (events: ReadonlyArray<string>) =>
  events.filter((event) => !/ (Created|Started|Starting|Node\w*) /.test(event))

describe("an image that a node does not have", () => {
  it("is pulled before its container starts, and then stays", () => {
    const { events, testNode } = images({ pullMs: 20_000 })
    createPod(testNode, "a", { containers: [container("shop:v1")] })
    testNode.untilMs(25_999)
    assert.strictEqual(states(testNode, "a"), "c ContainerCreating")
    testNode.untilMs(26_000)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.deepStrictEqual(about(events), [
      'Normal Pulling Pulling image "shop:v1"',
      'Normal Pulled Successfully pulled image "shop:v1" in 20s (20s including waiting). Image size: 104857600 bytes.'
    ])
    events.length = 0
    createPod(testNode, "b", { containers: [container("shop:v1")] })
    testNode.untilMs(28_000)
    assert.strictEqual(states(testNode, "b"), "c running")
    assert.strictEqual(
      events[0],
      'Normal Pulled Container image "shop:v1" already present on machine and can be accessed by the pod'
    )
    testNode.untilMs(60_000)
    const reported = testNode.api.node("n1")?.status?.images
    assert.deepStrictEqual(reported, [{ names: ["docker.io/library/shop:v1"], sizeBytes: 104_857_600 }])
  })

  it("is pulled after those that were asked for before, with the kubelet's defaults", () => {
    const { events, testNode } = images({ pullMs: 20_000, pullMsOf: { quick: 5_000 } })
    createPod(testNode, "a", { containers: [container("slow")] })
    createPod(testNode, "b", { containers: [container("quick")] })
    testNode.untilMs(30_999)
    assert.strictEqual(states(testNode, "b"), "c ContainerCreating")
    testNode.untilMs(31_000)
    assert.strictEqual(states(testNode, "b"), "c running")
    assert.include(events.join("\n"), 'pulled image "quick" in 5s (25s including waiting).')
  })

  it("is pulled beside others without serializeImagePulls, up to maxParallelImagePulls", () => {
    const { testNode } = images({ pullMs: 20_000 }, { serializeImagePulls: false, maxParallelImagePulls: 2 })
    for (const name of ["a", "b", "d"]) createPod(testNode, name, { containers: [container(name)] })
    testNode.untilMs(26_000)
    assert.strictEqual(phaseOf(testNode, "a"), "Running")
    assert.strictEqual(phaseOf(testNode, "b"), "Running")
    testNode.untilMs(45_999)
    assert.strictEqual(phaseOf(testNode, "d"), "Pending")
    testNode.untilMs(46_000)
    assert.strictEqual(phaseOf(testNode, "d"), "Running")
  })

  it("is pulled one after another for the containers of a pod, whose states show together", () => {
    const { testNode } = images({ pullMs: 10_000 }, { serializeImagePulls: false })
    createPod(testNode, "a", {
      containers: [
        { name: "c", image: "one" },
        { name: "d", image: "two" }
      ]
    })
    testNode.untilMs(25_999)
    assert.strictEqual(states(testNode, "a"), "c ContainerCreating, d ContainerCreating")
    testNode.untilMs(26_000)
    assert.strictEqual(states(testNode, "a"), "c running, d running")
    assert.strictEqual(statusOf(testNode, "a", "c")?.state?.running?.startedAt, "2026-01-01T00:00:16Z")
  })

  it("delays also the end of its pod", () => {
    const { testNode } = images({ pullMs: 20_000 })
    createPod(testNode, "a", { containers: [container("shop")] })
    testNode.untilMs(10_000)
    testNode.api.deletePod("a", 5)
    testNode.untilMs(26_500)
    assert.isDefined(testNode.api.pod("a"))
    testNode.untilMs(28_000)
    assert.isUndefined(testNode.api.pod("a"))
  })

  it("is asked for again by a kubelet that was stopped meanwhile", () => {
    const { testNode } = images({ pullMs: 20_000 })
    createPod(testNode, "a", { containers: [container("shop")] })
    testNode.untilMs(10_000)
    testNode.kubelet.stopKubelet()
    testNode.untilMs(40_000)
    testNode.kubelet.startKubelet()
    testNode.untilMs(42_000)
    assert.strictEqual(states(testNode, "a"), "c running")
  })

  it("is missed with the policy Never, and tried again", () => {
    const { events, testNode } = images({})
    createPod(testNode, "a", { containers: [container("shop", "Never")] })
    testNode.untilMs(6_000)
    const message = 'Container image "shop" is not present with pull policy of Never'
    const expected = [`Warning ErrImageNeverPull ${message}`, "Warning Failed Error: ErrImageNeverPull"]
    assert.deepStrictEqual(about(events), expected)
    // The next sync shows why the one before has not started it.
    assert.strictEqual(states(testNode, "a"), "c ContainerCreating")
    testNode.untilMs(7_000)
    assert.deepStrictEqual(statusOf(testNode, "a", "c")?.state?.waiting, { reason: "ErrImageNeverPull", message })
    // Once soon, because the sandbox is new, and once after the back-off.
    testNode.untilMs(22_000)
    assert.deepStrictEqual(about(events), [...expected, ...expected, ...expected])
  })

  it("is not pulled during the back-off of another container of the pod", () => {
    const { events, testNode } = images({ missing: ["shop"] })
    createPod(testNode, "a", {
      containers: [
        { name: "c", image: "shop" },
        { name: "d", image: "shop" }
      ]
    })
    testNode.untilMs(6_999)
    assert.deepStrictEqual(
      about(events).filter((event) => !event.includes("rpc error")),
      [
        'Normal Pulling Pulling image "shop"',
        "Warning Failed Error: ErrImagePull",
        'Normal BackOff Back-off pulling image "shop"',
        "Warning Failed Error: ImagePullBackOff"
      ]
    )
    testNode.untilMs(7_000)
    assert.strictEqual(states(testNode, "a"), "c ErrImagePull, d ImagePullBackOff")
  })
})

describe("an image that a node has", () => {
  it("is checked with the registry with the policy Always", () => {
    const { events, testNode } = images({ present: ["docker.io/library/shop:latest"], pullMs: 20_000 })
    createPod(testNode, "a", { containers: [container("shop", "Always")] })
    createPod(testNode, "b", { containers: [container("shop", "Never")] })
    testNode.untilMs(6_000)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.strictEqual(states(testNode, "b"), "c running")
    assert.includeMembers(about(events), [
      'Normal Pulling Pulling image "shop"',
      'Normal Pulled Successfully pulled image "shop" in 0s (0s including waiting). Image size: 104857600 bytes.'
    ])
  })
})

describe("a name that is no image's", () => {
  it("keeps its container waiting", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    createPod(testNode, "a", { containers: [container("Shop:v1")] })
    testNode.untilMs(7_000)
    assert.strictEqual(states(testNode, "a"), "c InvalidImageName")
    const problem = "invalid reference format: repository name (library/Shop) must be lowercase"
    const message = `Failed to apply default image tag "Shop:v1": couldn't parse image name "Shop:v1": ${problem}`
    assert.strictEqual(statusOf(testNode, "a", "c")?.state?.waiting?.message, message)
    assert.deepStrictEqual(about(events), [
      `Warning InspectFailed ${message}`,
      "Warning Failed Error: InvalidImageName",
      `Warning InspectFailed ${message}`,
      "Warning Failed Error: InvalidImageName"
    ])
  })
})
