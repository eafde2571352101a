import type { Lease } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isSignOfLife } from "../../src/lifecycle/NodeHealth.ts"
import { NodeRecords } from "../../src/lifecycle/NodeRecords.ts"

const leaseAt = (second: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n" },
  spec: { renewTime: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000000Z` }
})

const step = fc.record({
  act: fc.constantFrom("renew", "list", "count", "forget", "delete"),
  second: fc.integer({ min: 0, max: 59 })
})

const stepOf = (second: number, act: "list" | "count" | "renew") => ({ act, second })

describe("NodeRecords", () => {
  it("calls a lease later than the counted one only if it is", () => {
    let told = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const records = new NodeRecords()
        const record = records.getOrCreate("n")
        for (const { act, second } of steps) {
          const { lease } = record
          if (act === "delete") records.setLease("n", undefined)
          else if (act === "forget") record.health = undefined
          else if (act === "count") record.health = { status: {}, probeMs: 0, readyTransitionMs: 0, lease }
          else if (act === "list" || lease === undefined) records.setLease("n", leaseAt(second))
          else records.replaceLease("n", lease, leaseAt(second))
          if (
            record.newerLease === undefined ||
            record.newerLease !== record.lease ||
            record.health?.lease === record.lease
          )
            continue
          told++
          assert.isTrue(isSignOfLife(record.health?.lease, record.lease))
        }
      }),
      { examples: [[[stepOf(1, "list"), stepOf(1, "count"), stepOf(2, "renew")]]] }
    )
    assert.isAbove(told, 0)
  })
})
