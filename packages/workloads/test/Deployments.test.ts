import { assert, describe, it } from "@effect/vitest"
import type { DeploymentStatus, ReplicaSet } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { deploymentOf, template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const webKey = { namespace: "default", name: "web" }

const setsOf = (cluster: ClusterShape) =>
  Effect.map(
    cluster.list("ReplicaSet"),
    ({ items }): ReadonlyArray<ReplicaSet> => items.toSorted((left, right) => revision(left) - revision(right))
  )

const revision = ({ metadata }: Pick<ReplicaSet, "metadata">) =>
  Number(metadata.annotations?.["deployment.kubernetes.io/revision"])

const replicasOf = (sets: ReadonlyArray<ReplicaSet>) => sets.map(({ spec }) => spec.replicas)

/** Makes every pod ready a second after it has come, and removes those that are on their way out. */
const runPods = ({ makeReady, pods, remove }: WorkloadsSetup) =>
  Effect.gen(function* () {
    for (const pod of yield* pods) {
      if (pod.metadata.deletionTimestamp !== undefined) yield* remove(pod)
      else if (pod.status?.phase !== "Running") yield* makeReady(pod)
    }
  }).pipe(Effect.delay("1 second"))

const settle = (setup: WorkloadsSetup, seconds = 30) =>
  Effect.gen(function* () {
    for (let second = 0; second < seconds; second++) yield* runPods(setup)
  })

const setImage = (cluster: ClusterShape, image: string) =>
  cluster.patch("Deployment", webKey, "merge", { spec: { template: template(image) } })

const condition = (status: DeploymentStatus | undefined, type: string) =>
  status?.conditions?.find((each) => each.type === type)

describe("Deployments", () => {
  it("makes one set for its template and reports how far it is", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster, events } = setup
        yield* cluster.create("Deployment", deploymentOf(3))
        yield* Effect.sleep("500 millis")
        const [set, ...others] = yield* setsOf(cluster)
        assert.strictEqual(others.length, 0)
        assert.match(set?.metadata.name ?? "", /^web-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/)
        const hash = set?.metadata.name?.slice(4) ?? ""
        assert.deepStrictEqual(set?.spec.selector.matchLabels, { app: "web", "pod-template-hash": hash })
        assert.deepStrictEqual(set?.spec.template?.metadata?.labels, { app: "web", "pod-template-hash": hash })
        const before = yield* cluster.get("Deployment", webKey)
        assert.deepInclude(before.status, { replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 })
        assert.deepInclude(condition(before.status, "Available"), {
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability."
        })
        yield* settle(setup, 5)
        const after = yield* cluster.get("Deployment", webKey)
        assert.deepInclude(after.status, { replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 })
        assert.notProperty(after.status, "unavailableReplicas")
        assert.deepInclude(condition(after.status, "Available"), { status: "True", reason: "MinimumReplicasAvailable" })
        assert.deepInclude(condition(after.status, "Progressing"), {
          status: "True",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "web-${hash}" has successfully progressed.`
        })
        assert.strictEqual(revision(after), 1)
        const told = (yield* events).filter(({ reason }) => reason === "ScalingReplicaSet")
        assert.deepStrictEqual(
          told.map(({ message }) => message),
          [`Scaled up replica set web-${hash} from 0 to 3`]
        )
      })
    ))

  it("writes nothing more once there is nothing to say", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(3))
        yield* settle(setup, 5)
        const before = yield* cluster.get("Deployment", webKey)
        yield* Effect.sleep("1 hour")
        const after = yield* cluster.get("Deployment", webKey)
        assert.strictEqual(after.metadata.resourceVersion, before.metadata.resourceVersion)
      })
    ))

  it("hands a new size on to its set", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster, events } = setup
        yield* cluster.create("Deployment", deploymentOf(3))
        yield* settle(setup, 3)
        yield* cluster.patch("Deployment", webKey, "merge", { spec: { replicas: 5 } })
        yield* settle(setup, 3)
        assert.deepStrictEqual(replicasOf(yield* setsOf(cluster)), [5])
        yield* cluster.patch("Deployment", webKey, "merge", { spec: { replicas: 1 } })
        yield* settle(setup, 3)
        assert.deepStrictEqual(replicasOf(yield* setsOf(cluster)), [1])
        const messages = (yield* events)
          .filter(({ reason }) => reason === "ScalingReplicaSet")
          .map(({ message }) => message)
        assert.strictEqual(
          messages.filter((message) => /^Scaled up replica set web-\w+ from 3 to 5$/.test(message ?? "")).length,
          1
        )
        assert.strictEqual(
          messages.filter((message) => /^Scaled down replica set web-\w+ from 5 to 1$/.test(message ?? "")).length,
          1
        )
      })
    ))

  it("rolls a new template out within its bounds", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { activePods, cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(8))
        yield* settle(setup, 3)
        yield* setImage(cluster, "img:2")
        let steps = 0
        for (let second = 0; second < 30; second++) {
          const active = yield* activePods
          const ready = active.filter(({ status }) => status?.phase === "Running")
          // A quarter of 8: at most 2 more, at most 2 missing.
          assert.isAtMost(active.length, 10)
          assert.isAtLeast(ready.length, 6)
          if (ready.some(({ spec }) => spec.containers[0]?.image === "img:1")) steps++
          yield* runPods(setup)
        }
        assert.isAtLeast(steps, 3)
        assert.deepStrictEqual(replicasOf(yield* setsOf(cluster)), [0, 8])
        const { status } = yield* cluster.get("Deployment", webKey)
        assert.deepInclude(status, { replicas: 8, updatedReplicas: 8, availableReplicas: 8, observedGeneration: 2 })
      })
    ))

  it("comes back to an old template as a new revision of its set", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(2))
        yield* settle(setup, 5)
        const [first] = yield* setsOf(cluster)
        yield* setImage(cluster, "img:2")
        yield* settle(setup, 15)
        yield* setImage(cluster, "img:1")
        yield* settle(setup, 15)
        const sets = yield* setsOf(cluster)
        assert.deepStrictEqual(sets.map(revision), [2, 3])
        assert.deepStrictEqual(replicasOf(sets), [0, 2])
        assert.strictEqual(sets[1]?.metadata.uid, first?.metadata.uid)
        assert.strictEqual(revision(yield* cluster.get("Deployment", webKey)), 3)
      })
    ))

  it("with Recreate starts nothing new before the last old pod is deleted", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster, pods, remove } = setup
        yield* cluster.create("Deployment", deploymentOf(3, { strategy: { type: "Recreate" } }))
        yield* settle(setup, 3)
        // On a node, so that they end only when a kubelet says so.
        for (const { metadata } of yield* pods)
          yield* cluster.bind({ namespace: "default", name: metadata.name ?? "" }, "n")
        yield* setImage(cluster, "img:2")
        yield* Effect.sleep("1 minute")
        const leaving = yield* pods
        assert.strictEqual(leaving.length, 3)
        assert.isTrue(leaving.every(({ metadata }) => metadata.deletionTimestamp !== undefined))
        for (const pod of leaving) yield* remove(pod)
        yield* settle(setup, 5)
        const images = (yield* pods).map(({ spec }) => spec.containers[0]?.image)
        assert.deepStrictEqual(images, ["img:2", "img:2", "img:2"])
      })
    ))

  it("keeps its size but not its template while it is paused", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(2))
        yield* settle(setup, 3)
        yield* cluster.patch("Deployment", webKey, "merge", {
          spec: { paused: true, replicas: 4, template: template("img:2") }
        })
        yield* settle(setup, 5)
        assert.deepStrictEqual(replicasOf(yield* setsOf(cluster)), [4])
        yield* cluster.patch("Deployment", webKey, "merge", { spec: { paused: false } })
        yield* settle(setup, 15)
        assert.deepStrictEqual(replicasOf(yield* setsOf(cluster)), [0, 4])
      })
    ))

  it("notices when a rollout makes no progress for too long", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(2, { progressDeadlineSeconds: 60 }))
        yield* Effect.sleep("59 seconds")
        const progressing = Effect.map(cluster.get("Deployment", webKey), ({ status }) =>
          condition(status, "Progressing")
        )
        assert.deepInclude(yield* progressing, { status: "True" })
        yield* Effect.sleep("5 seconds")
        assert.deepInclude(yield* progressing, { status: "False", reason: "ProgressDeadlineExceeded" })
        yield* settle(setup, 3)
        assert.deepInclude(yield* progressing, { status: "True", reason: "NewReplicaSetAvailable" })
      })
    ))

  it("forgets empty sets beyond its history", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(1, { revisionHistoryLimit: 2 }))
        for (let version = 2; version < 7; version++) {
          yield* settle(setup, 6)
          yield* setImage(cluster, `img:${version}`)
        }
        yield* settle(setup, 10)
        const sets = yield* setsOf(cluster)
        assert.deepStrictEqual(sets.map(revision), [4, 5, 6])
        assert.deepStrictEqual(replicasOf(sets), [0, 0, 1])
      })
    ))
})
