import { assert, describe, it } from "@effect/vitest"
import type { KindName, KubeObject } from "@rollcall/api"
import { type ClusterShape, type Connection, cancellable, isConflict } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { metricsText } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConsistencyStore, compareVersions } from "../src/consistency/ConsistencyStore.ts"
import { deploymentOf, template, withControllers } from "./withControllers.ts"

const storeOver = (versions: Partial<Record<KindName, string>>) =>
  new ConsistencyStore(
    Object.keys(versions).map((kind) => ({
      kind: kind as KindName,
      lastResourceVersion: () => versions[kind as KindName] ?? ""
    }))
  )

describe("ConsistencyStore", () => {
  it("names the cache that is older than a write, until it has caught up", () => {
    const versions: Partial<Record<KindName, string>> = { Pod: "9", ReplicaSet: "9" }
    const store = storeOver(versions)
    store.wroteAt("default/web", "u", "Pod", "12")
    store.wroteAt("default/web", "u", "Pod", "11")
    const message = "read version: 9 is not as new as written version: 12 for group resource pods"
    assert.strictEqual(store.staleCacheOf("default/web")?.message, message)
    assert.isUndefined(store.staleCacheOf("default/other"))
    versions.Pod = "12"
    store.wroteAt("default/web", "u", "ReplicaSet", "100")
    assert.match(store.staleCacheOf("default/web")?.message ?? "", /100 for group resource replicasets\.apps$/)
    versions.ReplicaSet = "101"
    assert.isUndefined(store.staleCacheOf("default/web"))
    versions.Pod = "1"
    assert.isUndefined(store.staleCacheOf("default/web"), "what the caches have seen once is forgotten")
  })

  it("forgets the writes for an object with another UID, and clears one only if the UID is its own", () => {
    const store = storeOver({ Pod: "9", Job: "9" })
    store.wroteAt("default/calc", "old", "Pod", "12")
    store.clear("default/calc", "new")
    assert.isDefined(store.staleCacheOf("default/calc"))
    store.wroteAt("default/calc", "new", "Job", "9")
    assert.isUndefined(store.staleCacheOf("default/calc"))
    store.wroteAt("default/calc", "new", "Job", "10")
    store.clear("default/calc")
    assert.isUndefined(store.staleCacheOf("default/calc"))
  })

  it("does not wait for what cannot be compared, or for kinds without a cache", () => {
    const store = storeOver({ Pod: "" })
    store.wroteAt("default/web", "u", "Pod", "12")
    store.wroteAt("default/web", "u", "Node", "12")
    assert.isUndefined(store.staleCacheOf("default/web"))
    assert.isUndefined(compareVersions("012", "12"))
    assert.isUndefined(compareVersions("12", "x"))
    assert.isBelow(compareVersions("9", "10") ?? 0, 0)
    assert.strictEqual(compareVersions("10", "10"), 0)
  })
})

const base = { selector: { matchLabels: { app: "web" } }, template: template() }
const objectOf = (kind: string, spec: object): KubeObject => ({
  apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
  kind,
  metadata: { name: "web", namespace: "default" },
  ...({ spec } as object)
})
const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "img:1" }] } }
const tolerant = { ...template(), spec: { ...template().spec, tolerations: [{ operator: "Exists" }] } }
const cases = [
  ["ReplicaSet", "replicaset_controller", { ...base, replicas: 4 }],
  ["DaemonSet", "daemonset_controller", { ...base, template: tolerant }],
  [
    "StatefulSet",
    "statefulset_controller",
    { ...base, serviceName: "web", replicas: 4, podManagementPolicy: "Parallel" }
  ],
  ["Job", "job_controller", { template: jobTemplate, parallelism: 4, completions: 4 }]
] as const

const skipsOf = (subsystem: string) =>
  Effect.map(Effect.context<never>(), (context) => {
    const name = `${subsystem}_stale_sync_skips_total{`
    const lines = metricsText(context).split("\n")
    return lines
      .filter((line) => line.startsWith(name))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)
  })

/** Delivers the events of a kind late, and counts the updates of it that conflict. */
const lateEvents = (kind: string, conflicts: Array<string>) => (connection: Connection, timers: TimersShape) =>
  ({
    send: cancellable((request, reply) =>
      connection.send(request, (answer) => {
        if (Result.isFailure(answer) && isConflict(answer.failure)) conflicts.push(`${request.verb} ${request.kind}`)
        reply(answer)
      })
    ),
    watch: (request, sink) =>
      connection.watch(
        request,
        request.kind === kind ? { ...sink, events: (batch) => void timers.after(1700, () => sink.events(batch)) } : sink
      )
  }) satisfies Connection

const addNodes = (cluster: ClusterShape) =>
  Effect.forEach(["a", "b", "c", "d"], (name) =>
    cluster.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name } })
  )

describe("a controller whose cache is behind its own writes", () => {
  for (const [kind, subsystem, spec] of cases) {
    it(`does not sync ${kind}s, counts that, and meets no conflict`, () => {
      const conflicts: Array<string> = []
      withControllers(
        ({ cluster, makeReady, pods }) =>
          Effect.gen(function* () {
            const before = yield* skipsOf(subsystem)
            yield* addNodes(cluster)
            yield* cluster.create(kind as "ReplicaSet", objectOf(kind, spec) as never)
            for (let round = 0; round < 20; round++) {
              yield* Effect.sleep("300 millis")
              const unready = (yield* pods).find(({ status }) => status?.phase !== "Running")
              if (unready !== undefined) yield* makeReady(unready)
            }
            yield* Effect.sleep("20 seconds")
            assert.deepStrictEqual(conflicts, [])
            assert.isAbove((yield* skipsOf(subsystem)) - before, 0)
            const { status } = yield* cluster.get(kind as "ReplicaSet", { namespace: "default", name: "web" })
            const counts = (status ?? {}) as Record<string, unknown>
            assert.strictEqual(counts["readyReplicas"] ?? counts["numberReady"] ?? counts["ready"], 4)
          }),
        lateEvents(kind, conflicts)
      )
    })
  }
})

const budgetOf = (metadata: KubeObject["metadata"]) =>
  ({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata }) as const
const controllerOf = (metadata: KubeObject["metadata"], replicas: number) => {
  const labels = { app: "old" }
  const spec = { replicas, selector: labels, template: { ...template(), metadata: { labels } } }
  return { apiVersion: "v1", kind: "ReplicationController", metadata, spec } as const
}
const quotaOf = (metadata: KubeObject["metadata"]) => ({ apiVersion: "v1", kind: "ResourceQuota", metadata }) as const

/** The kinds whose controllers upstream has no gate for, and the kind whose events arrive late. */
const followers: ReadonlyArray<
  readonly [kind: "Deployment" | "PodDisruptionBudget" | "ReplicationController" | "ResourceQuota", late: KindName]
> = [
  ["Deployment", "Deployment"],
  ["Deployment", "ReplicaSet"],
  ["PodDisruptionBudget", "PodDisruptionBudget"],
  ["ReplicationController", "ReplicationController"],
  ["ResourceQuota", "ResourceQuota"]
]

describe("a controller without a gate whose cache is behind its own writes", () => {
  for (const [kind, late] of followers) {
    it(`waits for its writes of ${kind}s when ${late}s arrive late, and meets no conflict`, () => {
      const conflicts: Array<string> = []
      withControllers(
        ({ activePods, cluster, makeReady, pods, remove }) =>
          Effect.gen(function* () {
            const metadata = { name: "web", namespace: "default" }
            yield* cluster.create("Deployment", deploymentOf(4))
            yield* cluster.create("ReplicationController", controllerOf(metadata, 4))
            yield* Effect.sleep("5 seconds")
            const selector = base.selector
            yield* cluster.create("PodDisruptionBudget", {
              ...budgetOf(metadata),
              spec: { maxUnavailable: 1, selector }
            })
            yield* cluster.create("ResourceQuota", { ...quotaOf(metadata), spec: { hard: { pods: "20" } } })
            yield* Effect.sleep("5 seconds")
            for (const pod of yield* pods) {
              yield* makeReady(pod)
              yield* Effect.sleep("300 millis")
            }
            yield* Effect.sleep("5 seconds")
            yield* cluster.patch("Deployment", metadata, "merge", { spec: { replicas: 0 } })
            yield* cluster.patch("ReplicationController", metadata, "merge", { spec: { replicas: 0 } })
            yield* Effect.sleep("5 seconds")
            for (const pod of yield* pods) {
              yield* remove(pod)
              yield* Effect.sleep("300 millis")
            }
            yield* Effect.sleep("20 seconds")
            assert.deepStrictEqual(conflicts, [])
            assert.strictEqual((yield* activePods).length, 0)
            assert.strictEqual((yield* cluster.get("Deployment", metadata)).status?.replicas ?? 0, 0)
            assert.strictEqual((yield* cluster.get("ReplicationController", metadata)).status?.replicas, 0)
            const { status: budget } = yield* cluster.get("PodDisruptionBudget", metadata)
            assert.deepInclude(budget, { currentHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 })
            assert.deepInclude((yield* cluster.get("ResourceQuota", metadata)).status, { used: { pods: "0" } })
          }),
        lateEvents(late, conflicts)
      )
    })
  }
})

describe("the controllers of a manager whose cache of ReplicaSets is late", () => {
  it("meet no conflict while a Deployment is rolled out and its pods become ready", () => {
    const conflicts: Array<string> = []
    withControllers(
      ({ cluster, makeReady, pods, remove }) =>
        Effect.gen(function* () {
          const metadata = { name: "web", namespace: "default" }
          /** Does the work of the kubelets: one pod after another becomes ready or ends. */
          const settle = Effect.gen(function* () {
            for (const pod of yield* pods) {
              if (pod.metadata.deletionTimestamp !== undefined) yield* remove(pod)
              else if (pod.status?.phase !== "Running") yield* makeReady(pod)
              else continue
              yield* Effect.sleep("130 millis")
            }
            yield* Effect.sleep("700 millis")
          }).pipe(Effect.repeat({ times: 40 }))
          yield* cluster.create("Deployment", deploymentOf(6))
          yield* settle
          yield* cluster.patch("Deployment", metadata, "merge", { spec: { template: template("img:2") } })
          yield* settle
          assert.deepStrictEqual(conflicts, [])
          const { status } = yield* cluster.get("Deployment", metadata)
          assert.deepInclude(status, { updatedReplicas: 6, availableReplicas: 6, replicas: 6 })
        }),
      lateEvents("ReplicaSet", conflicts)
    )
  })
})
