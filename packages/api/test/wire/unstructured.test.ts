import { assert, describe, it } from "@effect/vitest"
import { decodeValue, wireTypeNamed, withCutIntegers } from "../../src/wire/index.ts"

describe("a number that is too large for its field", () => {
  const type = wireTypeNamed("io.k8s.api.resource.v1.ResourcePool")
  const deployment = wireTypeNamed("io.k8s.api.apps.v1.DeploymentSpec")
  if (type === undefined || deployment === undefined) throw new Error("no type")

  it("becomes the smallest int64, as on most processors, and is decoded", () => {
    const smallest = -(2n ** 63n)
    for (const generation of [1e20, -1e20, 2 ** 63]) {
      const cut = withCutIntegers(type, { generation })
      assert.deepStrictEqual(cut, { generation: smallest })
      const decoded = decodeValue(type, cut)
      assert.deepStrictEqual(decoded._tag === "Success" && decoded.success.value, {
        name: "",
        resourceSliceCount: 0,
        generation: smallest
      })
    }
  })

  it("keeps its low bits in a smaller field, and its digits in a field of its size", () => {
    const largest = 2n ** 63n - 1n
    assert.deepStrictEqual(withCutIntegers(deployment, { replicas: 2 ** 32 + 1 }), { replicas: 1 })
    assert.deepStrictEqual(withCutIntegers(deployment, { replicas: largest }), { replicas: -1 })
    assert.deepStrictEqual(withCutIntegers(type, { generation: largest, name: 1e20 }), {
      generation: largest,
      name: 1e20
    })
  })
})
