import { assert, describe, it } from "@effect/vitest"
import { formatTime, type OwnerReference, type PodDisruptionBudget } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { goSelector } from "../src/disruption/goText.ts"
import { deploymentOf, START, template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const key = { namespace: "default", name: "web" }

const budget = (spec: PodDisruptionBudget["spec"]): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: key,
  spec: { selector: { matchLabels: { app: "web" } }, ...spec }
})

const startWeb = (setup: WorkloadsSetup) =>
  Effect.gen(function* () {
    yield* setup.cluster.create("Deployment", deploymentOf(4))
    yield* Effect.sleep("1 second")
    for (const pod of yield* setup.pods) yield* setup.makeReady(pod)
    yield* Effect.sleep("1 second")
  })

const statusOf = ({ cluster }: WorkloadsSetup) =>
  Effect.map(cluster.get("PodDisruptionBudget", key), ({ status }) => status)

const uidOf = (object: unknown): unknown =>
  (object as { readonly metadata?: { readonly uid?: string } } | undefined)?.metadata?.uid

describe("Disruptions", () => {
  it("counts by the deployment above the pods, and follows their readiness", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startWeb(setup)
        yield* setup.cluster.create("PodDisruptionBudget", budget({ maxUnavailable: 1 }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(setup)
        assert.deepInclude(status, { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 })
        assert.deepInclude(status?.conditions?.[0], {
          type: "DisruptionAllowed",
          status: "True",
          reason: "SufficientPods"
        })
        const [pod] = yield* setup.pods
        if (pod === undefined) return assert.fail("no pod")
        yield* setup.cluster.updateStatus("Pod", {
          ...(yield* setup.cluster.get("Pod", { ...key, name: pod.metadata.name ?? "" })),
          status: { ...pod.status, conditions: [{ type: "Ready", status: "False" }] }
        })
        yield* Effect.sleep("1 second")
        assert.deepInclude(yield* statusOf(setup), { currentHealthy: 3, disruptionsAllowed: 0 })
      })
    ))

  it("count a pod that leaves them by its labels until something else syncs them", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        const { metadata, spec } = template()
        yield* cluster.create("Pod", { apiVersion: "v1", kind: "Pod", metadata: { ...key, ...metadata }, spec })
        yield* Effect.sleep("1 second")
        for (const pod of yield* setup.pods) yield* setup.makeReady(pod)
        yield* cluster.create("PodDisruptionBudget", budget({ minAvailable: 1 }))
        yield* Effect.sleep("1 second")
        yield* cluster.patch("Pod", key, "merge", { metadata: { labels: { app: "other" } } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* statusOf(setup))?.expectedPods, 1)
        yield* cluster.patch("PodDisruptionBudget", key, "merge", { metadata: { labels: { x: "y" } } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* statusOf(setup))?.expectedPods, 0)
      })
    ))

  it("counts by a ReplicationController", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("ReplicationController", {
          apiVersion: "v1",
          kind: "ReplicationController",
          metadata: key,
          spec: { replicas: 4, selector: { app: "web" }, template: template() }
        })
        yield* setup.cluster.create("PodDisruptionBudget", budget({ minAvailable: "50%" }))
        yield* Effect.sleep("1 second")
        for (const pod of yield* setup.pods) yield* setup.makeReady(pod)
        yield* Effect.sleep("1 second")
        assert.deepInclude(yield* statusOf(setup), {
          expectedPods: 4,
          desiredHealthy: 2,
          currentHealthy: 4,
          disruptionsAllowed: 2
        })
      })
    ))

  it("permits evictions until its budget is used up", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startWeb(setup)
        yield* setup.cluster.create("PodDisruptionBudget", budget({ minAvailable: 3 }))
        yield* Effect.sleep("1 second")
        const [first, second] = (yield* setup.pods).map(({ metadata }) => ({ ...key, name: metadata.name ?? "" }))
        if (first === undefined || second === undefined) return assert.fail("no pods")
        yield* setup.cluster.evict(first)
        const refused = yield* Effect.orDie(Effect.flip(setup.cluster.evict(second)))
        assert.include(refused.message, "Cannot evict pod as it would violate the pod's disruption budget.")
      })
    ))

  it("allows nothing while it cannot know how many pods there should be", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Pod", {
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
        yield* setup.cluster.create("PodDisruptionBudget", budget({ minAvailable: "50%" }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(setup)
        assert.deepInclude(status?.conditions?.[0], {
          status: "False",
          reason: "SyncFailed",
          message: 'no matches for kind "Odd" in version "x/v1"'
        })
        assert.strictEqual(status?.disruptionsAllowed, 0)
      })
    ))

  it("keeps a number of pods, whatever their controllers", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Pod", {
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
        yield* setup.cluster.create("PodDisruptionBudget", budget({ minAvailable: 1 }))
        yield* Effect.sleep("1 second")
        const status = yield* statusOf(setup)
        assert.strictEqual(status?.conditions?.[0]?.reason, "InsufficientPods")
        assert.strictEqual(status?.expectedPods, 1)
        assert.strictEqual(status?.desiredHealthy, 1)
      })
    ))

  const ownedBy = (setup: WorkloadsSetup, name: string, owner: OwnerReference) =>
    setup.cluster.create("Pod", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...key, name, labels: { app: "web" }, ownerReferences: [{ ...owner, controller: true }] },
      spec: { containers: [{ name: "c", image: "i" }] }
    })

  it("reports kinds without a scale, and pods without a controller", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const message = Effect.map(statusOf(setup), (status) => status?.conditions?.[0]?.message)
        yield* setup.cluster.create("PodDisruptionBudget", budget({ maxUnavailable: 1 }))
        yield* ownedBy(setup, "a", { apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone", uid: "u" })
        yield* Effect.sleep("1 second")
        assert.strictEqual(yield* message, 'found no controllers for pod "a"')
        yield* setup.cluster.delete("Pod", { ...key, name: "a" })
        yield* ownedBy(setup, "b", { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u" })
        yield* Effect.sleep("1 second")
        assert.strictEqual(yield* message, "jobs.batch does not implement the scale subresource")
        assert.include(
          (yield* setup.events).map(({ reason }) => reason),
          "CalculateExpectedPodCountFailed"
        )
      })
    ))

  it("counts a kind that the cluster has learned by its scale", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("CustomResourceDefinition", {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: "dials.example.com" },
          spec: {
            group: "example.com",
            scope: "Namespaced",
            names: { plural: "dials", kind: "Dial" },
            versions: [
              {
                name: "v1",
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
                subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
              }
            ]
          }
        })
        yield* Effect.sleep("10 seconds")
        const kind = "Dial.example.com/v1"
        const object = { apiVersion: "example.com/v1", kind: "Dial", metadata: key, spec: { replicas: 5 } }
        const uid = yield* Effect.callback<string>((resume) => {
          setup.cluster.connection.send({ verb: "create", kind, namespace: "default", object }, (answer) =>
            resume(Effect.succeed(answer._tag === "Success" ? String(uidOf(answer.success)) : answer.failure.message))
          )
        })
        yield* ownedBy(setup, "d", { apiVersion: "example.com/v1", kind: "Dial", name: "web", uid })
        yield* setup.cluster.create("PodDisruptionBudget", budget({ maxUnavailable: "20%" }))
        yield* Effect.sleep("1 second")
        assert.deepInclude(yield* statusOf(setup), { expectedPods: 5, desiredHealthy: 4 })
      })
    ))

  it("records an Event on a pod with two budgets, and clears a stale disruption condition after two minutes", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Deployment", deploymentOf(1))
        yield* setup.cluster.create("PodDisruptionBudget", budget({ minAvailable: 1 }))
        yield* Effect.sleep("1 second")
        const [pod] = yield* setup.pods
        if (pod === undefined) return assert.fail("no pod")
        const said = { type: "DisruptionTarget", status: "True" as const, lastTransitionTime: formatTime(START + 1000) }
        yield* setup.cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, conditions: [said] } })
        yield* Effect.sleep("119 seconds")
        const condition = Effect.map(setup.pods, ([now]) => now?.status?.conditions?.[0]?.status)
        assert.strictEqual(yield* condition, "True")
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(yield* condition, "False")
        const other = { ...budget({ minAvailable: 0 }), metadata: { ...key, name: "other" } }
        yield* setup.cluster.create("PodDisruptionBudget", other)
        for (const again of yield* setup.pods) yield* setup.makeReady(again)
        yield* Effect.sleep("2 seconds")
        const told = (yield* setup.events).find(({ reason }) => reason === "MultiplePodDisruptionBudgets")
        assert.include(told?.message, 'matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.')
      })
    ))

  it("prints selectors as Kubernetes does", () => {
    const matchExpressions = [{ key: "k", operator: "In" as const, values: ["a", "b"] }]
    const said =
      "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[a b],},},}"
    assert.strictEqual(goSelector({ matchLabels: { b: "2", a: "1" }, matchExpressions }), said)
  })
})
