import { assert, describe, it } from "@effect/vitest"
import { getControllerOf } from "@rollcall/api"
import { ApiError, type Connection, cancellable, rateLimited } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { delayRequests, replicaSetOf, START, template, withControllers } from "./withControllers.ts"

const webKey = { namespace: "default", name: "web" }

const refusal = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, code: 403, reason: "Forbidden", message: "exceeded quota" }
})

/** Refuses to create pods while `isClosed`, and counts the attempts. */
const refusePods =
  (isClosed: () => boolean, attempts: Array<number>, timers: { readonly now: () => number }) =>
  (connection: Connection): Connection => ({
    ...connection,
    send: cancellable((request, reply) => {
      if (request.verb === "create" && request.kind === "Pod") attempts.push(timers.now())
      if (request.verb === "create" && request.kind === "Pod" && isClosed()) reply(Result.fail(refusal))
      else connection.send(request, reply)
    })
  })

describe("ReplicaSets", () => {
  it("creates the desired pods of a set, owned by it, and records Events", () =>
    withControllers(({ cluster, events, pods }) =>
      Effect.gen(function* () {
        const made = yield* cluster.create("ReplicaSet", replicaSetOf(7))
        yield* Effect.sleep("1 second")
        const all = yield* pods
        assert.strictEqual(all.length, 7)
        for (const pod of all) {
          assert.match(pod.metadata.name ?? "", /^web-[a-z0-9]{5}$/)
          assert.deepInclude(getControllerOf(pod), { kind: "ReplicaSet", name: "web", uid: made.metadata.uid ?? "" })
          assert.deepStrictEqual(pod.metadata.labels, { app: "web" })
        }
        const told = (yield* events).map(({ message, reason, type }) => `${type} ${reason} ${message}`).sort()
        assert.deepStrictEqual(
          told,
          all.map(({ metadata }) => `Normal SuccessfulCreate Created pod: ${metadata.name}`).sort()
        )
        const { status } = yield* cluster.get("ReplicaSet", webKey)
        assert.deepStrictEqual(status, {
          replicas: 7,
          fullyLabeledReplicas: 7,
          terminatingReplicas: 0,
          observedGeneration: 1
        })
      })
    ))

  it("replaces a pod as soon as it is on its way out, also while it hangs", () =>
    withControllers(({ activePods, cluster, pods }) =>
      Effect.gen(function* () {
        yield* cluster.create("ReplicaSet", replicaSetOf(2))
        yield* Effect.sleep("1 second")
        const [victim] = yield* pods
        if (victim === undefined) throw new Error("no pod")
        // On a node, so that only its kubelet may end it: and there is none.
        yield* cluster.bind({ namespace: "default", name: victim.metadata.name ?? "" }, "dead")
        yield* cluster.delete("Pod", { namespace: "default", name: victim.metadata.name ?? "" })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pods).length, 3)
        assert.strictEqual((yield* activePods).length, 2)
        const { status } = yield* cluster.get("ReplicaSet", webKey)
        assert.deepInclude(status, { replicas: 2, terminatingReplicas: 1 })
      })
    ))

  it("does not replace a pod on a dead node that was not deleted, nor count a failed one", () =>
    withControllers(({ cluster, makeReady, pods }) =>
      Effect.gen(function* () {
        yield* cluster.create("ReplicaSet", replicaSetOf(2))
        yield* Effect.sleep("1 second")
        const [unready, failed] = yield* pods
        if (unready === undefined || failed === undefined) throw new Error("no pods")
        yield* makeReady(unready)
        const lost = yield* cluster.get("Pod", { namespace: "default", name: unready.metadata.name ?? "" })
        const conditions = [{ type: "Ready", status: "False" } as const]
        yield* cluster.updateStatus("Pod", { ...lost, status: { ...lost.status, conditions } })
        yield* Effect.sleep("10 minutes")
        assert.strictEqual((yield* pods).length, 2)
        yield* cluster.updateStatus("Pod", { ...failed, status: { ...failed.status, phase: "Failed" } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pods).length, 3)
      })
    ))

  it("deletes what is too much, pods that serve last", () =>
    withControllers(({ activePods, cluster, events, makeReady, pods }) =>
      Effect.gen(function* () {
        yield* cluster.create("ReplicaSet", replicaSetOf(6))
        yield* Effect.sleep("1 second")
        const ready = (yield* pods).slice(2, 5)
        for (const pod of ready) yield* makeReady(pod)
        const set = yield* cluster.get("ReplicaSet", webKey)
        yield* cluster.update("ReplicaSet", { ...set, spec: { ...set.spec, replicas: 3 } })
        yield* Effect.sleep("1 second")
        const left = (yield* activePods).map(({ metadata }) => metadata.name)
        assert.deepStrictEqual(left.sort(), ready.map(({ metadata }) => metadata.name).sort())
        assert.strictEqual((yield* events).filter(({ reason }) => reason === "SuccessfulDelete").length, 3)
        assert.deepInclude((yield* cluster.get("ReplicaSet", webKey)).status, { replicas: 3, readyReplicas: 3 })
      })
    ))

  it("adopts pods that it selects and releases those that it no longer selects", () =>
    withControllers(({ cluster, pods }) =>
      Effect.gen(function* () {
        yield* cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "stray", namespace: "default", labels: { app: "web" } },
          spec: template().spec
        })
        yield* Effect.sleep("1 second")
        yield* cluster.create("ReplicaSet", replicaSetOf(2))
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pods).length, 2)
        const stray = { namespace: "default", name: "stray" }
        assert.strictEqual(getControllerOf(yield* cluster.get("Pod", stray))?.name, "web")
        yield* cluster.patch("Pod", stray, "merge", { metadata: { labels: { app: "other" } } })
        yield* Effect.sleep("1 second")
        assert.strictEqual(getControllerOf(yield* cluster.get("Pod", stray)), undefined)
        const owned = (yield* pods).filter((pod) => getControllerOf(pod) !== undefined)
        assert.strictEqual(owned.length, 2)
        // Back with its label, and one too many.
        yield* cluster.patch("Pod", stray, "merge", { metadata: { labels: { app: "web" } } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pods).filter((pod) => getControllerOf(pod) !== undefined).length, 2)
      })
    ))

  it("starts slowly where pods are refused, records that, and continues when they no longer are", () => {
    const attempts: Array<number> = []
    let isClosed = true
    withControllers(
      ({ cluster, events, pods }) =>
        Effect.gen(function* () {
          yield* cluster.create("ReplicaSet", replicaSetOf(20))
          yield* Effect.sleep("100 millis")
          // One pod a try: at once, again because of the status that tells of it, then with back-off.
          assert.deepStrictEqual(
            attempts.map((at) => at - START),
            [0, 0, 5, 25, 65]
          )
          const { status } = yield* cluster.get("ReplicaSet", webKey)
          assert.deepInclude(status?.conditions?.[0], {
            type: "ReplicaFailure",
            status: "True",
            reason: "FailedCreate",
            message: "exceeded quota"
          })
          const failure = (yield* events).find(({ reason }) => reason === "FailedCreate")
          assert.deepInclude(failure, { type: "Warning", message: "Error creating: exceeded quota" })
          isClosed = false
          yield* Effect.sleep("10 seconds")
          assert.strictEqual((yield* pods).length, 20)
          assert.notProperty((yield* cluster.get("ReplicaSet", webKey)).status, "conditions")
        }),
      (connection, timers) => refusePods(() => isClosed, attempts, timers)(connection)
    )
  })

  it("waits for minReadySeconds before it calls a pod available", () =>
    withControllers(({ cluster, pods, timers }) =>
      Effect.gen(function* () {
        yield* cluster.create("ReplicaSet", replicaSetOf(1, { minReadySeconds: 30 }))
        yield* Effect.sleep("1 second")
        const [pod] = yield* pods
        if (pod === undefined) throw new Error("no pod")
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" } as const]
        yield* cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, phase: "Running", conditions } })
        const available = Effect.map(cluster.get("ReplicaSet", webKey), ({ status }) => status?.availableReplicas ?? 0)
        yield* Effect.sleep(START + 31_000 - timers.now())
        assert.strictEqual(yield* available, 0)
        yield* Effect.sleep("2 millis")
        assert.strictEqual(yield* available, 1)
      })
    ))

  it("makes 5,000 pods in bursts of 500, within the limit of its client", () => {
    const took = withControllers(
      ({ cluster, pods, timers }) =>
        Effect.gen(function* () {
          yield* cluster.create("ReplicaSet", replicaSetOf(5000))
          while ((yield* pods).length < 5000) yield* Effect.sleep("1 second")
          return timers.now() - START
        }),
      (connection, timers) => rateLimited(connection, { qps: 1000, burst: 1000, timers })
    )
    // Each creation has its event, through the same client.
    assert.isAtLeast(took, 4000)
    assert.isAtMost(took, 12_000)
  })

  it("comes back to its size whatever is deleted, and never makes one too many", () => {
    const act = fc.record({
      kind: fc.constantFrom("delete", "kill", "ready", "fail", "scale", "steal"),
      pick: fc.nat(100),
      waitMs: fc.constantFrom(0, 1, 50, 3000)
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), fc.integer({ min: 0, max: 200 }), (acts, delayMs) => {
        withControllers(
          ({ activePods, cluster, makeReady, pods, remove }) =>
            Effect.gen(function* () {
              let wanted = 4
              let most = 4
              yield* cluster.create("ReplicaSet", replicaSetOf(wanted))
              const owned = Effect.map(activePods, (all) => all.filter((pod) => getControllerOf(pod) !== undefined))
              for (const { kind, pick, waitMs } of acts) {
                yield* Effect.sleep(waitMs)
                assert.isAtMost((yield* owned).length, most)
                if (kind === "scale") {
                  wanted = pick % 7
                  most = Math.max(most, wanted)
                  yield* cluster.patch("ReplicaSet", webKey, "merge", { spec: { replicas: wanted } })
                  continue
                }
                const all = yield* pods
                const pod = all[pick % Math.max(1, all.length)]
                if (pod === undefined) continue
                const key = { namespace: "default", name: pod.metadata.name ?? "" }
                if (kind === "delete") yield* cluster.delete("Pod", key)
                else if (kind === "kill") yield* remove(pod)
                else if (kind === "ready" && pod.status?.phase !== "Failed") yield* makeReady(pod)
                else if (kind === "steal") {
                  yield* cluster.patch("Pod", key, "merge", { metadata: { labels: { app: "other" } } })
                } else if (kind === "fail") {
                  yield* cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, phase: "Failed" } })
                }
              }
              yield* Effect.sleep("1 minute")
              const left = yield* owned
              assert.strictEqual(left.length, wanted)
              const { status } = yield* cluster.get("ReplicaSet", webKey)
              assert.strictEqual(status?.replicas, wanted)
              const ready = left.filter((pod) => pod.status?.conditions?.some(({ type }) => type === "Ready"))
              assert.strictEqual(status?.readyReplicas ?? 0, ready.length)
            }),
          delayRequests(delayMs)
        )
      }),
      { numRuns: 40 }
    )
  })
})
