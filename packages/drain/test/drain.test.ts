import { ApiError, type ClusterShape } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { drainNode } from "../src/drainNode.ts"
import {
  cordonPatch,
  type DrainEvent,
  DrainFailed,
  type DrainNodeCluster,
  evictPods,
  planNodeDrain
} from "../src/index.ts"
import { runPod, START, withCluster } from "./withCluster.ts"

/** Records each event with its time. */
const makeRecorder = () => {
  const lines: Array<string> = []
  const options = (nowMs: () => number) => ({
    onEvent: (event: DrainEvent) => {
      lines.push(`${(nowMs() - START) / 1000} ${event.type} ${event.pod.metadata.name}`)
    }
  })
  return { lines, options }
}

const currentTime = Effect.map(Clock.Clock, (clock) => () => clock.currentTimeMillisUnsafe())

const budget = (cluster: ClusterShape, allowed: number) =>
  Effect.gen(function* () {
    yield* cluster.create("PodDisruptionBudget", {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } }
    })
    yield* allowDisruptions(cluster, allowed)
  })

const allowDisruptions = (cluster: ClusterShape, disruptionsAllowed: number) =>
  cluster.patch(
    "PodDisruptionBudget",
    { namespace: "default", name: "web" },
    "merge",
    {
      status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 }
    },
    { subresource: "status" }
  )

describe("drainNode", () => {
  it("cordons, retries every five seconds while a budget refuses, and waits until each pod is deleted", () => {
    const { lines, options } = makeRecorder()
    const cordoned = withCluster((cluster) =>
      Effect.gen(function* () {
        yield* runPod(cluster, "a")
        yield* budget(cluster, 0)
        yield* Effect.forkScoped(Effect.andThen(Effect.sleep("8 seconds"), updateBudget(cluster)))
        const plan = yield* drainNode(cluster, "n1", options(yield* currentTime))
        assert.deepStrictEqual(
          plan.evict.map(({ metadata }) => metadata.name),
          ["a"]
        )
        return (yield* cluster.get("Node", { name: "n1" })).spec?.unschedulable
      })
    )
    assert.isTrue(cordoned)
    assert.deepStrictEqual(lines, [
      "0 evicting a",
      "0 refused a",
      "5 evicting a",
      "5 refused a",
      "10 evicting a",
      "10 evicted a"
    ])
  })

  it("evicts nothing while kubectl refuses a pod", () => {
    const messages = withCluster((cluster) =>
      Effect.gen(function* () {
        yield* runPod(cluster, "a")
        yield* cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "bare", namespace: "default" },
          spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] }
        })
        const failure = yield* Effect.flip(drainNode(cluster, "n1"))
        assert.strictEqual((yield* cluster.list("Pod")).items.length, 2)
        return failure._tag === "DrainFailed" ? failure.messages : [failure.message]
      })
    )
    assert.deepStrictEqual(messages, [
      "cannot delete Pods that declare no controller (use --force to override): default/bare"
    ])
  })

  it("looks up the DaemonSet of a pod, not a kind of that name in another group", () => {
    withCluster((cluster) =>
      Effect.gen(function* () {
        const agents = [
          ["a", "apps/v1", "agent"],
          ["b", "apps/v1", "agent"],
          ["c", "apps.kruise.io/v1alpha1", "other"]
        ] as const
        for (const [name, apiVersion, owner] of agents) {
          yield* cluster.create("Pod", {
            apiVersion: "v1",
            kind: "Pod",
            metadata: {
              name,
              namespace: "default",
              ownerReferences: [{ apiVersion, kind: "DaemonSet", name: owner, uid: owner, controller: true }]
            },
            spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] }
          })
        }
        const asked: Array<string> = []
        const watched: Pick<ClusterShape, "list" | "get"> = {
          list: cluster.list,
          get: (kind, key, ...more) => {
            asked.push(`${kind} ${key.namespace}/${key.name}`)
            return cluster.get(kind, key, ...more)
          }
        }
        const { errors, evict } = yield* planNodeDrain(watched, "n1")
        assert.deepStrictEqual(asked, ["DaemonSet default/agent"])
        assert.deepStrictEqual(errors, ['cannot delete daemonsets.apps "agent" not found: default/a, default/b'])
        assert.deepStrictEqual(
          evict.map(({ metadata }) => metadata.name),
          ["c"]
        )
      })
    )
  })

  it("plans without changing anything", () => {
    withCluster((cluster) =>
      Effect.gen(function* () {
        yield* runPod(cluster, "a")
        assert.strictEqual((yield* planNodeDrain(cluster, "n1")).evict.length, 1)
        assert.isUndefined((yield* cluster.get("Node", { name: "n1" })).spec?.unschedulable)
      })
    )
  })
})

const updateBudget = (cluster: ClusterShape) => Effect.orDie(allowDisruptions(cluster, 1))

describe("evictPods", () => {
  it("fails at the global timeout, while the pod is still terminating", () => {
    const failure = withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "slow", 300)
        return yield* Effect.flip(evictPods(cluster, [pod], { timeoutMs: 3000 }))
      })
    )
    assert.strictEqual(
      failure.message,
      'error when waiting for pod "slow" in namespace "default" to terminate: context deadline exceeded'
    )
  })

  it("joins distinct messages, and passes those of deletions unchanged", () => {
    const failures = withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "slow", 300)
        const late = yield* Effect.flip(evictPods(cluster, [pod], { timeoutMs: 1500, disableEviction: true }))
        const status = {
          apiVersion: "v1",
          kind: "Status",
          metadata: {},
          code: 403,
          reason: "Forbidden",
          message: "no"
        } as const
        const closed: DrainNodeCluster = { ...cluster, delete: () => Effect.fail(new ApiError({ status })) }
        return [late, yield* Effect.flip(evictPods(closed, [pod], { disableEviction: true }))] as const
      })
    )
    assert.deepStrictEqual(
      failures.map(({ answer, message }) => [message, answer?._tag]),
      [
        ["context deadline exceeded", undefined],
        ["no", "ApiError"]
      ]
    )
    assert.strictEqual(new DrainFailed({ messages: ["a", "b", "a"] }).message, "[a, b]")
  })

  it("does not wait for a pod that has been terminating too long", () => {
    const { lines, options } = makeRecorder()
    withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "slow", 2)
        const now = yield* currentTime
        yield* evictPods(cluster, [pod], { ...options(now), skipWaitForDeleteTimeoutSeconds: 1 })
      })
    )
    // Its deletionTimestamp is two seconds ahead; more than one second after that it is no longer waited for.
    assert.deepStrictEqual(lines, ["0 evicting slow", "4 skipped slow"])
  })

  it("deletes without regard to budgets when evictions are disabled", () => {
    const { lines, options } = makeRecorder()
    withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "a")
        yield* budget(cluster, 0)
        yield* evictPods(cluster, [pod], { ...options(yield* currentTime), disableEviction: true })
      })
    )
    assert.deepStrictEqual(lines, ["0 deleting a", "0 deleted a"])
  })

  it("deletes when the server has no evictions", () => {
    const { lines, options } = makeRecorder()
    const message = "the server could not find the requested resource"
    const unknown = { apiVersion: "v1", kind: "Status", metadata: {}, code: 404, reason: "NotFound", message } as const
    withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "a")
        const old: DrainNodeCluster = { ...cluster, evict: () => Effect.fail(new ApiError({ status: unknown })) }
        yield* evictPods(old, [pod], options(yield* currentTime))
      })
    )
    assert.deepStrictEqual(lines, ["0 evicting a", "0 deleting a", "0 deleted a"])
  })

  it("only sends dry-run requests in a dry run", () => {
    withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "a")
        yield* evictPods(cluster, [pod], { dryRun: true })
        assert.strictEqual((yield* cluster.list("Pod")).items.length, 1)
      })
    )
  })

  it("retries in a terminating namespace until the pod itself is being deleted", () => {
    const { lines, options } = makeRecorder()
    withCluster((cluster) =>
      Effect.gen(function* () {
        const pod = yield* runPod(cluster, "a", 30)
        yield* cluster.delete("Namespace", { name: "default" }).pipe(Effect.ignore)
        const causes = [{ reason: "NamespaceTerminating", message: "namespace default is being terminated" }]
        const status = {
          apiVersion: "v1",
          kind: "Status",
          metadata: {},
          code: 403,
          reason: "Forbidden",
          details: { name: "a", causes }
        } as const
        const going: DrainNodeCluster = { ...cluster, evict: () => Effect.fail(new ApiError({ status })) }
        yield* Effect.forkScoped(
          Effect.sleep("3 seconds").pipe(
            Effect.andThen(cluster.delete("Pod", { namespace: "default", name: "a" })),
            Effect.andThen(Effect.sleep("7 seconds")),
            Effect.andThen(cluster.delete("Pod", { namespace: "default", name: "a" }, { gracePeriodSeconds: 0 }))
          )
        )
        yield* evictPods(going, [pod], options(yield* currentTime))
      })
    )
    assert.deepStrictEqual(lines, ["0 evicting a", "0 namespaceTerminating a", "5 evicting a", "10 evicted a"])
  })
})

describe("cordonPatch", () => {
  it("is undefined when nothing has to change", () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } } as const
    assert.isUndefined(cordonPatch(node, false))
    assert.deepStrictEqual(cordonPatch(node, true), { spec: { unschedulable: true } })
    assert.deepStrictEqual(cordonPatch({ ...node, spec: { unschedulable: true } }, false), {
      spec: { unschedulable: null }
    })
  })
})
