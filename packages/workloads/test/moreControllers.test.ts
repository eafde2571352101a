import { assert, describe, it } from "@effect/vitest"
import type {
  CronJob,
  HorizontalPodAutoscaler,
  KindName,
  Pod,
  ReplicationController,
  ResourceQuota
} from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import {
  type AnyKind,
  ApiError,
  Cluster,
  type ClusterError,
  type ClusterShape,
  type Connection,
  cancellable,
  fromConnection
} from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { layerAutoscalers, layerReplicaSets, MetricsSource, waitForObject } from "../src/index.ts"
import { metricsSourceContract } from "../src/testing/index.ts"
import { dial, dialKind, dials } from "./garbage/dials.ts"
import { replicaSetOf, template, withControllers } from "./withControllers.ts"

const inDefault = (name: string) => ({ namespace: "default", name })

describe("CronJobs", () => {
  const cronJob: CronJob = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: inDefault("tick"),
    spec: {
      schedule: "*/5 * * * *",
      concurrencyPolicy: "Forbid",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } }
      }
    }
  }
  it("starts a job at each time of the schedule, and none beside one that runs", () =>
    withControllers(({ cluster, events }) =>
      Effect.gen(function* () {
        yield* cluster.create("CronJob", cronJob)
        yield* Effect.sleep("4 minutes")
        assert.isEmpty((yield* cluster.list("Job")).items)
        yield* Effect.sleep("2 minutes")
        const [job] = (yield* cluster.list("Job")).items
        assert.match(job?.metadata.name ?? "", /^tick-\d+$/)
        assert.strictEqual(
          job?.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
          "2026-01-01T00:05:00Z"
        )
        const { status } = yield* cluster.get("CronJob", inDefault("tick"))
        assert.strictEqual(status?.lastScheduleTime, "2026-01-01T00:05:00Z")
        assert.deepStrictEqual(
          status?.active?.map(({ name }) => name),
          [job?.metadata.name]
        )
        yield* Effect.sleep("5 minutes")
        assert.strictEqual((yield* cluster.list("Job")).items.length, 1)
        const reasons = (yield* events).filter(({ involvedObject }) => involvedObject.kind === "CronJob")
        assert.deepStrictEqual(
          reasons.map(({ reason }) => reason),
          ["SuccessfulCreate", "JobAlreadyActive"]
        )
      })
    ))
})

describe("ReplicationControllers", () => {
  it("keep their pods, and count them in their status", () =>
    withControllers(({ cluster, makeReady, pods, remove }) =>
      Effect.gen(function* () {
        const controller: ReplicationController = {
          apiVersion: "v1",
          kind: "ReplicationController",
          metadata: inDefault("rc"),
          spec: { replicas: 2, selector: { app: "web" }, template: template() }
        }
        yield* cluster.create("ReplicationController", controller)
        yield* Effect.sleep("2 seconds")
        const [first, second] = yield* pods
        assert.strictEqual(first?.metadata.ownerReferences?.[0]?.kind, "ReplicationController")
        yield* makeReady(second as Pod)
        yield* remove(first as Pod)
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pods).length, 2)
        const { status } = yield* cluster.get("ReplicationController", inDefault("rc"))
        assert.deepInclude(status, { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1 })
        assert.notProperty(status, "terminatingReplicas")
      })
    ))
})

describe("ResourceQuotas", () => {
  it("show what is used, let no more pods in, and let some in again after a deletion", () =>
    withControllers(({ cluster, pods, remove }) =>
      Effect.gen(function* () {
        const quota: ResourceQuota = {
          apiVersion: "v1",
          kind: "ResourceQuota",
          metadata: inDefault("q"),
          spec: { hard: { pods: "2", "count/replicasets.apps": "5" } }
        }
        yield* cluster.create("ResourceQuota", quota)
        yield* Effect.sleep("2 seconds")
        const used = Effect.map(cluster.get("ResourceQuota", inDefault("q")), ({ status }) => status?.used)
        assert.deepStrictEqual(yield* used, { "count/replicasets.apps": "0", pods: "0" })
        yield* cluster.create("ReplicaSet", replicaSetOf(3))
        yield* Effect.sleep("5 seconds")
        assert.strictEqual((yield* pods).length, 2)
        assert.deepStrictEqual(yield* used, { "count/replicasets.apps": "1", pods: "2" })
        const [first] = yield* pods
        yield* remove(first as Pod)
        yield* Effect.sleep("2 minutes")
        assert.strictEqual((yield* pods).length, 2)
        assert.deepStrictEqual(yield* used, { "count/replicasets.apps": "1", pods: "2" })
      })
    ))
})

describe("a ResourceQuota for devices", () => {
  it("counts claims by the extended resource that their class names, also one that comes later", () =>
    withControllers(({ cluster }) =>
      Effect.gen(function* () {
        const limit = "requests.example.com/gpu"
        const exactly = { deviceClassName: "gpu", count: 3 }
        yield* cluster.create("ResourceQuota", {
          apiVersion: "v1",
          kind: "ResourceQuota",
          metadata: inDefault("q"),
          spec: { hard: { [limit]: "4" } }
        })
        yield* cluster.create("ResourceClaim", {
          apiVersion: "resource.k8s.io/v1",
          kind: "ResourceClaim",
          metadata: inDefault("c"),
          spec: { devices: { requests: [{ name: "r", exactly }] } }
        })
        yield* Effect.sleep("5 seconds")
        const used = Effect.map(cluster.get("ResourceQuota", inDefault("q")), ({ status }) => status?.used)
        assert.deepStrictEqual(yield* used, { [limit]: "0" })
        yield* cluster.create("DeviceClass", {
          apiVersion: "resource.k8s.io/v1",
          kind: "DeviceClass",
          metadata: { name: "gpu" },
          spec: { extendedResourceName: "example.com/gpu" }
        })
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* used, { [limit]: "3" })
        yield* cluster.delete("ResourceClaim", inDefault("c"))
        yield* Effect.sleep("10 seconds")
        assert.deepStrictEqual(yield* used, { [limit]: "0" })
      })
    ))
})

describe("a ResourceQuota for custom resources", () => {
  it("counts them, and has its controller watch them only as long as they are served", () => {
    let requests = 0
    const refusal = {
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      reason: "Forbidden",
      code: 403
    } as const
    const counting = (connection: Connection): Connection => ({
      ...connection,
      send: cancellable((request, reply) => {
        if ((request.kind as AnyKind) === dialKind) requests++
        // Its account may list whatever there is, and get nothing.
        const isGet = request.verb === "get" && request.kind === "CustomResourceDefinition"
        if (isGet) reply(Result.fail(new ApiError({ status: refusal })))
        else connection.send(request, reply)
      })
    })
    withControllers(
      ({ cluster }) =>
        Effect.gen(function* () {
          const limit = "count/dials.rollcall.example.com"
          const used = Effect.map(cluster.get("ResourceQuota", inDefault("q")), ({ status }) => status?.used)
          yield* cluster.create("CustomResourceDefinition", dials())
          yield* Effect.sleep("5 seconds")
          yield* cluster.create("ResourceQuota", {
            apiVersion: "v1",
            kind: "ResourceQuota",
            metadata: inDefault("q"),
            spec: { hard: { [limit]: "2" } }
          })
          yield* Effect.sleep("5 seconds")
          yield* cluster.create(dialKind as KindName, dial("a") as never)
          yield* Effect.sleep("10 minutes")
          assert.deepStrictEqual(yield* used, { [limit]: "1" })
          yield* cluster.delete("CustomResourceDefinition", { name: "dials.rollcall.example.com" })
          yield* Effect.sleep("5 minutes")
          const before = requests
          assert.isAtLeast(before, 1)
          yield* Effect.sleep("1 hour")
          assert.strictEqual(requests, before)
          yield* cluster.create("CustomResourceDefinition", dials())
          yield* Effect.sleep("10 minutes")
          assert.isAbove(requests, before, "it is served again")
          assert.deepStrictEqual(yield* used, { [limit]: "0" })
        }),
      counting
    )
  })
})

/** Each pod uses this share of what it requests, in percent. */
const usesPercent = (percent: () => number) =>
  MetricsSource.layerModelled(({ now, pods }) => ({
    pods: new Map(
      pods.map(({ metadata }) => [metadata.name ?? "", { value: percent() * 10, timestamp: now, windowMs: 60_000 }])
    )
  }))

metricsSourceContract("MetricsSource.layerNone", MetricsSource.layerNone)
metricsSourceContract(
  "MetricsSource.layerApis",
  MetricsSource.layerApis(() => Effect.succeed({ code: 200, body: '{"items":[{"value":"1","timestamp":null}]}' }))
)
metricsSourceContract(
  "MetricsSource.layerModelled",
  usesPercent(() => 50)
)

describe("HorizontalPodAutoscalers", () => {
  const autoscaler: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: inDefault("web"),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
      ]
    }
  }
  const podTemplate = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] }
  }
  const run = <A>(
    source: Layer.Layer<MetricsSource> | undefined,
    test: (cluster: ClusterShape) => Effect.Effect<A, ClusterError, Scope.Scope | Timers>
  ) =>
    runWithApiServer(
      (admin) => {
        const autoscalers = waitForObject("HorizontalPodAutoscaler", layerAutoscalers())
        const provided = source === undefined ? autoscalers : autoscalers.pipe(Layer.provide(source))
        const controllers = Layer.mergeAll(layerReplicaSets(), provided).pipe(
          Layer.provide(Cluster.layerConnection(admin))
        )
        return test(fromConnection(admin)).pipe(Effect.provide(controllers))
      },
      { seed: "autoscalers" }
    )
  const start = Effect.fnUntraced(function* (cluster: ClusterShape) {
    yield* cluster.create("ReplicaSet", replicaSetOf(2, { template: podTemplate }))
    yield* Effect.sleep("1 second")
    for (const pod of (yield* cluster.list("Pod")).items) {
      const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime: "2025-12-31T23:00:00Z" }]
      const status = { ...pod.status, phase: "Running" as const, startTime: "2025-12-31T23:00:00Z", conditions }
      yield* cluster.updateStatus("Pod", { ...pod, status })
    }
    yield* cluster.create("HorizontalPodAutoscaler", autoscaler)
    yield* Effect.sleep("40 seconds")
    return yield* cluster.get("HorizontalPodAutoscaler", inDefault("web"))
  })
  const conditionsOf = ({ status }: HorizontalPodAutoscaler) =>
    status?.conditions?.map(({ reason, status: state, type }) => [type, state, reason])

  it("scale by the metrics of a source, and say so", () =>
    run(
      usesPercent(() => 100),
      Effect.fnUntraced(function* (cluster) {
        const scaled = yield* start(cluster)
        const { spec } = yield* cluster.get("ReplicaSet", inDefault("web"))
        assert.strictEqual(spec.replicas, 4)
        assert.deepStrictEqual(conditionsOf(scaled)?.slice(1), [
          ["ScalingActive", "True", "ValidMetricFound"],
          ["ScalingLimited", "False", "DesiredWithinRange"]
        ])
      })
    ))

  it("say why they cannot scale where nothing serves metrics", () =>
    run(
      undefined,
      Effect.fnUntraced(function* (cluster) {
        const { status } = yield* start(cluster)
        assert.deepInclude(status?.conditions?.[1], {
          type: "ScalingActive",
          status: "False",
          reason: "FailedGetResourceMetric",
          message:
            "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
        })
        assert.strictEqual(status?.currentReplicas, 2)
      })
    ))
})
