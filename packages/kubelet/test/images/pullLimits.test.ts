import { assert, describe, it } from "vitest"
import { imageSizeBucket } from "../../src/images/imageSizeBucket.ts"
import { createPod, states, statusOf } from "../pod/lifeOf.ts"
import { imageContainer, imageEvents, setUpImages } from "./setUpImages.ts"

describe("registryPullQPS", () => {
  it("refuses pulls beyond the burst, which are tried again after their back-off", () => {
    const { events, testNode } = setUpImages({
      images: { pullMs: 100 },
      config: { serializeImagePulls: false, registryPullQPS: 1, registryBurst: 2 }
    })
    for (const name of ["a", "b", "d"]) createPod(testNode, name, { containers: [imageContainer(name)] })
    testNode.untilMs(6_500)
    assert.deepStrictEqual([states(testNode, "a"), states(testNode, "b")], ["c running", "c running"])
    assert.deepStrictEqual(
      imageEvents(events).filter((event) => event.includes('"d"') || event.includes("Error")),
      [
        'Normal Pulling Pulling image "d"',
        'Warning Failed Failed to pull image "d": pull QPS exceeded',
        "Warning Failed Error: ErrImagePull"
      ]
    )
    testNode.untilMs(7_000)
    assert.strictEqual(states(testNode, "d"), "c ErrImagePull")
    assert.strictEqual(statusOf(testNode, "d", "c")?.state?.waiting?.message, "pull QPS exceeded")
    testNode.untilMs(17_050)
    assert.strictEqual(states(testNode, "d"), "c ImagePullBackOff")
    assert.strictEqual(
      statusOf(testNode, "d", "c")?.state?.waiting?.message,
      'Back-off pulling image "d": ErrImagePull: pull QPS exceeded'
    )
    testNode.untilMs(18_000)
    assert.strictEqual(states(testNode, "d"), "c running")
  })

  it("counts pulls as they begin, so that those that wait for others are not refused", () => {
    const { testNode } = setUpImages({ images: { pullMs: 1_000 }, config: { registryPullQPS: 1, registryBurst: 1 } })
    for (const name of ["a", "b", "d"]) createPod(testNode, name, { containers: [imageContainer(name)] })
    testNode.untilMs(9_000)
    assert.deepStrictEqual(
      ["a", "b", "d"].map((name) => states(testNode, name)),
      ["c running", "c running", "c running"]
    )
  })

  it("limits nothing with 0", () => {
    const { testNode } = setUpImages({
      images: {},
      config: { serializeImagePulls: false, registryPullQPS: 0, registryBurst: 1 }
    })
    for (const name of ["a", "b", "d"]) createPod(testNode, name, { containers: [imageContainer(name)] })
    testNode.untilMs(6_500)
    assert.strictEqual(states(testNode, "d"), "c running")
  })
})

describe("a pull that fails in the runtime's words", () => {
  it("names the registry or the signature, as the kubelet does", () => {
    const { events, testNode } = setUpImages({})
    const behaviour = { "*": { imagePullError: "RegistryUnavailable: no route to host" } }
    createPod(testNode, "a", { containers: [imageContainer("app:1")], behaviour })
    testNode.untilMs(7_500)
    assert.strictEqual(states(testNode, "a"), "c RegistryUnavailable")
    const message = "image pull failed for app:1 because the registry is unavailable: no route to host"
    assert.strictEqual(statusOf(testNode, "a", "c")?.state?.waiting?.message, message)
    testNode.untilMs(17_500)
    assert.strictEqual(states(testNode, "a"), "c ImagePullBackOff")
    assert.strictEqual(
      statusOf(testNode, "a", "c")?.state?.waiting?.message,
      `Back-off pulling image "app:1": RegistryUnavailable: ${message}`
    )
    assert.includeMembers(events, [
      'Warning Failed Failed to pull image "app:1": RegistryUnavailable: no route to host',
      "Warning Failed Error: RegistryUnavailable"
    ])
  })
})

describe("the size of an image", () => {
  it("has the labels of upstream", () => {
    const mb = 1024 * 1024
    assert.deepStrictEqual([0, 1, 10 * mb, 10 * mb + 1, 600 * mb, 2_000 * mb, 200_000 * mb].map(imageSizeBucket), [
      "N/A",
      "0-10MB",
      "0-10MB",
      "10MB-100MB",
      "500MB-1GB",
      "1GB-5GB",
      "GT100GB"
    ])
  })
})
