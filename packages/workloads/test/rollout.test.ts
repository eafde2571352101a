import { assert, describe, it } from "@effect/vitest"
import type { ReplicaSet } from "@rollcall/api"
import * as fc from "fast-check"
import { newSetSize } from "../src/deployment/rollout.ts"
import { nextScalings, podTemplateHash, rolloutBounds } from "../src/rules.ts"
import { deploymentOf, replicaSetOf, template } from "./withControllers.ts"

interface ModelledSet {
  readonly name: string
  size: number
  available: number
}

const replicaSetFor = ({ available, name, size }: ModelledSet): ReplicaSet => ({
  ...replicaSetOf(size),
  metadata: { name, namespace: "default" },
  status: { replicas: size, availableReplicas: available }
})

const bound = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`)
)

describe("rollout", () => {
  it("rounds surge up and unavailability down, and never allows neither", () => {
    const bounds = (
      replicas: number,
      rollingUpdate: { maxSurge?: number | string; maxUnavailable?: number | string }
    ) => rolloutBounds(deploymentOf(replicas, { strategy: { rollingUpdate } }))
    assert.deepStrictEqual(bounds(10, {}), { maxSurge: 3, maxUnavailable: 2 })
    assert.deepStrictEqual(bounds(3, {}), { maxSurge: 1, maxUnavailable: 0 })
    assert.deepStrictEqual(bounds(3, { maxSurge: 0, maxUnavailable: "25%" }), { maxSurge: 0, maxUnavailable: 1 })
    assert.deepStrictEqual(bounds(2, { maxUnavailable: 9 }), { maxSurge: 1, maxUnavailable: 2 })
    assert.deepStrictEqual(bounds(0, { maxUnavailable: 1 }), { maxSurge: 0, maxUnavailable: 0 })
  })

  it("ends at the new template whatever the bounds, and keeps to them on the way", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        bound,
        bound,
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
        (replicas, maxSurge, maxUnavailable, unhealthy) => {
          const deployment = deploymentOf(replicas, { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } })
          const bounds = rolloutBounds(deployment)
          // Old sets that make up the whole size, some of their pods not serving.
          const old: Array<ModelledSet> = unhealthy.map((broken, index) => {
            const size = index === 0 ? replicas - Math.floor(replicas / 2) : index === 1 ? Math.floor(replicas / 2) : 0
            return { name: `old${index}`, size, available: Math.max(0, size - broken) }
          })
          const total = () => old.reduce((sum, { size }) => sum + size, newest.size)
          const available = () => old.reduce((sum, each) => sum + each.available, newest.available)
          const newest: ModelledSet = { name: "new", size: 0, available: 0 }
          newest.size = newSetSize(deployment, old.map(replicaSetFor), undefined)
          const most = Math.max(total(), replicas + bounds.maxSurge)
          const least = Math.min(available(), replicas - bounds.maxUnavailable)
          for (let step = 0; step < 100; step++) {
            assert.isAtMost(total(), most)
            assert.isAtLeast(available(), least)
            const scalings = nextScalings(deployment, old.map(replicaSetFor), replicaSetFor(newest))
            if (scalings.length === 0 && newest.available === newest.size) break
            for (const { replicaSet, replicas: size } of scalings) {
              const scaled = [...old, newest].find(({ name }) => name === replicaSet.metadata.name)
              if (scaled === undefined) throw new Error("an unknown set is scaled")
              // A set loses pods that do not serve first.
              scaled.available = Math.min(scaled.available, size)
              scaled.size = size
            }
            if (newest.available < newest.size) newest.available++
          }
          assert.strictEqual(newest.size, replicas)
          assert.isTrue(old.every(({ size }) => size === 0))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("names templates by what they say, not by how it is written", () => {
    const one = { metadata: { labels: { a: "1", b: "2" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const same = { spec: { containers: [{ image: "i", name: "c" }] }, metadata: { labels: { b: "2", a: "1" } } }
    assert.strictEqual(podTemplateHash(one), podTemplateHash(same))
    assert.notStrictEqual(podTemplateHash(one), podTemplateHash(one, 1))
    assert.notStrictEqual(podTemplateHash(template("img:1")), podTemplateHash(template("img:2")))
  })
})
