import { CurrentRelease, type Node } from "@rollcall/api"
import { type Cluster, forkController, WorkQueue } from "@rollcall/cluster"
import { EvictionLimiter, type Limiter, limiterRate, type ZoneState } from "@rollcall/eviction"
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
  /** Undefined for a zone that no counted node belongs to any more. */
  readonly state: ZoneState | undefined
  /** How fast nodes get NoExecute taints; 0: not at all. */
  readonly nodesPerSecond: number
  readonly limiter: Limiter
  /** Nodes that wait for a NoExecute taint. */
  readonly waiting: ReadonlyArray<string>
  readonly metrics: ZoneMetrics
}

export interface NodeLifecycle {
  readonly zones: () => ReadonlyArray<ZoneStatus>
  /** The zone gauges and counters, by zone key; a zone stays here when it is forgotten. */
  readonly zoneMetrics: () => ReadonlyMap<string, ZoneMetrics>
  /** The steps of which the controller's loops are made, for those who set the beat themselves. */
  readonly steps: {
    readonly monitorNodeHealth: Effect.Effect<void>
    readonly taintNoExecute: Effect.Effect<void>
    /** Looks at the pod `namespace/name` that came late; it is not repeated. */
    readonly processPod: (key: string) => Effect.Effect<void>
  }
}

/** What the informers tell the parts. */
const follow = ({ reconciler, records }: LifecycleParts["Service"], latePods: LatePods) =>
  Effect.flatMap(ControllerInformers, ({ leases, nodes, pods }) => {
    const seen = (node: Node) => {
      records.setNode(node.metadata.name ?? "", node)
      reconciler.nodeSeen(node)
    }
    const handlers = [
      leases.addHandler({
        onAdd: (lease) => records.setLease(lease.metadata.name ?? "", lease),
        onUpdate: (old, lease) => records.replaceLease(lease.metadata.name ?? "", old, lease),
        onDelete: (lease) => records.setLease(lease.metadata.name ?? "", undefined)
      }),
      nodes.addHandler({
        onAdd: seen,
        onUpdate: (_, node) => seen(node),
        onDelete: (node) => records.setNode(node.metadata.name ?? "", undefined)
      }),
      pods.addHandler({
        onAdd: (pod) => latePods.podSeen(undefined, pod),
        onUpdate: (old, pod) => latePods.podSeen(old, pod)
      })
    ]
    return Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const remove of handlers) remove()
      })
    )
  })

/** The controller, and what runs until it is interrupted once the informers have synced. */
const assemble = Effect.gen(function* () {
  const parts = yield* LifecycleParts
  const limiter = yield* EvictionLimiter
  const { pods } = yield* ControllerInformers
  const { meters, reconciler, settings, timers } = parts
  const queue = yield* WorkQueue.named<string>("node_lifecycle_controller_pods")
  const latePods = new LatePods({ ...parts, queue, pods })
  yield* follow(parts, latePods)
  const pass = new MonitorPass({ ...parts, limiter, podsOn: (node) => pods.byIndex(byNodeName, node) })
  const monitorNodeHealth = pass.run()
  const monitor = repeatPasses(timers, "node lifecycle pass", monitorNodeHealth, settings.nodeMonitorPeriodMs)
  const lifecycle: NodeLifecycle = {
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

type Needs = Cluster | Timers | ControllerInformers

/**
 * Watches over nodes: notices those that fall silent, taints them, and slows down or stops when a zone, or everything, looks
 * down. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go.
 */
export class NodeLifecycleController extends Context.Service<NodeLifecycleController, NodeLifecycle>()(
  "@rollcall/node-controller/NodeLifecycleController"
) {
  /** Assembled but at rest: nothing happens but by its `steps`. */
  static readonly make = (
    given: Partial<NodeLifecycleSettings> = {}
  ): Effect.Effect<NodeLifecycle, never, Needs | Scope.Scope> =>
    Effect.gen(function* () {
      const settings = nodeLifecycleSettings(given, yield* CurrentRelease)
      const parts = LifecycleParts.layer(settings)
      const context = yield* Layer.build(Layer.provideMerge(nodeEvictions(Effect.never), parts))
      return (yield* Effect.provideContext(assemble, context)).lifecycle
    })

  /** Runs while its scope is open; a controller that is built anew has forgotten everything. */
  static readonly layer = (
    given: Partial<NodeLifecycleSettings> = {}
  ): Layer.Layer<NodeLifecycleController, never, Needs> =>
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
