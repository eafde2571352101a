import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  addressAt,
  inRange,
  isStep,
  nextNodePort,
  nextStep,
  parseAddressRange,
  stepOf
} from "../../../src/core/admission/services/ranges.ts"

const rangeOf = (text: string) => {
  const range = parseAddressRange(text)
  if (range === undefined) throw new Error(text)
  return range
}

describe("address ranges", () => {
  it("are IPv4 CIDRs that contain usable addresses", () => {
    assert.deepStrictEqual(parseAddressRange("10.96.0.0/12"), {
      text: "10.96.0.0/12",
      first: 0x0a600000,
      size: 2 ** 20
    })
    assert.strictEqual(rangeOf("10.0.0.77/24").first, 0x0a000000)
    for (const text of [
      "10.0.0.0",
      "10.0.0/24",
      "10.0.0.0/31",
      "10.0.0.0/x",
      "fd00::/108",
      "10.0.0.256/24",
      "010.0.0.0/24"
    ]) {
      assert.isUndefined(parseAddressRange(text), text)
    }
  })

  it("allocate every address once, and neither the first nor the last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 25, max: 30 }), fc.nat(0xffffff), (bits, place) => {
        const range = rangeOf(`10.${(place >> 16) & 255}.${(place >> 8) & 255}.${place & 255}/${bits}`)
        const taken = new Set<string>()
        for (let count = 0; count < range.size - 2; count++) {
          const step = nextStep(range, (candidate) => taken.has(candidate))
          const address = addressAt(range, step)
          if (!isStep(range, step) || !inRange(range, address) || taken.has(address)) return false
          if (stepOf(range, address) !== step) return false
          taken.add(address)
        }
        return !isStep(
          range,
          nextStep(range, (candidate) => taken.has(candidate))
        )
      })
    )
  })
})

describe("node ports", () => {
  it("are allocated once each until none is left", () => {
    const taken = new Set<number>()
    for (let port = nextNodePort(() => false); port !== undefined; port = nextNodePort((one) => taken.has(one))) {
      assert.isFalse(taken.has(port))
      taken.add(port)
    }
    assert.deepStrictEqual([taken.size, Math.min(...taken), Math.max(...taken)], [2768, 30_000, 32_767])
  })
})
