import { getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import {
  createPod,
  initContainer,
  makeRecorder,
  type StartedKubelet,
  sidecarContainer,
  startKubelet,
  states,
  statusOf
} from "./lifeOf.ts"

/** The statuses of a pod that its kubelet has posted, in order. */
const posted = ({ api }: StartedKubelet) =>
  api
    .asked("patch Pod/status")
    .map(({ request }) => (request as unknown as { readonly body: { readonly status: Pod["status"] } }).body.status)

describe("what a kubelet posts of a pod that it starts", () => {
  it("is that it is being created, then its sandbox, and then its first containers", () => {
    const testNode = startKubelet()
    const behaviour = { i: { exitAfterSeconds: 2 } }
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour })
    testNode.untilMs(7_000)
    const [first, second, third, ...others] = posted(testNode)
    assert.strictEqual(getPodCondition(first, "PodReadyToStartContainers")?.status, "False")
    assert.strictEqual(getPodCondition(second, "PodReadyToStartContainers")?.status, "True")
    assert.deepStrictEqual(Object.keys(second ?? {}), ["conditions"])
    assert.isDefined(third?.initContainerStatuses?.[0]?.state?.running)
    assert.isDefined(third?.podIP)
    assert.lengthOf(others, 0)
  })

  it("shows the sandbox while an image is pulled, and the rest after that", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { behaviour: { c: { imagePullSeconds: 5 } } })
    testNode.untilMs(10_900)
    assert.lengthOf(posted(testNode), 2)
    assert.strictEqual(getPodCondition(testNode.api.pod("a")?.status, "PodReadyToStartContainers")?.status, "True")
    assert.isUndefined(testNode.api.pod("a")?.status?.podIP)
    testNode.untilMs(11_000)
    assert.lengthOf(posted(testNode), 3)
  })

  it("says that a running init container has started", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { initContainers: [initContainer("i")], behaviour: { i: { exitAfterSeconds: 5 } } })
    testNode.untilMs(7_000)
    assert.deepInclude(statusOf(testNode, "a", "i"), { started: true, ready: false })
    testNode.untilMs(12_000)
    assert.deepInclude(statusOf(testNode, "a", "i"), { started: false, ready: true })
  })
})

describe("what a kubelet posts of a pod that it ends", () => {
  it("has no Killing Event of a container that has ended by itself", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const behaviour = { c: { exitAfterSeconds: 5 } }
    createPod(testNode, "a", { restartPolicy: "Never", initContainers: [sidecarContainer("s")], behaviour })
    testNode.untilMs(10_000)
    // The API does not hear of the container's end in time.
    testNode.link.setCut(true)
    testNode.untilMs(15_000)
    testNode.link.setCut(false)
    testNode.untilMs(40_000)
    assert.strictEqual(states(testNode, "a"), "s ended 0, c ended 0")
    assert.deepStrictEqual(
      events.filter((event) => event.includes("Killing")),
      ["Normal Killing Stopping container s"]
    )
  })

  it("says how its containers ended, and then its phase", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { restartPolicy: "Never", behaviour: { c: { exitAfterSeconds: 5, exitCode: 3 } } })
    testNode.untilMs(10_000)
    const before = posted(testNode).length
    testNode.untilMs(12_000)
    const [ends, over, ...others] = posted(testNode).slice(before)
    assert.strictEqual(ends?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3)
    assert.strictEqual(getPodCondition(ends, "Ready")?.reason, "PodFailed")
    assert.isUndefined(ends?.phase)
    assert.strictEqual(over?.phase, "Failed")
    assert.strictEqual(getPodCondition(over, "PodReadyToStartContainers")?.status, "False")
    assert.lengthOf(others, 0)
  })

  it("says at the deadline that it is not ready, and why it has failed once its containers have stopped", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { activeDeadlineSeconds: 10, behaviour: { c: { stopSeconds: 5 } } })
    testNode.untilMs(15_500)
    const { conditions, phase, reason } = testNode.api.pod("a")?.status ?? {}
    assert.deepInclude(
      conditions?.find(({ type }) => type === "Ready"),
      { status: "False", reason: "PodFailed" }
    )
    assert.strictEqual(phase, "Running")
    assert.isUndefined(reason)
    testNode.untilMs(21_000)
    assert.strictEqual(testNode.api.pod("a")?.status?.reason, "DeadlineExceeded")
  })

  it("is no deletion of a pod that had terminated, which the API deletes by itself", () => {
    const testNode = startKubelet()
    createPod(testNode, "a", { restartPolicy: "Never", behaviour: { c: { exitAfterSeconds: 1 } } })
    testNode.untilMs(10_000)
    assert.strictEqual(testNode.api.pod("a")?.status?.phase, "Succeeded")
    testNode.api.deletePod("a")
    testNode.untilMs(30_000)
    assert.isUndefined(testNode.api.pod("a"))
    assert.lengthOf(testNode.api.asked("delete Pod"), 0)
  })
})
