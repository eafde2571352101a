import { assert, describe, it } from "@effect/vitest"
import type { PodDisruptionBudget } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { deploymentOf, inWorld, type World } from "./world.ts"

const key = { namespace: "default", name: "web" }

const budget = (spec: PodDisruptionBudget["spec"]): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: key,
  spec: { selector: { matchLabels: { app: "web" } }, ...spec }
})

const runningWeb = (world: World) =>
  Effect.gen(function* () {
    yield* world.cluster.create("Deployment", deploymentOf(4))
    yield* Effect.sleep("1 second")
    for (const pod of yield* world.pods) yield* world.makeReady(pod)
    yield* Effect.sleep("1 second")
  })

const statusOf = ({ cluster }: World) => Effect.map(cluster.get("PodDisruptionBudget", key), ({ status }) => status)

describe("Disruptions", () => {
  it("counts by the deployment above the pods, and follows their readiness", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* runningWeb(world)
        yield* world.cluster.create("PodDisruptionBudget", budget({ maxUnavailable: 1 }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(world)
        assert.deepInclude(status, { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 })
        assert.deepInclude(status?.conditions?.[0], {
          type: "DisruptionAllowed",
          status: "True",
          reason: "SufficientPods"
        })
        const [pod] = yield* world.pods
        if (pod === undefined) return assert.fail("no pod")
        yield* world.cluster.updateStatus("Pod", {
          ...(yield* world.cluster.get("Pod", { ...key, name: pod.metadata.name ?? "" })),
          status: { ...pod.status, conditions: [{ type: "Ready", status: "False" }] }
        })
        yield* Effect.sleep("1 second")
        assert.deepInclude(yield* statusOf(world), { currentHealthy: 3, disruptionsAllowed: 0 })
      })
    ))

  it("lets evictions through until its budget is used up", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* runningWeb(world)
        yield* world.cluster.create("PodDisruptionBudget", budget({ minAvailable: 3 }))
        yield* Effect.sleep("1 second")
        const [first, second] = (yield* world.pods).map(({ metadata }) => ({ ...key, name: metadata.name ?? "" }))
        if (first === undefined || second === undefined) return assert.fail("no pods")
        yield* world.cluster.evict(first)
        const refused = yield* Effect.orDie(Effect.flip(world.cluster.evict(second)))
        assert.include(refused.message, "Cannot evict pod as it would violate the pod's disruption budget.")
      })
    ))

  it("allows nothing while it cannot know how many pods there should be", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* world.cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            ...key,
            name: "odd",
            labels: { app: "web" },
            ownerReferences: [{ apiVersion: "x/v1", kind: "Odd", name: "o", uid: "u", controller: true }]
          },
          spec: { containers: [{ name: "c", image: "i" }] }
        })
        yield* world.cluster.create("PodDisruptionBudget", budget({ minAvailable: "50%" }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(world)
        assert.deepInclude(status?.conditions?.[0], {
          status: "False",
          reason: "SyncFailed",
          message: 'found no controllers for pod "odd"'
        })
        assert.strictEqual(status?.disruptionsAllowed, 0)
      })
    ))

  it("keeps a number of pods whoever controls them", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* world.cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            ...key,
            name: "odd",
            labels: { app: "web" },
            ownerReferences: [{ apiVersion: "x/v1", kind: "Odd", name: "o", uid: "u", controller: true }]
          },
          spec: { containers: [{ name: "c", image: "i" }] }
        })
        yield* world.cluster.create("PodDisruptionBudget", budget({ minAvailable: 1 }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(world)
        assert.strictEqual(status?.conditions?.[0]?.reason, "InsufficientPods")
        assert.strictEqual(status?.expectedPods, 1)
        assert.strictEqual(status?.desiredHealthy, 1)
      })
    ))
})
