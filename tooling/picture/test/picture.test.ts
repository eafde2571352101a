import { assert, describe, it } from "vitest"
import { type Drawn, drawPicture, panelsOf } from "../src/picture.ts"

const result: Drawn = {
  metadata: { name: "a <b>" },
  spec: { release: "1.36", durationSeconds: 600 },
  summary: { workloads: [{ name: "web" }] },
  trace: [
    {
      at: 0,
      type: "ConditionChanged",
      node: "a-0",
      condition: "Ready",
      from: null,
      to: "True",
      reason: "",
      message: ""
    },
    { at: 2, type: "PodReadyChanged", namespace: "default", pod: "web-1", node: "a-0", ready: true },
    { at: 60, type: "FaultStarted", fault: "crash", nodes: ["a-0"] },
    {
      at: 110,
      type: "ConditionChanged",
      node: "a-0",
      condition: "Ready",
      from: "True",
      to: "Unknown",
      reason: "",
      message: ""
    },
    { at: 111, type: "PodReadyChanged", namespace: "default", pod: "web-1", node: "a-0", ready: false },
    {
      at: 112,
      type: "TaintAdded",
      node: "a-0",
      key: "node.kubernetes.io/unreachable",
      effect: "NoExecute",
      value: "",
      timeAdded: null
    },
    {
      at: 412,
      type: "PodDeletionRequested",
      namespace: "default",
      pod: "web-1",
      node: "a-0",
      by: "taint-eviction",
      gracePeriodSeconds: 30
    }
  ]
}

const zones = new Map([["a-0", "zone a"]])

describe("picture", () => {
  it("counts what the trace tells, and nothing twice", () => {
    const [nodes, taints, replicas] = panelsOf(result, zones)
    assert.deepStrictEqual(nodes?.series[0]?.steps, [
      [0, 0],
      [0, 1],
      [110, 0]
    ])
    assert.deepStrictEqual(taints?.series[1]?.steps.at(-1), [412, 1])
    assert.deepStrictEqual(replicas?.series[0]?.steps, [
      [0, 0],
      [2, 1],
      [111, 0]
    ])
  })

  it("is an SVG that says what the fault was", () => {
    const picture = drawPicture(result, zones)
    assert.match(picture, /^<svg /)
    assert.include(picture, "crash of 1 nodes")
    assert.include(picture, "a &lt;b>")
  })
})
