import { assert, describe, it } from "@effect/vitest"
import { type DeviceToleration, formatTime, type Pod, type ResourceClaim, type ResourceSlice } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, fromConnection, isNotFound } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { layerDeviceTaintEviction } from "../../src/index.ts"

type Taints = NonNullable<NonNullable<ResourceSlice["spec"]["devices"]>[number]["taints"]>

const sliceWith = (...taints: Taints): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: "s" },
  spec: {
    driver: "d.io",
    nodeName: "n",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "gpu", ...(taints.length === 0 ? {} : { taints }) }]
  }
})
const broken = { key: "broken", effect: "NoExecute" } as const
const name = { namespace: "default", name: "web" }
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: name,
  spec: {
    containers: [{ name: "c", image: "i" }],
    nodeName: "n",
    resourceClaims: [{ name: "gpu", resourceClaimName: "own" }]
  }
}

const run = <A>(test: (cluster: ClusterShape) => Effect.Effect<A, ClusterError, Scope.Scope | Timers>) =>
  runWithApiServer(
    (admin) =>
      test(fromConnection(admin)).pipe(
        Effect.provide(Layer.provide(layerDeviceTaintEviction, Cluster.layerConnection(admin)))
      ),
    { server: { managedFields: true }, seed: "device taints" }
  )

/** A pod on a node, with a device of it by a claim. */
const runPod = Effect.fnUntraced(function* (cluster: ClusterShape, ...tolerations: ReadonlyArray<DeviceToleration>) {
  const made = { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { ...name, name: "own" } } as const
  const exactly = { deviceClassName: "gpu", tolerations }
  const claim: ResourceClaim = { ...made, spec: { devices: { requests: [{ name: "r", exactly }] } } }
  const created = yield* cluster.create("ResourceClaim", claim)
  const { metadata } = yield* cluster.create("Pod", pod)
  const result = { request: "r", driver: "d.io", pool: "p", device: "gpu", tolerations }
  yield* cluster.updateStatus("ResourceClaim", {
    ...created,
    status: {
      allocation: { devices: { results: [result] } },
      reservedFor: [{ resource: "pods", name: "web", uid: metadata.uid ?? "" }]
    }
  })
  yield* Effect.sleep("1 second")
})

const taintWith = Effect.fnUntraced(function* (cluster: ClusterShape, ...taints: Taints) {
  const { metadata } = yield* cluster.get("ResourceSlice", { name: "s" })
  yield* cluster.update("ResourceSlice", { ...sliceWith(...taints), metadata })
})

/** `running`, `terminating` or `gone`. */
const stateOf = (cluster: ClusterShape) =>
  cluster.get("Pod", name).pipe(
    Effect.map(({ metadata }) => (metadata.deletionTimestamp === undefined ? "running" : "terminating")),
    Effect.catchIf(isNotFound, () => Effect.succeed("gone"))
  )
const eventsOf = (cluster: ClusterShape) =>
  Effect.map(cluster.list("Event"), ({ items }) => items.map(({ message, reason }) => `${reason}: ${message}`))

describe("device-taint-eviction-controller", () => {
  it("deletes the pod of a tainted device at once, and says why", () =>
    run((cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("ResourceSlice", sliceWith())
        yield* runPod(cluster)
        assert.strictEqual(yield* stateOf(cluster), "running")
        yield* taintWith(cluster, broken)
        yield* Effect.sleep("1 second")
        const evicted = yield* cluster.get("Pod", name)
        assert.isDefined(evicted.metadata.deletionTimestamp)
        const {
          lastProbeTime: _,
          lastTransitionTime: __,
          ...target
        } = evicted.status?.conditions?.find(({ type }) => type === "DisruptionTarget") ?? {}
        assert.deepStrictEqual(target as object, {
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByDeviceTaintManager",
          message: "Device Taint manager: deleting due to NoExecute taint"
        })
        const events = (yield* cluster.list("Event")).items
        assert.deepStrictEqual(yield* eventsOf(cluster), ["DeviceTaintManagerEviction: Marking for deletion"])
        assert.strictEqual(events[0]?.source?.component, "device-taint-eviction-controller")
        assert.strictEqual(events[0]?.involvedObject.uid, evicted.metadata.uid)
      })
    ))

  it("waits for the tolerated seconds from when the taint was added, and stops when it goes", () =>
    run((cluster) =>
      Effect.gen(function* () {
        const { now } = yield* Timers
        const earlier = { ...broken, timeAdded: formatTime(now() - 10_000) }
        yield* cluster.create("ResourceSlice", sliceWith(earlier))
        yield* runPod(cluster, { operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 })
        yield* Effect.sleep("17 seconds")
        assert.strictEqual(yield* stateOf(cluster), "running")
        yield* taintWith(cluster)
        yield* Effect.sleep("1 minute")
        assert.strictEqual(yield* stateOf(cluster), "running")
        assert.deepStrictEqual(yield* eventsOf(cluster), ["DeviceTaintManagerEviction: Cancelling deletion"])
        yield* taintWith(cluster, broken)
        yield* Effect.sleep("29 seconds")
        assert.strictEqual(yield* stateOf(cluster), "running")
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(yield* stateOf(cluster), "terminating")
      })
    ))

  it("leaves pods whose claims tolerate the taint, and taints without NoExecute", () =>
    run((cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("ResourceSlice", sliceWith(broken, { key: "old", effect: "NoSchedule" }))
        yield* runPod(cluster, { key: "broken", operator: "Exists", effect: "NoExecute" })
        yield* Effect.sleep("1 hour")
        assert.strictEqual(yield* stateOf(cluster), "running")
        assert.lengthOf(yield* eventsOf(cluster), 0)
      })
    ))
})
