import { assert, describe, it } from "@effect/vitest"
import { isPodReady, type Pod, type StatefulSet } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { statefulSetPlan } from "../src/rules.ts"
import { delayRequests, template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const dbKey = { namespace: "default", name: "db" }

const setOf = (replicas: number, spec: Partial<StatefulSet["spec"]> = {}): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: dbKey,
  spec: { replicas, serviceName: "db", selector: { matchLabels: { app: "web" } }, template: template(), ...spec }
})

const names = (pods: ReadonlyArray<Pod>) => pods.map(({ metadata }) => metadata.name ?? "").sort()
const oneSecond = Effect.sleep("1 second")

/** Makes pods ready as they come, until none is left to make ready. */
const makeAllReady = (setup: WorkloadsSetup, rounds = 8) =>
  Effect.gen(function* () {
    for (let round = 0; round < rounds; round++) {
      for (const pod of yield* setup.pods) {
        const isUp = isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined
        if (!isUp && pod.status?.phase === "Pending") yield* setup.makeReady(pod)
      }
      yield* oneSecond
    }
  })

/** On a node, so that it lingers when it is deleted. */
const bind = ({ cluster }: WorkloadsSetup, name: string, node: string) =>
  cluster.bind({ namespace: "default", name }, node)

describe("StatefulSets", () => {
  it("makes one pod after the other, with names, labels and claims of their own", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
        const volumeClaimTemplates = [{ metadata: { name: "data" }, spec }]
        yield* setup.cluster.create("StatefulSet", setOf(3, { volumeClaimTemplates }))
        yield* oneSecond
        assert.deepStrictEqual(names(yield* setup.pods), ["db-0"])
        yield* makeAllReady(setup)
        const pods = yield* setup.pods
        assert.deepStrictEqual(names(pods), ["db-0", "db-1", "db-2"])
        const last = pods.find(({ metadata }) => metadata.name === "db-2")
        assert.strictEqual(last?.metadata.labels?.["apps.kubernetes.io/pod-index"], "2")
        assert.deepInclude(last?.spec, { hostname: "db-2", subdomain: "db" })
        assert.strictEqual(last?.spec.volumes?.[0]?.persistentVolumeClaim?.claimName, "data-db-2")
        const claims = (yield* setup.cluster.list("PersistentVolumeClaim")).items
        assert.deepStrictEqual(claims.map(({ metadata }) => metadata.name).sort(), [
          "data-db-0",
          "data-db-1",
          "data-db-2"
        ])
        const { status } = yield* setup.cluster.get("StatefulSet", dbKey)
        assert.deepInclude(status, { replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 })
        const told = (yield* setup.events).map(({ message }) => message)
        assert.include(told, "Create Pod db-0 in StatefulSet db successful")
        assert.include(told, "Create Claim data-db-1 Pod db-1 in StatefulSet db success")
      })
    ))

  it("attempts a pod's update four times on conflicts, with client-go's pauses", () => {
    const startsMs: Array<number> = []
    let refused = false
    withControllers(
      (setup) =>
        Effect.gen(function* () {
          yield* setup.cluster.create("StatefulSet", setOf(1, { podManagementPolicy: "Parallel" }))
          yield* oneSecond
          refused = true
          const labels = { "statefulset.kubernetes.io/pod-name": "another" }
          yield* setup.cluster.patch("Pod", { namespace: "default", name: "db-0" }, "merge", { metadata: { labels } })
          yield* Effect.sleep("400 millis")
          refused = false
          yield* oneSecond
          const [pod] = yield* setup.pods
          assert.strictEqual(pod?.metadata.labels?.["statefulset.kubernetes.io/pod-name"], "db-0")
        }),
      (connection, timers) => ({
        ...connection,
        send: (request, reply) => {
          if (!refused || request.verb !== "update" || request.kind !== "Pod") return connection.send(request, reply)
          startsMs.push(timers.now())
          const status = {
            apiVersion: "v1",
            kind: "Status",
            metadata: {},
            status: "Failure",
            reason: "Conflict",
            code: 409
          } as const
          reply(Result.fail(new ApiError({ status })))
          return () => {}
        }
      })
    )
    const pausesMs = startsMs.slice(1, 4).map((startMs, index) => startMs - (startsMs[index] ?? 0))
    assert.strictEqual(pausesMs.length, 3)
    const bounds = [10, 50, 250] as const
    bounds.forEach((least, index) => {
      assert.isAtLeast(pausesMs[index] ?? 0, least)
      assert.isAtMost(pausesMs[index] ?? 0, least * 1.1 + 5)
    })
  })

  it("makes all at once where it may, and removes the highest first", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("StatefulSet", setOf(4, { podManagementPolicy: "Parallel" }))
        yield* oneSecond
        assert.strictEqual((yield* setup.pods).length, 4)
        yield* makeAllReady(setup, 2)
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: { replicas: 1 } })
        yield* oneSecond
        assert.deepStrictEqual(names(yield* setup.pods), ["db-0"])
      })
    ))

  it("waits for a pod that is stuck terminating, and replaces it when it is deleted", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("StatefulSet", setOf(2))
        yield* oneSecond
        yield* bind(setup, "db-0", "dead")
        yield* makeAllReady(setup)
        yield* setup.cluster.delete("Pod", { namespace: "default", name: "db-0" })
        yield* Effect.sleep("1 hour")
        const stuck = (yield* setup.pods).filter(({ metadata }) => metadata.name === "db-0")
        assert.strictEqual(stuck.length, 1)
        assert.isDefined(stuck[0]?.metadata.deletionTimestamp)
        if (stuck[0] !== undefined) yield* setup.remove(stuck[0])
        yield* oneSecond
        const again = (yield* setup.pods).find(({ metadata }) => metadata.name === "db-0")
        assert.isUndefined(again?.metadata.deletionTimestamp)
        assert.notStrictEqual(again?.metadata.uid, stuck[0]?.metadata.uid)
      })
    ))

  it("updates from the highest ordinal down to the partition, and keeps both revisions", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } } as const
        yield* setup.cluster.create("StatefulSet", setOf(3, { updateStrategy }))
        yield* makeAllReady(setup)
        const before = yield* setup.cluster.get("StatefulSet", dbKey)
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", { spec: { template: template("img:2") } })
        yield* oneSecond
        // The highest is gone and back, not ready yet; the others wait.
        const images = Effect.map(setup.pods, (pods) =>
          Object.fromEntries(pods.map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]))
        )
        assert.deepStrictEqual(yield* images, { "db-0": "img:1", "db-1": "img:1", "db-2": "img:2" })
        yield* makeAllReady(setup)
        assert.deepStrictEqual(yield* images, { "db-0": "img:1", "db-1": "img:2", "db-2": "img:2" })
        const after = yield* setup.cluster.get("StatefulSet", dbKey)
        assert.strictEqual(after.status?.currentRevision, before.status?.currentRevision)
        assert.notStrictEqual(after.status?.updateRevision, before.status?.updateRevision)
        const revisions = (yield* setup.cluster.list("ControllerRevision")).items
        assert.deepStrictEqual(revisions.map(({ revision }) => revision).sort(), [1, 2])
        // Below the partition a lost pod comes back as what it was.
        const first = (yield* setup.pods).find(({ metadata }) => metadata.name === "db-0")
        if (first !== undefined) yield* setup.remove(first)
        yield* oneSecond
        assert.strictEqual((yield* images)["db-0"], "img:1")
        yield* setup.cluster.patch("StatefulSet", dbKey, "merge", {
          spec: { updateStrategy: { rollingUpdate: { partition: 0 } } }
        })
        yield* makeAllReady(setup)
        const done = yield* setup.cluster.get("StatefulSet", dbKey)
        assert.strictEqual(done.status?.currentRevision, done.status?.updateRevision)
      })
    ))

  it("never has two pods of one ordinal and never makes one before its predecessors are ready", () => {
    const act = fc.record({
      kind: fc.constantFrom("ready", "ready", "ready", "delete", "remove", "fail", "scale", "image"),
      pick: fc.nat(5),
      waitMs: fc.constantFrom(0, 1, 40, 2000)
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), fc.integer({ min: 0, max: 100 }), (acts, delayMs) => {
        withControllers(
          (setup) =>
            Effect.gen(function* () {
              const { cluster } = setup
              let wanted = 3
              const made: Array<string> = []
              cluster.connection.watch(
                { verb: "watch", kind: "Pod" },
                {
                  events: (batch) => {
                    for (const { object, type } of batch) if (type === "ADDED") made.push(object.metadata.name ?? "")
                  },
                  end: () => {}
                }
              )
              yield* cluster.create("StatefulSet", setOf(wanted))
              for (const { kind, pick, waitMs } of acts) {
                yield* Effect.sleep(waitMs)
                const pods = yield* setup.pods
                const pod = pods[pick % Math.max(1, pods.length)]
                assert.strictEqual(new Set(names(pods)).size, pods.length)
                if (kind === "scale") {
                  wanted = pick
                  yield* cluster.patch("StatefulSet", dbKey, "merge", { spec: { replicas: wanted } })
                } else if (kind === "image") {
                  yield* cluster.patch("StatefulSet", dbKey, "merge", { spec: { template: template(`img:${pick}`) } })
                } else if (pod === undefined) continue
                else if (kind === "delete")
                  yield* cluster.delete("Pod", { namespace: "default", name: pod.metadata.name ?? "" })
                else if (kind === "remove") yield* setup.remove(pod)
                else if (kind === "ready" && pod.status?.phase === "Pending") yield* setup.makeReady(pod)
                else if (kind === "fail")
                  yield* cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, phase: "Failed" } })
              }
              yield* Effect.sleep("1 minute")
              yield* makeAllReady(setup, 20)
              const left = yield* setup.pods
              assert.deepStrictEqual(
                names(left),
                Array.from({ length: wanted }, (_, ordinal) => `db-${ordinal}`)
              )
              const { status } = yield* cluster.get("StatefulSet", dbKey)
              assert.strictEqual(status?.updatedReplicas ?? 0, wanted)
              assert.strictEqual(status?.currentRevision, status?.updateRevision)
            }),
          delayRequests(delayMs)
        )
      }),
      { numRuns: 30 }
    )
  })

  it("plans for any pods: one action an ordinal, none made whose name is taken, in order with OrderedReady", () => {
    const state = fc.record({
      phase: fc.constantFrom("Pending", "Running", "Failed", "Succeeded"),
      ready: fc.boolean(),
      ending: fc.boolean(),
      revision: fc.constantFrom("old", "new")
    })
    const policy = fc.constantFrom("OrderedReady", "Parallel")
    fc.assert(
      fc.property(
        fc.array(fc.option(state), { maxLength: 7 }),
        fc.nat(6),
        policy,
        (states, replicas, podManagementPolicy) => {
          const pods = states.flatMap((given, ordinal): ReadonlyArray<Pod> => {
            if (given === null) return []
            const { ending, phase, ready, revision } = given
            return [
              {
                apiVersion: "v1",
                kind: "Pod",
                metadata: {
                  name: `db-${ordinal}`,
                  namespace: "default",
                  uid: `u${ordinal}`,
                  labels: { "controller-revision-hash": revision },
                  ...(ending ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {})
                },
                spec: { containers: [] },
                status: {
                  phase,
                  conditions: [{ type: "Ready", status: ready && phase === "Running" ? "True" : "False" }]
                }
              }
            ]
          })
          const set = setOf(replicas, { podManagementPolicy })
          const { actions } = statefulSetPlan(set, { current: "old", update: "new" }, pods, 0)
          const created = actions.flatMap((action) => (action.do === "create" ? [action.ordinal] : []))
          const removed = actions.flatMap((action) => (action.do === "delete" ? [action.pod] : []))
          assert.strictEqual(new Set(created).size, created.length)
          for (const ordinal of created) {
            assert.isBelow(ordinal, replicas)
            assert.notInclude(names(pods), `db-${ordinal}`)
          }
          for (const pod of removed) assert.isUndefined(pod.metadata.deletionTimestamp)
          if (podManagementPolicy === "Parallel") return
          assert.isAtMost(created.length + removed.length, 1)
          for (const ordinal of created) {
            const before = pods.filter(({ metadata }) => Number(metadata.name?.slice(3)) < ordinal)
            assert.strictEqual(before.length, ordinal)
            assert.isTrue(before.every((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined))
          }
        }
      ),
      { numRuns: 500 }
    )
  })
})
