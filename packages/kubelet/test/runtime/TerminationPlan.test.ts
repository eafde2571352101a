import type { Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type StopBehaviour, terminationPlan } from "../../src/runtime/TerminationPlan.ts"

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: {
    initContainers: [{ name: "s1", restartPolicy: "Always" }, { name: "i" }, { name: "s2", restartPolicy: "Always" }],
    containers: [{ name: "c1" }, { name: "c2" }]
  }
}

const stop = fc.record({
  stopMs: fc.integer({ min: 0, max: 60_000 }),
  exitCode: fc.integer({ min: 0, max: 255 }),
  preStopMs: fc.integer({ min: 0, max: 60_000 })
})

const stopTimes = (behaviours: Readonly<Record<string, Partial<StopBehaviour>>>, graceMs: number) =>
  terminationPlan(
    pod,
    (name) => name in behaviours,
    graceMs,
    (name) => ({
      stopMs: 0,
      exitCode: 0,
      preStopMs: 0,
      ...behaviours[name]
    })
  ).map(({ afterMs, exitCode, name }) => `${name} ${afterMs} ${exitCode}`)

describe("the end of a pod's containers", () => {
  it("is by SIGTERM, or by SIGKILL at the end of the grace period", () => {
    assert.deepStrictEqual(stopTimes({ c1: { stopMs: 5_000, exitCode: 143 }, c2: { stopMs: 50_000 } }, 10_000), [
      "c1 5000 143",
      "c2 10000 137"
    ])
  })

  it("comes two seconds after a preStop hook that took the whole grace period", () => {
    assert.deepStrictEqual(stopTimes({ c1: { preStopMs: 20_000, stopMs: 9_000 } }, 10_000), ["c1 12000 137"])
  })

  it("comes for sidecars when the containers started after them have ended, or at the end of the grace period", () => {
    assert.deepStrictEqual(stopTimes({ c1: { stopMs: 3_000 }, s1: { stopMs: 1_000 }, s2: { stopMs: 2_000 } }, 10_000), [
      "c1 3000 0",
      "s2 5000 0",
      "s1 6000 0"
    ])
    assert.deepStrictEqual(stopTimes({ c1: { stopMs: 30_000 }, s1: { stopMs: 1_000 } }, 10_000), [
      "c1 10000 137",
      "s1 11000 0"
    ])
  })

  it("is never later than the grace period and the time that the runtime adds", () => {
    fc.assert(
      fc.property(
        fc.array(stop, { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 60 }),
        (stops, graceSeconds) => {
          const names = ["c1", "c2", "i", "s1", "s2"]
          const behaviourOf = (name: string): StopBehaviour => stops[names.indexOf(name)] as StopBehaviour
          const graceMs = graceSeconds * 1000
          const plan = terminationPlan(pod, () => true, graceMs, behaviourOf)
          assert.lengthOf(plan, 5)
          const at = (name: string) => plan.find((end) => end.name === name)?.afterMs ?? 0
          for (const { afterMs, exitCode, name } of plan) {
            assert.isAtMost(afterMs, graceMs + 2_000)
            if (afterMs < graceMs) assert.strictEqual(exitCode, behaviourOf(name).exitCode)
          }
          if (at("c1") <= graceMs) assert.isAtLeast(at("s2"), at("c1"))
        }
      )
    )
  })
})
