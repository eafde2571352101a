import { CurrentRelease, type Node } from "@rollcall/api"
import { type Cluster, forkController, WorkQueue } from "@rollcall/cluster"
import { EvictionLimiter } from "@rollcall/eviction"
import { type Limiter, limiterRate, type ZoneState } from "@rollcall/eviction/rules"
import { repeatPasses, type Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { byNodeName, ControllerInformers } from "../ControllerInformers.ts"
import { LifecycleParts } from "./LifecycleParts.ts"
import { MonitorPass } from "./MonitorPass.ts"
import type { ZoneMetrics } from "./metrics.ts"
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "./NodeLifecycleSettings.ts"
import { LatePods } from "./NodeWorkers.ts"
import { nodeEvictions } from "./nodeEvictions.ts"
import { zoneNames } from "./ZoneKey.ts"

/** A zone as the controller sees it. */
export interface ZoneStatus {
  readonly zoneKey: string
  readonly region: string
  readonly zone: string
  /** Undefined for a zone without counted nodes. */
  readonly state: ZoneState | undefined
  /** The rate at which queued nodes are tainted; 0 means stopped. */
  readonly nodesPerSecond: number
  readonly limiter: Limiter
  /** Nodes queued for a NoExecute taint. */
  readonly waiting: ReadonlyArray<string>
  readonly metrics: ZoneMetrics
}

export interface NodeLifecycleControllerShape {
  readonly zones: () => ReadonlyArray<ZoneStatus>
  /** The zone gauges and counters, by zone key; they stay after a zone is forgotten. */
  readonly zoneMetrics: () => ReadonlyMap<string, ZoneMetrics>
  /** The steps of the controller's loops, for callers with their own clock. */
  readonly steps: {
    readonly monitorNodeHealth: Effect.Effect<void>
    readonly taintNoExecute: Effect.Effect<void>
    /** Sets Ready=False on the pod `namespace/name` if its node is not ready; a failure is not retried. */
    readonly processPod: (key: string) => Effect.Effect<void>
  }
}

/** Connects the informers to the controller's parts. */
const addInformerHandlers = ({ reconciler, records }: LifecycleParts["Service"], latePods: LatePods) =>
  Effect.flatMap(ControllerInformers, ({ leases, nodes, pods }) => {
    const nodeChanged = (node: Node) => {
      records.setNode(node.metadata.name ?? "", node)
      reconciler.enqueueIfNeeded(node)
    }
    const handlers = [
      leases.addHandler({
        onHeartbeats: (columns) => records.setColumns(columns),
        onAdd: (lease) => records.setLease(lease.metadata.name ?? "", lease),
        onUpdate: (old, lease) => records.replaceLease(lease.metadata.name ?? "", old, lease),
        onDelete: (lease) => records.setLease(lease.metadata.name ?? "", undefined)
      }),
      nodes.addHandler({
        onHeartbeats: (columns) => records.setReports(columns),
        onAdd: nodeChanged,
        onUpdate: (_, node) => nodeChanged(node),
        onDelete: (node) => records.setNode(node.metadata.name ?? "", undefined)
      }),
      pods.addHandler({
        onAdd: (pod) => latePods.podChanged(undefined, pod),
        onUpdate: (old, pod) => latePods.podChanged(old, pod)
      })
    ]
    return Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const remove of handlers) remove()
      })
    )
  })

/** The controller, and its loops, which start once the informers have synced and run until they are interrupted. */
const assemble = Effect.gen(function* () {
  const parts = yield* LifecycleParts
  const limiter = yield* EvictionLimiter
  const { pods } = yield* ControllerInformers
  const { meters, reconciler, settings, timers } = parts
  const queue = yield* WorkQueue.named<string>("node_lifecycle_controller_pods")
  const latePods = new LatePods({ ...parts, queue, pods })
  yield* addInformerHandlers(parts, latePods)
  const pass = new MonitorPass({ ...parts, limiter, podsOn: (node) => pods.byIndex(byNodeName, node) })
  const monitorNodeHealth = pass.run()
  const monitor = repeatPasses(timers, "node lifecycle pass", monitorNodeHealth, settings.nodeMonitorPeriodMs)
  const lifecycle: NodeLifecycleControllerShape = {
    zones: () =>
      limiter.zones.all().map(({ key, queue, state }) => ({
        zoneKey: key,
        ...zoneNames(key),
        state,
        nodesPerSecond: limiterRate(queue.limiter),
        limiter: queue.limiter,
        waiting: queue.queued(),
        metrics: meters.of(key)
      })),
    zoneMetrics: () => meters.snapshot,
    steps: {
      monitorNodeHealth,
      taintNoExecute: limiter.sweep,
      processPod: (key) => Effect.ignore(latePods.process(key))
    }
  }
  const loops = Effect.all([reconciler.run, latePods.run, monitor], { concurrency: "unbounded", discard: true })
  return { lifecycle, loops }
})

type Requirements = Cluster | Timers | ControllerInformers

/**
 * Monitors the health of nodes: detects silent ones, taints them, and slows down or stops while a zone, or the whole
 * cluster, is disrupted. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go.
 */
export class NodeLifecycleController extends Context.Service<NodeLifecycleController, NodeLifecycleControllerShape>()(
  "@rollcall/node-controller/NodeLifecycleController"
) {
  /** Makes the controller without starting it: it only acts through its `steps`. */
  static readonly make = (
    given: Partial<NodeLifecycleSettings> = {}
  ): Effect.Effect<NodeLifecycleControllerShape, never, Requirements | Scope.Scope> =>
    Effect.gen(function* () {
      const settings = nodeLifecycleSettings(given, yield* CurrentRelease)
      const parts = LifecycleParts.layer(settings)
      const context = yield* Layer.build(Layer.provideMerge(nodeEvictions(Effect.never), parts))
      return (yield* Effect.provideContext(assemble, context)).lifecycle
    })

  /** Runs while its scope is open; a new controller has no records. */
  static readonly layer = (
    given: Partial<NodeLifecycleSettings> = {}
  ): Layer.Layer<NodeLifecycleController, never, Requirements> =>
    Layer.unwrap(
      Effect.gen(function* () {
        const settings = nodeLifecycleSettings(given, yield* CurrentRelease)
        const { synced } = yield* ControllerInformers
        const running = Effect.gen(function* () {
          const { lifecycle, loops } = yield* assemble
          yield* forkController("node-lifecycle-controller")(Effect.andThen(synced, loops))
          return lifecycle
        })
        return Layer.effect(NodeLifecycleController, running).pipe(
          Layer.provide(nodeEvictions(synced)),
          Layer.provide(LifecycleParts.layer(settings))
        )
      })
    )
}
