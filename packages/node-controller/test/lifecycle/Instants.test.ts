import { formatMicroTime, formatTime, parseTime } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isBefore, sameInstant } from "../../src/lifecycle/NodeHealth.ts"

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
const wire = fc.oneof(instant.map(formatTime), instant.map(formatMicroTime))

describe("instants on the wire", () => {
  it("compare as the instants that they are, whatever their form", () => {
    fc.assert(
      fc.property(wire, wire, (left, right) => {
        assert.strictEqual(isBefore(left, right), parseTime(left) < parseTime(right))
        assert.strictEqual(sameInstant(left, right), parseTime(left) === parseTime(right))
      })
    )
  })

  it("know other zones and fractions", () => {
    assert.isTrue(sameInstant("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000000Z"))
    assert.isTrue(isBefore("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000001Z"))
    assert.isTrue(isBefore("2026-01-01T01:30:00+02:00", "2026-01-01T00:00:00+00:00"))
  })

  it("take a missing time for neither earlier nor the same", () => {
    const some = formatTime(0)
    assert.isFalse(isBefore(undefined, some))
    assert.isFalse(isBefore(some, undefined))
    assert.isFalse(sameInstant(undefined, some))
    assert.isTrue(sameInstant(undefined, undefined))
  })
})
