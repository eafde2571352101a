import { type Deployment, type Event, formatTime, type Pod, type ReplicaSet } from "@rollcall/api"
import { customResources } from "@rollcall/api-server/custom"
import { runWithApiServer } from "@rollcall/api-server/testing"
import {
  Cluster,
  type ClusterError,
  type ClusterShape,
  type Connection,
  cancellable,
  fromConnection,
  layerSharedWrites,
  observedByShared
} from "@rollcall/cluster"
import type { Timers, TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import {
  layerCronJobs,
  layerDaemonSets,
  layerDeployments,
  layerDisruptions,
  layerEndpointSlices,
  layerEndpoints,
  layerJobs,
  layerReplicaSets,
  layerReplicationControllers,
  layerResourceQuotas,
  layerRootCAPublisher,
  layerServiceAccounts,
  layerStatefulSets,
  layerTtlAfterFinished,
  waitForObject
} from "../src/index.ts"

export const START = Date.UTC(2026, 0, 1)

export const template = (image = "img:1") => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }] }
})

export const replicaSetOf = (replicas: number, spec: Partial<ReplicaSet["spec"]> = {}): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default" },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template(), ...spec }
})

export const deploymentOf = (replicas: number, spec: Partial<Deployment["spec"]> = {}): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template(), ...spec }
})

export interface WorkloadsSetup {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly pods: Effect.Effect<ReadonlyArray<Pod>, ClusterError>
  readonly activePods: Effect.Effect<ReadonlyArray<Pod>, ClusterError>
  readonly events: Effect.Effect<ReadonlyArray<Event>, ClusterError>
  /** Sets a pod Running and Ready, as its kubelet would. */
  readonly makeReady: (pod: Pod) => Effect.Effect<unknown, ClusterError>
  /** Removes a pod at once, as its kubelet would at the end. */
  readonly remove: (pod: Pod) => Effect.Effect<unknown, ClusterError>
}

const keyOf = ({ metadata }: Pod) => ({ namespace: metadata.namespace, name: metadata.name ?? "" })

const setupOf = (cluster: ClusterShape, timers: TimersShape): WorkloadsSetup => {
  const pods = Effect.map(cluster.list("Pod"), ({ items }) => items)
  return {
    cluster,
    timers,
    pods,
    activePods: Effect.map(pods, (all) =>
      all.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== "Failed")
    ),
    events: Effect.map(cluster.list("Event"), ({ items }) => items),
    makeReady: (pod) =>
      cluster.updateStatus("Pod", {
        ...pod,
        status: {
          ...pod.status,
          phase: "Running",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(timers.now()) }]
        }
      }),
    remove: (pod) => cluster.delete("Pod", keyOf(pod), { gracePeriodSeconds: 0 })
  }
}

/** Returns a wrapper that delays each request of a connection. */
export const delayRequests =
  (delayMs: number) =>
  (connection: Connection, timers: TimersShape): Connection => ({
    ...connection,
    send: cancellable((request, reply) => void timers.after(delayMs, () => connection.send(request, reply)))
  })

/** Runs a test in virtual time with an API server and the workload controllers, and returns its result. */
export const withControllers = <A>(
  test: (setup: WorkloadsSetup) => Effect.Effect<A, ClusterError, Scope.Scope | Timers>,
  wrap: (connection: Connection, timers: TimersShape) => Connection = (connection) => connection
): A =>
  runWithApiServer(
    (admin, timers) => {
      // The controllers share their writes, as those of one manager do.
      const own = Layer.effect(
        Cluster,
        Effect.map(observedByShared, (observed) => fromConnection(observed(wrap(admin, timers))))
      )
      const controllers = Layer.mergeAll(
        layerReplicaSets(),
        layerDeployments(),
        layerDaemonSets,
        layerDisruptions,
        waitForObject("StatefulSet", layerStatefulSets),
        waitForObject("Job", layerJobs),
        waitForObject("CronJob", layerCronJobs),
        waitForObject("ReplicationController", layerReplicationControllers),
        waitForObject("ResourceQuota", layerResourceQuotas()),
        waitForObject("Job", layerTtlAfterFinished),
        layerEndpointSlices,
        layerEndpoints,
        layerServiceAccounts,
        layerRootCAPublisher("PEM")
      ).pipe(Layer.provide(own), Layer.provide(layerSharedWrites))
      return test(setupOf(fromConnection(admin), timers)).pipe(Effect.provide(controllers))
    },
    { server: { customResources }, seed: "workloads" }
  )
