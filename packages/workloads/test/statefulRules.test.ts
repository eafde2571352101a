import { assert, describe, it } from "@effect/vitest"
import { formatTime, isPodReady, type PersistentVolumeClaim, type Pod, type StatefulSet } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { statefulSetPlan } from "../src/rules.ts"
import { neededOwners } from "../src/statefulset/claimOwners.ts"
import { START, template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const dbKey = { namespace: "default", name: "db" }
const data = [
  {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  }
]

const setOf = (replicas: number, spec: Partial<StatefulSet["spec"]> = {}): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: dbKey,
  spec: { replicas, serviceName: "db", selector: { matchLabels: { app: "web" } }, template: template(), ...spec }
})

const setWithRetention = (whenDeleted: "Retain" | "Delete", whenScaled: "Retain" | "Delete", replicas = 2) =>
  setOf(replicas, {
    volumeClaimTemplates: data,
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled }
  })

const names = (pods: ReadonlyArray<Pod>) => pods.map(({ metadata }) => metadata.name ?? "").sort()
const oneSecond = Effect.sleep("1 second")

const uidOf = ({ metadata }: Pod) => metadata.uid ?? ""
const keyOf = ({ name = "" }: Pod["metadata"]) => ({ namespace: "default", name })

const makeAllReady = (setup: WorkloadsSetup, rounds = 6) =>
  Effect.gen(function* () {
    for (let round = 0; round < rounds; round++) {
      for (const pod of yield* setup.pods) {
        const isUp = isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined
        if (!isUp && pod.status?.phase === "Pending") yield* setup.makeReady(pod)
      }
      yield* oneSecond
    }
  })

const ownersOf = ({ cluster }: WorkloadsSetup) =>
  Effect.map(cluster.list("PersistentVolumeClaim"), ({ items }) =>
    Object.fromEntries(
      items.map(({ metadata }) => [
        metadata.name,
        (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`).join()
      ])
    )
  )

it("pods of a StatefulSet have the prefix of their names, too", () =>
  withControllers((setup) =>
    Effect.gen(function* () {
      yield* setup.cluster.create("StatefulSet", setOf(1))
      yield* oneSecond
      const [pod] = yield* setup.pods
      assert.deepInclude(pod?.metadata, { generateName: "db-", name: "db-0" })
    })
  ))

describe("claims of a StatefulSet", () => {
  it("belong to the set where they are to go with it", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("StatefulSet", setWithRetention("Delete", "Retain"))
        yield* makeAllReady(setup)
        const owned = { "data-db-0": "StatefulSet db", "data-db-1": "StatefulSet db" }
        assert.deepStrictEqual(yield* ownersOf(setup), owned)
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: { replicas: 1 } })
        yield* oneSecond
        assert.deepStrictEqual(yield* ownersOf(setup), owned, "scaling takes none")
        const retain = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } }
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: retain })
        yield* oneSecond
        assert.strictEqual((yield* ownersOf(setup))["data-db-0"], "", "the policy may change")
      })
    ))

  it("belong to the pod that is scaled away where they are to go with it", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("StatefulSet", setWithRetention("Delete", "Delete"))
        yield* makeAllReady(setup)
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: { replicas: 1 } })
        yield* oneSecond
        assert.deepStrictEqual(names(yield* setup.pods), ["db-0"])
        assert.deepStrictEqual(yield* ownersOf(setup), { "data-db-0": "StatefulSet db", "data-db-1": "Pod db-1" })
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: { replicas: 2 } })
        yield* Effect.sleep("1 minute")
        assert.deepStrictEqual(names(yield* setup.pods), ["db-0"], "nothing is made on a claim that is about to go")
        yield* setup.cluster.delete("PersistentVolumeClaim", { namespace: "default", name: "data-db-1" })
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { metadata: { labels: { look: "again" } } })
        yield* makeAllReady(setup)
        assert.deepStrictEqual(names(yield* setup.pods), ["db-0", "db-1"])
        assert.strictEqual((yield* ownersOf(setup))["data-db-1"], "StatefulSet db")
      })
    ))

  it("have no owner with policy Retain, and keep another controller", () => {
    const set = { ...setWithRetention("Delete", "Delete"), metadata: { ...dbKey, uid: "set" } }
    const pod = (ordinal: number): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: `db-${ordinal}`, uid: `pod-${ordinal}` },
      spec: { containers: [] }
    })
    const claim = (...owners: ReadonlyArray<readonly [kind: string, name: string, uid: string]>) =>
      ({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name: "data-db-0",
          ownerReferences: owners.map(([kind, name, uid]) => ({
            apiVersion: kind === "StatefulSet" ? "apps/v1" : "v1",
            kind,
            name,
            uid,
            controller: true
          }))
        }
      }) satisfies PersistentVolumeClaim
    const due = (of: StatefulSet, ordinal: number, given: PersistentVolumeClaim) =>
      neededOwners(of, given, pod(ordinal))?.map(({ uid }) => uid)
    assert.deepStrictEqual(due(set, 0, claim()), ["set"])
    assert.isUndefined(due(set, 0, claim(["StatefulSet", "db", "set"])))
    assert.deepStrictEqual(due(set, 2, claim(["StatefulSet", "db", "set"])), ["pod-2"], "beyond the replicas")
    assert.isUndefined(due(set, 0, claim(["StatefulSet", "db", "another"])), "of a set of that name before")
    assert.isUndefined(due(set, 0, claim(["ConfigMap", "other", "o"])))
    assert.deepStrictEqual(due(set, 0, claim(["ConfigMap", "other", "o"], ["StatefulSet", "db", "set"])), ["o"])
    const kept = { ...setWithRetention("Retain", "Retain"), metadata: set.metadata }
    assert.deepStrictEqual(due(kept, 0, claim(["StatefulSet", "db", "set"])), [])
    const scaled = { ...setWithRetention("Retain", "Delete"), metadata: set.metadata }
    assert.isUndefined(due(scaled, 0, claim()))
    assert.deepStrictEqual(due(scaled, 5, claim()), ["pod-5"])
  })
})

describe("a set that is recreated over its orphans", () => {
  const freed = { metadata: { ownerReferences: null } }

  it("takes over pods and revisions, and restarts nothing", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("StatefulSet", setOf(2))
        yield* makeAllReady(setup)
        const before = yield* setup.pods
        yield* cluster.delete("StatefulSet", dbKey)
        for (const { metadata } of before) yield* cluster.patch("Pod", keyOf(metadata), "merge", freed)
        const revisions = Effect.map(cluster.list("ControllerRevision"), ({ items }) => items)
        for (const { metadata } of yield* revisions) {
          yield* cluster.patch("ControllerRevision", keyOf(metadata), "merge", freed)
        }
        yield* cluster.create("StatefulSet", setOf(2))
        yield* makeAllReady(setup)
        assert.deepStrictEqual((yield* setup.pods).map(uidOf).sort(), before.map(uidOf).sort())
        const [revision, ...others] = yield* revisions
        assert.isEmpty(others)
        const set = yield* cluster.get("StatefulSet", dbKey)
        assert.strictEqual(revision?.metadata.ownerReferences?.[0]?.uid, set.metadata.uid)
        assert.deepInclude(set.status, { updatedReplicas: 2, collisionCount: 0 })
      })
    ))
})

describe("what a StatefulSet does next", () => {
  const podOf = (ordinal: number, given: { revision?: string; ready?: boolean; readyAt?: number } = {}): Pod => {
    const { ready = true, readyAt = START - 60_000, revision = "new" } = given
    const labels = { "controller-revision-hash": revision, "statefulset.kubernetes.io/pod-name": `db-${ordinal}` }
    const lastTransitionTime = formatTime(readyAt)
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: `db-${ordinal}`, uid: `u${ordinal}`, labels },
      spec: { containers: [] },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }]
      }
    }
  }
  const pods = (count: number, given: Parameters<typeof podOf>[1] = {}) =>
    Array.from({ length: count }, (_, ordinal) => podOf(ordinal, given))
  const planOf = (set: StatefulSet, there: ReadonlyArray<Pod>, supportsMaxUnavailable = true) =>
    statefulSetPlan(set, { current: "old", update: "new" }, there, START, { supportsMaxUnavailable }).actions.map(
      (action) => `${action.do} ${action.do === "create" ? action.ordinal : action.pod.metadata.name}`
    )
  const rolling = (maxUnavailable: number | string, spec: Partial<StatefulSet["spec"]> = {}) =>
    setOf(10, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } }, ...spec })

  it("updates as many at once as may be unavailable: a percentage rounds down, and is one at least", () => {
    const old = pods(10, { revision: "old" })
    assert.deepStrictEqual(planOf(rolling("25%"), old), ["delete db-9", "delete db-8"])
    assert.deepStrictEqual(planOf(rolling("1%"), old), ["delete db-9"])
    assert.deepStrictEqual(planOf(rolling(3), old), ["delete db-9", "delete db-8", "delete db-7"])
    const oneDown = [...old.slice(0, 9), podOf(9, { ready: false })]
    assert.deepStrictEqual(planOf(rolling(2, { podManagementPolicy: "Parallel" }), oneDown), ["delete db-8"])
  })

  it("before 1.35 updates one at a time, and is not blocked by a broken pod below", () => {
    const parallel = rolling(3, { podManagementPolicy: "Parallel" })
    const old = pods(10, { revision: "old" })
    const broken = [podOf(0, { revision: "old", ready: false }), ...old.slice(1)]
    assert.deepStrictEqual(planOf(parallel, broken, false), ["delete db-9"])
    const waiting = [...old.slice(0, 9), podOf(9, { ready: false })]
    assert.deepStrictEqual(planOf(parallel, waiting, false), [])
  })

  it("with OrderedReady touches nothing after a broken pod, not even to put back what broke it", () => {
    const broken = [podOf(0), podOf(1, { ready: false, revision: "bad" }), podOf(2, { revision: "old" })]
    assert.deepStrictEqual(planOf(setOf(3), broken), [])
    assert.deepStrictEqual(planOf(setOf(3, { podManagementPolicy: "Parallel" }), broken), [])
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } as const
    const wider = setOf(3, { podManagementPolicy: "Parallel", updateStrategy })
    assert.deepStrictEqual(planOf(wider, broken), ["delete db-2"])
  })

  it("waits until a pod has been ready for minReadySeconds", () => {
    const set = setOf(3, { minReadySeconds: 30 })
    assert.deepStrictEqual(planOf(set, [podOf(0, { readyAt: START - 20_000 })]), [])
    assert.deepStrictEqual(planOf(set, [podOf(0, { readyAt: START - 31_000 })]), ["create 1"])
  })

  it("counts from the ordinal that it is to start with, and takes away what is below", () => {
    const set = setOf(2, { ordinals: { start: 3 } })
    assert.deepStrictEqual(planOf(set, [podOf(1), podOf(3), podOf(4)]), ["delete db-1"])
    assert.deepStrictEqual(planOf(set, [podOf(1), podOf(3)]), ["create 4"])
  })

  it("does not adopt a revision again that is orphaned while the set is being deleted", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("StatefulSet", setOf(1))
        yield* makeAllReady(setup)
        yield* cluster.delete("StatefulSet", dbKey, { propagationPolicy: "Orphan" })
        const owners = Effect.map(cluster.list("ControllerRevision"), ({ items }) =>
          items.map(({ metadata }) => metadata.ownerReferences?.length ?? 0)
        )
        const [revision] = (yield* cluster.list("ControllerRevision")).items
        const key = { namespace: "default", name: revision?.metadata.name ?? "" }
        yield* cluster.patch("ControllerRevision", key, "merge", { metadata: { ownerReferences: null } })
        yield* Effect.sleep("1 minute")
        assert.deepStrictEqual(yield* owners, [0])
        yield* cluster.patch("StatefulSet", dbKey, "merge", { metadata: { finalizers: null } })
        yield* cluster.create("StatefulSet", setOf(1))
        yield* Effect.sleep("1 minute")
        assert.deepStrictEqual(yield* owners, [1])
      })
    ))
})
