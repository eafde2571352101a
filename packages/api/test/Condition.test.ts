import { assert, describe, it } from "vitest"
import { getNodeCondition, isNodeReady, type Node, type PodStatus, updatePodCondition } from "../src/index.ts"
import { setNodeCondition } from "../src/NodeCondition.ts"

const EARLIER = "2026-01-01T00:00:00Z"
const LATER = "2026-01-01T01:00:00Z"

describe("pod conditions", () => {
  const status: PodStatus = {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True", reason: "r", lastProbeTime: null, lastTransitionTime: EARLIER }]
  }

  it("update their time only with their status", () => {
    const same = updatePodCondition(status, { type: "Ready", status: "True", reason: "other" }, LATER)
    assert.strictEqual(same.conditions?.[0]?.lastTransitionTime, EARLIER)
    assert.strictEqual(same.conditions?.[0]?.reason, "other")
    const flipped = updatePodCondition(status, { type: "Ready", status: "False", reason: "r" }, LATER)
    assert.strictEqual(flipped.conditions?.[0]?.lastTransitionTime, LATER)
  })

  it("return the same status when only the observed generation differs", () => {
    const condition = { type: "Ready", status: "True", reason: "r", observedGeneration: 7 }
    assert.strictEqual(updatePodCondition(status, condition, LATER), status)
  })

  it("are added at the end", () => {
    const added = updatePodCondition(status, { type: "DisruptionTarget", status: "True" }, LATER)
    assert.deepStrictEqual(added.conditions?.[1], {
      type: "DisruptionTarget",
      status: "True",
      lastTransitionTime: LATER
    })
    assert.strictEqual(added.conditions?.[0], status.conditions?.[0])
  })
})

describe("node conditions", () => {
  const node = (status: string): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    status: {
      conditions: [
        { type: "MemoryPressure", status: "False" },
        { type: "Ready", status }
      ]
    }
  })

  it("report Ready only when Ready is True", () => {
    assert.deepStrictEqual(
      ["True", "False", "Unknown"].map((status) => isNodeReady(node(status))),
      [true, false, false]
    )
    assert.isFalse(isNodeReady({}))
  })

  it("replace the condition of their type", () => {
    const set = setNodeCondition(node("True").status?.conditions, { type: "MemoryPressure", status: "True" })
    assert.deepStrictEqual(
      set.map(({ type, status }) => `${type}=${status}`),
      ["MemoryPressure=True", "Ready=True"]
    )
    assert.strictEqual(getNodeCondition({ status: { conditions: set } }, "MemoryPressure")?.status, "True")
    assert.lengthOf(setNodeCondition(undefined, { type: "Ready", status: "True" }), 1)
  })
})
