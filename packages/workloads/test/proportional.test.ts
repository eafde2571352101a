import { assert, describe, it } from "@effect/vitest"
import type { ReplicaSet } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { isScalingEvent, sizeScalings } from "../src/deployment/proportional.ts"
import { rolloutBounds } from "../src/rules.ts"
import { deploymentOf, replicaSetOf, template, withControllers } from "./withControllers.ts"

const setOf = (name: string, replicas: number, desired: number, max: number, second: number): ReplicaSet => {
  const set = replicaSetOf(replicas)
  const annotations = {
    "deployment.kubernetes.io/desired-replicas": String(desired),
    "deployment.kubernetes.io/max-replicas": String(max)
  }
  return {
    ...set,
    metadata: { name, namespace: "default", annotations, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    status: { replicas }
  }
}

const sizes = (scalings: ReturnType<typeof sizeScalings>) =>
  Object.fromEntries(scalings.map(({ replicaSet, replicas }) => [replicaSet.metadata.name, replicas]))

const rollingUpdateBounds = { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }

describe("a deployment that is given another size", () => {
  it("gives each of its sets its part while a rollout is under way", () => {
    // The example of Kubernetes' documentation: 10 become 15 in mid-rollout.
    const [old, newest] = [setOf("old", 8, 10, 13, 1), setOf("new", 5, 10, 13, 2)]
    const deployment = deploymentOf(15, rollingUpdateBounds)
    assert.isTrue(isScalingEvent(deployment, [old, newest]))
    assert.isFalse(isScalingEvent(deploymentOf(10, rollingUpdateBounds), [old, newest]))
    assert.deepStrictEqual(sizes(sizeScalings(deployment, [old], newest)), { old: 11, new: 7 })
    assert.deepStrictEqual(sizes(sizeScalings(deploymentOf(0, rollingUpdateBounds), [old], newest)), { old: 0, new: 0 })
  })

  it("sizes the only set with pods, or empties the old ones once the new one serves", () => {
    const [old, newest] = [setOf("old", 4, 4, 5, 1), setOf("new", 0, 4, 5, 2)]
    assert.deepStrictEqual(sizes(sizeScalings(deploymentOf(6), [old], newest)), { old: 6 })
    const full: ReplicaSet = { ...setOf("new", 4, 4, 5, 2), status: { replicas: 4, availableReplicas: 4 } }
    assert.deepStrictEqual(sizes(sizeScalings(deploymentOf(4), [old], full)), { old: 0 })
  })

  it("ends with just as many pods as there may be, whatever the sets", () => {
    const part = fc.integer({ min: 1, max: 60 })
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 6 }),
        fc.nat(120),
        fc.nat(30),
        (parts, replicas, before) => {
          const sets = parts.map((size, index) => setOf(`s${index}`, size, before, before + 3, index))
          const deployment = deploymentOf(replicas, rollingUpdateBounds)
          const given = sizeScalings(deployment, sets.slice(1), sets[0])
          const sum = given.reduce((all, { replicas: size }) => all + size, 0)
          assert.isTrue(given.every(({ replicas: size }) => size >= 0))
          assert.isAtLeast(sum, replicas === 0 ? 0 : replicas + rolloutBounds(deployment).maxSurge)
          if (parts.reduce((all, size) => all + size, 0) <= replicas) {
            assert.strictEqual(sum, replicas + rolloutBounds(deployment).maxSurge)
          }
        }
      )
    )
  })

  it("is sized while it is paused, says that it is, and rolls on when it is resumed", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const web = { namespace: "default", name: "web" }
        const progressing = Effect.map(setup.cluster.get("Deployment", web), ({ status }) => {
          const found = status?.conditions?.find(({ type }) => type === "Progressing")
          return [found?.status, found?.reason, found?.message]
        })
        yield* setup.cluster.create("Deployment", deploymentOf(2, { progressDeadlineSeconds: 60 }))
        yield* Effect.sleep("1 second")
        const pause = (paused: boolean) => setup.cluster.patch("Deployment", web, "merge", { spec: { paused } })
        yield* pause(true)
        yield* setup.cluster.patch("Deployment", web, "merge", { spec: { replicas: 4, template: template("img:2") } })
        yield* Effect.sleep("1 hour")
        assert.strictEqual((yield* setup.activePods).length, 4)
        assert.isTrue((yield* setup.activePods).every(({ spec }) => spec.containers[0]?.image === "img:1"))
        assert.deepStrictEqual(yield* progressing, ["Unknown", "DeploymentPaused", "Deployment is paused"])
        yield* pause(false)
        yield* Effect.sleep("1 second")
        assert.isTrue((yield* setup.activePods).some(({ spec }) => spec.containers[0]?.image === "img:2"))
      })
    ))
})
