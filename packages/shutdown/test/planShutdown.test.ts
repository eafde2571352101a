import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  delayRequested,
  migrateConfig,
  planShutdown,
  type ShutdownPlan,
  shutdownBuckets,
  validateShutdownConfig
} from "../src/rules.ts"
import { byPriority, config, documentedConfig, gates, podOf, twoPeriods } from "./startTestManager.ts"

const phaseTexts = (plan: ShutdownPlan) =>
  plan.phases.map(
    ({ endSeconds, pods, priority, startSeconds }) =>
      `${priority} ${startSeconds}-${endSeconds}: ${pods.map((one) => `${one.pod.metadata.name} ${one.graceSeconds}${one.cutShort ? "!" : ""}`).join(", ")}`
  )

describe("buckets", () => {
  it("are sorted, without touching the configuration", () => {
    const given = documentedConfig.shutdownGracePeriodByPodPriority
    assert.deepStrictEqual(
      shutdownBuckets(documentedConfig).map(({ priority }) => priority),
      [0, 1000, 10_000, 100_000]
    )
    assert.strictEqual(given[0]?.priority, 100_000)
  })

  it("are exact to the nanosecond before they are cut", () => {
    // 1.1 s and 0.1 s have no exact binary representation in milliseconds.
    assert.deepStrictEqual(
      migrateConfig(1.1 * 1000, 0.1 * 1000).map((bucket) => bucket.shutdownGracePeriodSeconds),
      [1, 0]
    )
  })

  it("request their sum, not shutdownGracePeriod", () => {
    assert.strictEqual(delayRequested(shutdownBuckets(twoPeriods(10.9, 5.5))), 10)
    assert.strictEqual(delayRequested(shutdownBuckets(documentedConfig)), 370)
  })

  it("are the plain settings where the gate of the list is off", () => {
    const off = { ...gates, GracefulNodeShutdownBasedOnPodPriority: false }
    const both = { ...documentedConfig, shutdownGracePeriodMs: 20_000, featureGates: off }
    assert.deepStrictEqual(
      shutdownBuckets(both).map((bucket) => bucket.shutdownGracePeriodSeconds),
      [20, 0]
    )
    assert.strictEqual(validateShutdownConfig(both).length, 1)
  })
})

describe("a plan", () => {
  const pods = [
    podOf({ name: "a", priority: 100_000, grace: 30 }),
    podOf({ name: "b", priority: 10_000, grace: 120 }),
    podOf({ name: "c", priority: 1000, grace: 30 }),
    podOf({ name: "regular", grace: 30 })
  ]

  it("matches the timeline of the documentation", () => {
    const plan = planShutdown(documentedConfig, pods)
    assert.deepStrictEqual(phaseTexts(plan), [
      "0 0-60: regular 30",
      "1000 60-180: c 30",
      "10000 180-360: b 120",
      "100000 360-370: a 10!"
    ])
    assert.deepInclude(plan, { graceful: true, delaySeconds: 370, longestSeconds: 370, overridesDelay: true })
  })

  it("gives no time to a bucket without pods, but requests its seconds from logind", () => {
    const plan = planShutdown(documentedConfig, pods.slice(2))
    assert.deepStrictEqual(phaseTexts(plan), [
      "0 0-60: regular 30",
      "1000 60-180: c 30",
      "10000 180-180: ",
      "100000 180-180: "
    ])
    assert.deepInclude(plan, { delaySeconds: 370, longestSeconds: 180 })
  })

  it("gives the priority range of each phase", () => {
    const served = (...given: ReadonlyArray<readonly [number, number]>) =>
      planShutdown(byPriority(...given), []).phases.map(({ below, from }) => [from, below])
    assert.deepStrictEqual(served([0, 1], [10, 2]), [
      [undefined, 10],
      [10, undefined]
    ])
    assert.deepStrictEqual(served([0, 1], [0, 2], [0, 3], [10, 4]), [
      [undefined, 1],
      [1, 1],
      [1, 10],
      [10, undefined]
    ])
  })

  it("leaves out terminated pods", () => {
    const over = [podOf({ name: "done", phase: "Succeeded" }), podOf({ name: "broken", phase: "Failed" })]
    assert.deepStrictEqual(phaseTexts(planShutdown(twoPeriods(30, 10), over)), ["0 0-0: ", "2000000000 0-0: "])
  })

  it("gives a pod that is being deleted no more than its own grace period", () => {
    const going = podOf({ name: "going", grace: 300 })
    const deletion = (deletionGracePeriodSeconds: number) => ({
      ...going,
      metadata: { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds }
    })
    assert.deepStrictEqual(phaseTexts(planShutdown(byPriority([0, 60]), [deletion(5), deletion(90), going])), [
      "0 0-60: going 5, going 60!, going 60!"
    ])
  })

  it("is empty when nothing is configured", () => {
    assert.deepInclude(planShutdown(config(), pods), { graceful: false, phases: [], longestSeconds: 0 })
  })
})

const priority = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.constantFrom(0, 1000, 2_000_000_000, 2_000_001_000))
const buckets = fc.array(fc.tuple(priority, fc.integer({ min: -5, max: 300 })), { minLength: 1, maxLength: 6 })
const pods = fc.array(fc.record({ priority, grace: fc.integer({ min: 0, max: 400 }) }, { requiredKeys: [] }), {
  maxLength: 12
})

describe("any plan", () => {
  it("has every pod in exactly one phase, in order of priority, and no phase longer than its bucket", () => {
    fc.assert(
      fc.property(buckets, pods, (given, scripts) => {
        const named = scripts.map((script, index) => podOf({ ...script, name: `p${index}` }))
        const { delaySeconds, longestSeconds, phases } = planShutdown(byPriority(...given), named)
        assert.deepStrictEqual(
          phases.flatMap((phase) => phase.pods.map((one) => one.pod.metadata.name)).toSorted(),
          named.map(({ metadata }) => metadata.name).toSorted()
        )
        let end = 0
        let last = Number.NEGATIVE_INFINITY
        for (const phase of phases) {
          for (const { priority: one } of phase.pods) {
            assert.isTrue((phase.from ?? one) <= one && one < (phase.below ?? one + 1))
          }
          assert.strictEqual(phase.startSeconds, end)
          end = phase.endSeconds
          assert.isAtMost(end - phase.startSeconds, Math.max(0, phase.shutdownGracePeriodSeconds))
          for (const one of phase.pods) assert.isAtMost(one.graceSeconds, phase.shutdownGracePeriodSeconds)
          const priorities = phase.pods.map((one) => one.priority)
          assert.isAtLeast(Math.min(...priorities), last)
          last = Math.max(last, ...priorities)
        }
        assert.strictEqual(longestSeconds, end)
        if (given.every(([, seconds]) => seconds >= 0)) assert.isAtMost(longestSeconds, delaySeconds)
      })
    )
  })
})
