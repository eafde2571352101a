import { runWithApiServer } from "@rollcall/api-server/testing"
import { type ClusterError, type ClusterShape, fromConnection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export const START = Date.UTC(2026, 0, 1)

/** Runs an effect in virtual time against an API server of its own with a node `n1`, and returns its result. */
export const withCluster = <A, E>(
  test: (cluster: ClusterShape) => Effect.Effect<A, E | ClusterError, Scope.Scope | Timers>
): A =>
  runWithApiServer((admin) => {
    const cluster = fromConnection(admin)
    const node = cluster.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
    return Effect.andThen(node, test(cluster))
  })

/** A running pod on n1 with a grace period of 0. */
export const runPod = Effect.fnUntraced(function* (cluster: ClusterShape, name: string, graceSeconds = 0) {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }
  const pod = yield* cluster.create("Pod", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "web" }, ownerReferences: [owner] },
    spec: { nodeName: "n1", terminationGracePeriodSeconds: graceSeconds, containers: [{ name: "c", image: "i" }] }
  })
  return yield* cluster.updateStatus("Pod", {
    ...pod,
    status: { ...pod.status, phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
  })
})
