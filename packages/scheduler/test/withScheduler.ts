import { type Event, findTaint, type Node, type Pod, type PodSpec, taintNotReady } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, type Connection, fromConnection } from "@rollcall/cluster"
import { type HandleError, rethrowErrors, type Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { KubeScheduler, type Scheduler, type SchedulerConfig } from "../src/index.ts"

export const START = Date.UTC(2026, 0, 1)

export const nodeNamed = (
  name: string,
  options: Partial<Node["spec"]> & { readonly cpu?: string; readonly zone?: string } = {}
): Node => {
  const { cpu = "4", zone, ...spec } = options
  const allocatable = { cpu, memory: "8Gi", pods: "110" }
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }) }
    },
    spec,
    status: { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] }
  }
}

export const podNamed = (
  name: string,
  cpu = "1",
  spec: Partial<PodSpec> = {},
  labels: Record<string, string> = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels },
  spec: { containers: [{ name: "c", image: "img", resources: { requests: { cpu } } }], ...spec }
})

export interface SchedulerSetup {
  readonly cluster: ClusterShape
  readonly scheduler: Scheduler
  readonly timers: TimersShape
  readonly addNode: (node: Node) => Effect.Effect<Node, ClusterError>
  readonly pod: (name: string) => Effect.Effect<Pod, ClusterError>
  readonly events: Effect.Effect<ReadonlyArray<Event>, ClusterError>
}

const setupOf = (cluster: ClusterShape, scheduler: Scheduler, timers: TimersShape): SchedulerSetup => ({
  cluster,
  scheduler,
  timers,
  // Admission taints a new node not-ready; this removes the taint at once.
  addNode: (node) =>
    cluster.create("Node", node).pipe(
      Effect.flatMap((made) => {
        if (findTaint(made.spec?.taints, taintNotReady, "NoSchedule") === undefined) return Effect.succeed(made)
        return cluster.update("Node", { ...made, spec: { ...made.spec, taints: node.spec?.taints ?? [] } })
      })
    ),
  pod: (name) => cluster.get("Pod", { namespace: "default", name }),
  events: Effect.map(cluster.list("Event"), ({ items }) => items)
})

/** Runs a test in virtual time with an API server and a scheduler, and returns its result. */
export const withScheduler = <A>(
  test: (setup: SchedulerSetup) => Effect.Effect<A, ClusterError, Scope.Scope | Timers>,
  config: Partial<SchedulerConfig> = {},
  wrap: (connection: Connection, timers: TimersShape) => Connection = (connection) => connection,
  handleError: HandleError = rethrowErrors
): A =>
  runWithApiServer(
    (admin, timers) => {
      const own = Cluster.layerConnection(wrap(admin, timers))
      return Effect.flatMap(KubeScheduler, (scheduler) => test(setupOf(fromConnection(admin), scheduler, timers))).pipe(
        Effect.provide(KubeScheduler.layer(config).pipe(Layer.provide(own)))
      )
    },
    { handleError, seed: "scheduler" }
  )
