import { assert, describe, it } from "vitest"
import { createPod, states } from "../pod/lifeOf.ts"
import { imageEvents, setUpImages } from "./setUpImages.ts"

const volume = (reference: string, pullPolicy = "IfNotPresent") => ({
  name: "files",
  image: { reference, pullPolicy }
})

const mounting = (name: string) => ({ name, image: "app", volumeMounts: [{ name: "files", mountPath: "/files" }] })
const plain = (name: string) => ({ name, image: "app" })

describe("the image of a volume", () => {
  it("is pulled once before the containers that mount it, and belongs to the pod", () => {
    const { events, testNode, untilMs } = setUpImages({ images: { present: ["app"], pullMs: 2_000 } })
    createPod(testNode, "p", { volumes: [volume("files:1")], containers: [mounting("a"), mounting("b"), plain("c")] })
    untilMs(7_000)
    assert.strictEqual(states(testNode, "p"), "a ContainerCreating, b ContainerCreating, c ContainerCreating")
    untilMs(9_000)
    assert.strictEqual(states(testNode, "p"), "a running, b running, c running")
    const about = imageEvents(events).filter((event) => event.includes("files"))
    assert.deepStrictEqual(about, [
      'Normal Pulling Pulling image "files:1"',
      'Normal Pulled Successfully pulled image "files:1" in 2s (2s including waiting). Image size: 104857600 bytes.'
    ])
  })

  it("holds only the containers that mount it, with a back-off, while the registry does not have it", () => {
    const { events, testNode, untilMs } = setUpImages({ images: { present: ["app"], missing: ["files:1"] } })
    createPod(testNode, "p", { volumes: [volume("files:1")], containers: [mounting("a"), plain("c")] })
    untilMs(7_500)
    assert.strictEqual(states(testNode, "p"), "a ErrImagePull, c running")
    const counted = (text: string) => events.filter((event) => event === text).length
    assert.strictEqual(counted('Normal BackOff Back-off pulling image "files:1"'), 1)
    assert.strictEqual(counted("Warning Failed Error: ImagePullBackOff"), 1, "of the container")
    untilMs(18_000)
    assert.strictEqual(states(testNode, "p"), "a ImagePullBackOff, c running")
  })

  it("is not pulled with the policy Never", () => {
    const { testNode, untilMs } = setUpImages({ images: { present: ["app"] } })
    createPod(testNode, "p", { volumes: [volume("files:1", "Never")], containers: [mounting("a")] })
    untilMs(8_000)
    assert.strictEqual(states(testNode, "p"), "a ErrImageNeverPull")
  })

  it("is said to be there on a node without a registry", () => {
    const { events, testNode, untilMs } = setUpImages({})
    createPod(testNode, "p", { volumes: [volume("files:1")], containers: [mounting("a")] })
    untilMs(8_000)
    assert.strictEqual(states(testNode, "p"), "a running")
    assert.include(
      events,
      'Normal Pulled Container image "files:1" already present on machine and can be accessed by the pod'
    )
  })
})
