import { featureGatesOf, type Node, type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { renderSwapJson, renderSwapTable, reportSwap, swapSizesOf } from "../../src/swap/report/index.ts"

const GI = 1024 ** 3
const release = releases["1.36"]
const config = { swapBehavior: "LimitedSwap", featureGates: featureGatesOf(release) }
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    containers: [{ name: "c", resources: { requests: { memory: "1Gi" }, limits: { memory: "2Gi" } } }, { name: "d" }]
  }
}

describe("what containers may swap", () => {
  it("is a share of the node's swap, as table and JSON", () => {
    const sizes = { memoryBytes: 8 * GI, swapBytes: 4 * GI }
    const report = reportSwap(sizes, config, release, { node: "n1", pods: [pod] })
    assert.strictEqual(
      renderSwapTable(report),
      `Node n1 (Kubernetes 1.36) has 8Gi of memory and 4Gi of swap; swapBehavior: LimitedSwap.

  pod       container  memory request  memory limit  swap
  shop/web  c          1Gi             2Gi           512Mi
  shop/web  d          -               -             0
`
    )
    const { kind, pods, swapBehavior } = JSON.parse(renderSwapJson(report))
    assert.deepStrictEqual([kind, swapBehavior], ["SwapPlan", "LimitedSwap"])
    assert.deepStrictEqual(pods[0].containers[0], {
      container: "c",
      behaviour: "LimitedSwap",
      limit: String(GI / 2)
    })
  })

  it("is nothing on a machine without swap", () => {
    const report = reportSwap({ memoryBytes: GI, swapBytes: 0 }, config, release, { pods: [pod] })
    assert.include(renderSwapTable(report), "No container swaps.")
  })

  it("uses a Node's own values, if it has them", () => {
    const node: Node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      status: { capacity: { memory: "8Gi" }, nodeInfo: { swap: { capacity: 4 * GI } } as never }
    }
    assert.deepStrictEqual(swapSizesOf(node), { memoryBytes: 8 * GI, swapBytes: 4 * GI })
    assert.deepStrictEqual(swapSizesOf(undefined), {})
  })
})
