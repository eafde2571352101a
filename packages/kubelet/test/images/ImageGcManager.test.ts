import { assert, describe, it } from "vitest"
import { createPod, phaseOf, states } from "../pod/lifeOf.ts"
import { imageContainer, setUpImages } from "./setUpImages.ts"

const GI = 1024 ** 3
const MINUTE = 60_000
const names = ({ testNode }: ReturnType<typeof setUpImages>) =>
  (testNode.api.node("n1")?.status?.images ?? []).map((image) => image.names?.[0]?.replace(/.*\//, ""))
const about = (events: ReadonlyArray<string>, reason: string) => events.filter((event) => event.includes(` ${reason} `))

describe("the images of a node whose disk fills", () => {
  it("are removed at the next round, but for those in use and new ones", () => {
    const there = setUpImages({
      images: { sizeBytes: 2 * GI, present: ["old:1", "older:1"] },
      disk: "20Gi",
      config: { evictionHard: {} }
    })
    createPod(there.testNode, "a", { containers: [imageContainer("used:1")] })
    createPod(there.testNode, "b", { containers: [imageContainer("used:2")] })
    there.testNode.untilMs(4 * MINUTE)
    assert.sameMembers(names(there), ["old:1", "older:1", "used:1", "used:2"])
    createPod(there.testNode, "d", { containers: [imageContainer("used:3")] })
    there.testNode.untilMs(4.5 * MINUTE)
    there.host.setAvailable("imagefs.available", "2Gi")
    there.testNode.untilMs(6 * MINUTE)
    assert.sameMembers(names(there), ["used:1", "used:2", "used:3", "older:1"])
  })

  it("are all that is removed if they suffice, and no pod is evicted", () => {
    const there = setUpImages({
      images: { sizeBytes: 3 * GI, present: ["old:1", "old:2"] },
      disk: "10Gi",
      config: { imageGCHighThresholdPercent: 100, evictionHard: { "nodefs.available": "15%" } }
    })
    there.testNode.untilMs(3 * MINUTE)
    createPod(there.testNode, "a", { containers: [imageContainer("used:1")] })
    there.testNode.untilMs(4 * MINUTE)
    assert.strictEqual(phaseOf(there.testNode, "a"), "Running")
    assert.deepStrictEqual(names(there), ["used:1"])
    assert.include(there.events, "Warning EvictionThresholdMet Attempting to reclaim ephemeral-storage")
    assert.notInclude(there.events.join("\n"), "Evicted")
  })

  it("do not suffice when they are in use: an Event each round, and one more for the second in a row", () => {
    const there = setUpImages({ images: { sizeBytes: 9 * GI }, disk: "10Gi", config: { evictionHard: {} } })
    createPod(there.testNode, "a", { containers: [imageContainer("used:1")] })
    there.testNode.untilMs(11 * MINUTE)
    assert.strictEqual(states(there.testNode, "a"), "c running")
    assert.lengthOf(about(there.events, "FreeDiskSpaceFailed"), 3)
    assert.lengthOf(about(there.events, "ImageGCFailed"), 2)
    assert.match(
      there.events.find((event) => event.includes("ImageGCFailed")) ?? "",
      /^Warning ImageGCFailed Insufficient free disk space on the node's image filesystem \(90% of 10.0 GiB used\)/
    )
  })

  it("are counted, and pulled anew for a pod that needs them", () => {
    const there = setUpImages({
      images: { sizeBytes: GI, present: ["old:1"] },
      config: { imageMaximumGCAgeMs: MINUTE, imageMinimumGCAgeMs: 0 }
    })
    there.testNode.untilMs(6 * MINUTE)
    assert.deepStrictEqual(names(there), [])
    createPod(there.testNode, "a", { containers: [imageContainer("old:1")] })
    there.testNode.untilMs(7 * MINUTE)
    assert.include(there.events, 'Normal Pulling Pulling image "old:1"')
  })
})
