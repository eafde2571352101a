import { assert, describe, it } from "@effect/vitest"
import { isPodReady, matchesLabelSelector, type Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { isPodTerminating } from "../src/podState.ts"
import { ReplicaTally } from "../src/replicaset/ReplicaTally.ts"
import { isPodActive } from "../src/rules.ts"
import { replicaSetOf } from "./withControllers.ts"

const podOf = (name: string, phase: string, ready: boolean, leaving: boolean, label: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: label }, ...(leaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { containers: [] },
  status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
})

describe("ReplicaTally", () => {
  it("equals a recount of all pods after any change", () => {
    const act = fc.record({
      kind: fc.constantFrom("set", "delete", "selector"),
      pod: fc.integer({ min: 0, max: 5 }),
      phase: fc.constantFrom("Pending", "Running", "Failed", "Succeeded"),
      ready: fc.boolean(),
      leaving: fc.boolean(),
      label: fc.constantFrom("web", "other")
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const tally = new ReplicaTally()
        const pods = new Map<string, Pod>()
        let set = replicaSetOf(1)
        tally.setReplicaSet(set)
        for (const { kind, label, leaving, phase, pod, ready } of acts) {
          const name = `p${pod}`
          if (kind === "delete") {
            tally.delete(name)
            pods.delete(name)
          } else if (kind === "set") {
            const made = podOf(name, phase, ready, leaving, label)
            tally.set(name, made)
            pods.set(name, made)
          } else {
            set = replicaSetOf(1, { selector: { matchLabels: { app: label } } })
            tally.setReplicaSet(set)
          }
          const selected = [...pods.values()].filter((each) =>
            matchesLabelSelector(set.spec.selector, each.metadata.labels)
          )
          const active = selected.filter(isPodActive)
          const counts = tally.counts(0)
          assert.deepStrictEqual(counts, {
            active: active.length,
            fullyLabeled: active.filter(({ metadata }) => metadata.labels?.app === "web").length,
            ready: active.filter(isPodReady).length,
            available: active.filter(isPodReady).length,
            terminating: selected.filter(isPodTerminating).length
          })
          assert.strictEqual(tally.activePods().length, active.length)
          const strays = [...pods.values()].filter((each) => isPodActive(each) && !selected.includes(each))
          assert.strictEqual(tally.hasStrays, strays.length > 0)
          assert.strictEqual(tally.strayPods().length, strays.length)
        }
      }),
      { numRuns: 200 }
    )
  })
})
