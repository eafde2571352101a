import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { nodeMaskSizes } from "../../src/ipam/maskSizes.ts"

const ipv4 = { family: 4 } as const
const ipv6 = { family: 6 } as const

/** Sizes, or the refusal, of the flags --node-cidr-mask-size, -ipv4 and -ipv6. */
const sizes = (ranges: Parameters<typeof nodeMaskSizes>[1], both: number, only4: number, only6: number) =>
  Result.merge(
    nodeMaskSizes({ nodeCIDRMaskSize: both, nodeCIDRMaskSizeIPv4: only4, nodeCIDRMaskSizeIPv6: only6 }, ranges)
  )

describe("the mask of a node's part of a range", () => {
  it("is 24 bits in IPv4 and 64 in IPv6 unless a flag says otherwise", () => {
    assert.deepStrictEqual(sizes([ipv4], 0, 0, 0), [24])
    assert.deepStrictEqual(sizes([ipv6], 0, 0, 0), [64])
    assert.deepStrictEqual(sizes([ipv6, ipv4], 0, 0, 0), [64, 24])
  })

  it("comes from the flag of its family", () => {
    assert.deepStrictEqual(sizes([ipv4], 0, 26, 0), [26])
    assert.deepStrictEqual(sizes([ipv6], 0, 0, 80), [80])
    assert.deepStrictEqual(sizes([ipv4, ipv6], 0, 26, 80), [26, 80])
    assert.deepStrictEqual(sizes([ipv4, ipv6], 0, 26, 0), [26, 64])
    assert.deepStrictEqual(sizes([ipv4, ipv6], 0, 0, 80), [24, 80])
  })

  it("comes from the flag for both, in a cluster of one family and without the others", () => {
    assert.deepStrictEqual(sizes([ipv4], 25, 0, 0), [25])
    assert.deepStrictEqual(sizes([ipv6], 72, 0, 0), [72])
    const unset =
      "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags"
    assert.strictEqual(sizes([ipv4], 25, 26, 0), unset)
    assert.strictEqual(sizes([ipv4], 25, 0, 80), unset)
    assert.strictEqual(
      sizes([ipv4, ipv6], 25, 0, 0),
      "usage of --node-cidr-mask-size is not allowed with dual-stack clusters"
    )
  })

  it("has no flag of the family that the cluster does not have", () => {
    assert.strictEqual(
      sizes([ipv6], 0, 26, 0),
      "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster"
    )
    assert.strictEqual(
      sizes([ipv4], 0, 0, 80),
      "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster"
    )
  })
})
