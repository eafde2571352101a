import type { TraceEntry } from "@rollcall/simulator"
import { assert, describe, it } from "vitest"
import { compareOutages, eventsOf } from "../src/outage/compare.ts"

describe("the comparison", () => {
  const ready = (node: string, at: number): TraceEntry => ({
    at,
    type: "ConditionChanged",
    node,
    condition: "Ready",
    from: "True",
    to: "Unknown",
    reason: "",
    message: ""
  })

  it("leaves out events before the fault, and numbers repeated ones", () => {
    const events = eventsOf([ready("a", 1), ready("a", 5), ready("a", 7)], 4)
    assert.deepStrictEqual(events, [
      { what: "node a: Ready True to Unknown", seconds: 1 },
      { what: "node a: Ready True to Unknown (2)", seconds: 3 }
    ])
  })

  it("reports missing events, swapped events and time differences", () => {
    const first = eventsOf([ready("a", 1), ready("b", 3), ready("c", 3.2)], 0)
    const same = compareOutages(first, eventsOf([ready("a", 1.5), ready("c", 3.1), ready("b", 3.4)], 0), 0.5)
    assert.deepStrictEqual([same.inOneRun.length, same.swapped.length, same.largestSeconds], [0, 0, 0.5])
    const other = compareOutages(first, eventsOf([ready("b", 3), ready("a", 4), ready("d", 5)], 0), 0.5)
    assert.deepStrictEqual(
      other.inOneRun.map(({ what }) => what[5]),
      ["c", "d"]
    )
    assert.strictEqual(other.swapped.length, 1)
  })
})
