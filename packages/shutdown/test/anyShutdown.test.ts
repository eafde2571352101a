import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bucketIndexOf } from "../src/plan/groupByPriority.ts"
import { planShutdown, shutdownBuckets } from "../src/rules.ts"
import { byPriority, type PodScript, podOf, startTestManager } from "./startTestManager.ts"

const priority = fc.constantFrom(-1, 0, 5, 1000, 2000, 2_000_000_000, 2_000_001_000)
const buckets = fc.array(fc.tuple(priority, fc.integer({ min: 0, max: 60 })), { minLength: 1, maxLength: 5 })
const scripts = fc.array(
  fc.record(
    {
      priority,
      grace: fc.integer({ min: 0, max: 90 }),
      stopsAfter: fc.integer({ min: 0, max: 100 }),
      volumesAfter: fc.integer({ min: 0, max: 100 })
    },
    { requiredKeys: [] }
  ),
  { maxLength: 8 }
)
/** Seconds between signals, and the signals' values. */
const signals = fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.boolean()), { minLength: 1, maxLength: 5 })

describe("any shutdown of a running manager", () => {
  it("keeps to its buckets, and ends in the state of the last signal", () => {
    fc.assert(
      fc.property(buckets, scripts, signals, (given, unnamed, plan) => {
        const pods = unnamed.map((script, index): PodScript => ({ ...script, name: `p${index}` }))
        const config = byPriority(...given)
        const testNode = startTestManager({ config, pods })
        let at = 0
        for (const [pause, shuttingDown] of plan) {
          at += pause
          testNode.signal(at, shuttingDown)
        }
        testNode.to(at + 5 * 60 * 5 + 1000)

        let start = 0
        let last = Number.NEGATIVE_INFINITY
        let seconds = 0
        for (const event of testNode.trace) {
          if (event.type === "started") last = Number.NEGATIVE_INFINITY
          if (event.type === "phaseStarted") {
            start = event.at
            seconds = event.graceSeconds
            assert.isAtLeast(event.priority, last)
            last = event.priority
            for (const one of event.pods) assert.isAtMost(one.graceSeconds, seconds)
          }
          if (event.type === "phaseEnded") assert.isAtMost(event.at - start, seconds + 1e-6)
        }
        // Every pod that ran at the first signal is killed, each in its own bucket.
        const sorted = shutdownBuckets(config)
        const first = testNode.trace.findIndex(({ type }) => type === "started")
        const end = testNode.trace.findIndex(({ type }) => type === "finished")
        if (first >= 0) {
          const served = testNode.trace
            .slice(first, end)
            .flatMap((event) =>
              event.type === "phaseStarted" ? event.pods.map(({ pod }) => `${pod.metadata.name} ${event.priority}`) : []
            )
          assert.deepStrictEqual(
            served.toSorted(),
            pods.map((one) => `${one.name} ${sorted[bucketIndexOf(sorted, one.priority ?? 0)]?.priority}`).toSorted()
          )
        }
        // And all of it no later than planned, with the planned grace periods.
        const { phases: planned } = planShutdown(config, pods.map(podOf))
        const startedAt = testNode.trace[first]?.at ?? 0
        for (const event of testNode.trace.slice(Math.max(0, first), end)) {
          if (event.type !== "phaseStarted") continue
          const phase = planned.find(
            (one) => one.pods[0]?.pod.metadata.name === event.pods[0]?.pod.metadata.name && one.pods.length > 0
          )
          assert.isAtMost(event.at - startedAt, (phase?.startSeconds ?? 0) + 1e-6)
          assert.deepStrictEqual(
            event.pods.map(({ graceSeconds }) => graceSeconds),
            phase?.pods.map(({ graceSeconds }) => graceSeconds)
          )
        }
        const goesDown = plan.at(-1)?.[1] === true
        assert.strictEqual(testNode.manager.admit() !== undefined, goesDown)
        assert.strictEqual(testNode.manager.shutdownStatus() !== undefined, goesDown)
        assert.strictEqual(testNode.logind.locksHeld(), goesDown ? 0 : 1)
        assert.strictEqual(testNode.nodeEvents.length, plan.length)
      }),
      { numRuns: 200 }
    )
  })
})
