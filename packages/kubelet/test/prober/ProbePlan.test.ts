import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { initialProbeState, nextProbeStep, type ProbeState, probeTiming } from "../../src/prober/ProbePlan.ts"
import { type ProbeKind, type ProbeOutcome, passesAt } from "../../src/runtime/ProbeOutcomes.ts"

const kinds: ReadonlyArray<ProbeKind> = ["startup", "readiness", "liveness"]

const outcome = fc
  .record({ passesFirst: fc.boolean(), turns: fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 5 }) })
  .map(({ passesFirst, turns }): ProbeOutcome => ({ passesFirst, changesAtMs: turns.toSorted((a, b) => a - b) }))

const probe = fc.record({
  initialDelaySeconds: fc.integer({ min: 0, max: 40 }),
  periodSeconds: fc.integer({ min: 1, max: 30 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  failureThreshold: fc.integer({ min: 1, max: 4 })
})

describe("the checks of a probe", () => {
  it("have the results that a prober gets by checking at each period", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        probe,
        outcome,
        fc.integer({ min: 0, max: 60_000 }),
        (kind, spec, out, enabledMs) => {
          const timing = probeTiming(kind, spec, enabledMs)
          const untilMs = 900_000
          const made: Array<string> = []
          let result = initialProbeState(kind, timing).result
          let run = 0
          let last: boolean | undefined
          for (let atMs = timing.firstMs; atMs <= untilMs; atMs += timing.periodMs) {
            const passed = passesAt(out, atMs)
            run = last === passed ? run + 1 : 1
            last = passed
            if (run < (passed ? spec.successThreshold : spec.failureThreshold) || result === passed) continue
            result = passed
            made.push(`${atMs} ${passed}`)
          }
          const worked: Array<string> = []
          let state: ProbeState = initialProbeState(kind, timing)
          for (;;) {
            const step = nextProbeStep(timing, out, state, false)
            if (step === undefined || step.atMs > untilMs) break
            assert.isTrue(step.changed)
            worked.push(`${step.atMs} ${step.passed}`)
            state = step.state
          }
          assert.deepStrictEqual(worked, made)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("report each failure, until the recorder drops their Events", () => {
    const timing = probeTiming("liveness", { periodSeconds: 1, failureThreshold: 3 }, 0)
    const out: ProbeOutcome = { passesFirst: true, changesAtMs: [100_000] }
    const steps: Array<string> = []
    let state: ProbeState = initialProbeState("liveness", timing)
    for (;;) {
      const step = nextProbeStep(timing, out, state, true)
      if (step === undefined) break
      steps.push(`${step.atMs} ${step.changed}`)
      state = step.state
    }
    assert.lengthOf(steps, 25)
    assert.deepStrictEqual(steps.slice(0, 4), ["100000 false", "101000 false", "102000 true", "103000 false"])
  })
})
