import { kubeletConfig } from "@rollcall/kubelet"
import { assert, describe, it } from "vitest"
import { groupProblem, machinesOfGroup } from "../src/index.ts"

describe("the images of a group of machines", () => {
  it("are those of each machine, in milliseconds and bytes", () => {
    const images = {
      present: ["web:1"],
      pullTime: "45s",
      pullTimes: { "registry.example/big:2": 120 },
      missing: ["web:3"],
      size: "1Gi",
      sizes: { "web:1": "2Gi" },
      credentials: { "registry.example": "user:secret" }
    }
    const [machine] = machinesOfGroup({ group: { name: "a", images }, names: ["a-0"], kubelet: kubeletConfig() })
    assert.deepStrictEqual(machine?.images, {
      present: ["web:1"],
      pullMs: 45_000,
      pullMsOf: { "registry.example/big:2": 120_000 },
      missing: ["web:3"],
      sizeBytes: 1_073_741_824,
      sizeBytesOf: { "web:1": 2_147_483_648 },
      credentials: { "registry.example": "user:secret" }
    })
  })

  it("have names of images, and a size that is not negative", () => {
    const pathOf = (images: Parameters<typeof groupProblem>[0]["images"] & {}) =>
      groupProblem({ name: "a", images })?.[0]
    assert.isUndefined(pathOf({ present: ["web", "registry.example:5000/shop/web:1.4"], size: "2Gi" }))
    assert.strictEqual(pathOf({ present: ["web", "Web:1"] }), "images.present[1]")
    assert.strictEqual(pathOf({ missing: ["web:"] }), "images.missing[0]")
    assert.strictEqual(pathOf({ pullTimes: { "web/": "1m" } }), "images.pullTimes.web/")
    assert.strictEqual(pathOf({ size: "-1Gi" }), "images.size")
    assert.strictEqual(pathOf({ sizes: { web: "-1Gi" } }), "images.sizes.web")
    assert.strictEqual(pathOf({ sizes: { Web: "1Gi" } }), "images.sizes.Web")
    assert.strictEqual(pathOf({ credentials: { "registry.example": "user" } }), "images.credentials.registry.example")
    assert.strictEqual(pathOf({ dockerConfig: { "registry.example": "user" } }), "images.dockerConfig.registry.example")
  })
})
