import { CurrentRelease, type Node } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, WorkQueue } from "@rollcall/cluster"
import type { Limiter, ZoneState } from "@rollcall/eviction"
import { repeatPasses, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { byNodeName, ControllerInformers } from "../ControllerInformers.ts"
import { Observer } from "../Observer.ts"
import { takingTurns } from "../takingTurns.ts"
import { MonitorPass } from "./MonitorPass.ts"
import { ZoneMeters, type ZoneMetrics } from "./metrics.ts"
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "./NodeLifecycleSettings.ts"
import { NodePatches } from "./NodePatches.ts"
import { NodeRecords } from "./NodeRecords.ts"
import { LatePods, NodeReconciler } from "./NodeWorkers.ts"
import { makeNoExecutePass } from "./NoExecutePass.ts"
import { PodDeleter } from "./PodDeleter.ts"
import { makeQueueLoop } from "./QueueLoop.ts"
import { zoneNames } from "./ZoneKey.ts"
import { rateOfLimiter, Zones } from "./Zones.ts"

const COMPONENT = "node-controller"
const EVICTION_PERIOD_MS = 100

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

/** Waits for the informers, then runs everything until it is interrupted. */
interface Assembled extends NodeLifecycle {
  readonly run: Effect.Effect<never>
}

const assemble = Effect.fnUntraced(function* (
  settings: NodeLifecycleSettings
): Effect.fn.Return<Assembled, never, Cluster | Timers | ControllerInformers | Scope.Scope> {
  const timers = yield* Timers
  const cluster = takingTurns(yield* Cluster, timers)
  const { leases, nodes, pods, synced } = yield* ControllerInformers
  const observer = yield* Observer
  const recorder = yield* EventRecorder.make({ component: COMPONENT }).pipe(Effect.provideService(Cluster, cluster))
  const metrics = yield* Effect.context<never>()

  const meters = new ZoneMeters(metrics)
  const records = new NodeRecords()
  const zones = new Zones(settings, meters, observer, timers.now)
  const patches = new NodePatches(cluster, timers.now, (node) => wrote(node))
  const nodeQueue = yield* WorkQueue.named<string>("node_lifecycle_controller")
  const podQueue = yield* WorkQueue.named<string>("node_lifecycle_controller_pods")
  const reconciler = new NodeReconciler(nodeQueue, records, patches, settings.conditionTaints)
  /** Its NoSchedule taints follow from it at once: the NoExecute one, which knows of it too, would come first otherwise. */
  const wrote = (node: Node) => {
    if (records.wrote(node)) reconciler.nodeSeen(node)
  }
  const latePods = new LatePods({ queue: podQueue, cluster, timers, recorder, records, pods })
  const podsOn = (node: string) => pods.byIndex(byNodeName, node)
  const pass = new MonitorPass({
    cluster,
    timers,
    recorder,
    records,
    zones,
    patches,
    wrote,
    podsOn,
    settings,
    observer,
    metrics
  })
  const monitorNodeHealth = pass.run()
  const noExecute = makeNoExecutePass({ timers, records, zones, patches, meters })
  const deleter = new PodDeleter({ cluster, timers, recorder, records, meters })
  const deletion = makeQueueLoop({
    timers,
    zones,
    queueOf: ({ queue }) => queue,
    act: (entry, zone) => deleter.deletePods(entry, zone)
  })
  const termination = makeQueueLoop({
    timers,
    zones,
    queueOf: ({ terminating }) => terminating,
    act: (entry) => deleter.endPods(entry)
  })
  const evictions =
    settings.podEviction === "taints" ? [noExecute] : settings.forcedDeletion ? [deletion, termination] : [deletion]

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
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const remove of handlers) remove()
    })
  )

  const monitor = repeatPasses(timers, "node lifecycle pass", monitorNodeHealth, settings.nodeMonitorPeriodMs)
  const serving = evictions.map(({ loop }) => loop(EVICTION_PERIOD_MS))
  const loops = [reconciler.run, latePods.run, ...serving, monitor]
  return {
    run: synced.pipe(
      Effect.andThen(Effect.all(loops, { concurrency: "unbounded", discard: true })),
      Effect.andThen(Effect.never)
    ),
    zones: () =>
      zones.all().map(({ key, queue }) => ({
        zoneKey: key,
        ...zoneNames(key),
        state: zones.states.get(key),
        nodesPerSecond: rateOfLimiter(queue.limiter),
        limiter: queue.limiter,
        waiting: queue.queued(),
        metrics: meters.of(key)
      })),
    zoneMetrics: () => meters.snapshot,
    steps: {
      monitorNodeHealth,
      taintNoExecute: noExecute.run,
      processPod: (key) => Effect.ignore(latePods.process(key))
    }
  }
})

/**
 * Watches over nodes: notices those that fall silent, taints them, and slows down or stops when a zone, or everything, looks
 * down. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go.
 */
export class NodeLifecycleController extends Context.Service<NodeLifecycleController, NodeLifecycle>()(
  "@rollcall/node-controller/NodeLifecycleController"
) {
  /** Assembled but at rest: nothing happens but by its `steps`. */
  static readonly make = (
    settings: Partial<NodeLifecycleSettings> = {}
  ): Effect.Effect<NodeLifecycle, never, Cluster | Timers | ControllerInformers | Scope.Scope> =>
    Effect.flatMap(CurrentRelease, (release) => assemble(nodeLifecycleSettings(settings, release)))

  /** Runs while its scope is open; a controller that is built anew has forgotten everything. */
  static readonly layer = (
    settings: Partial<NodeLifecycleSettings> = {}
  ): Layer.Layer<NodeLifecycleController, never, Cluster | Timers | ControllerInformers> =>
    Layer.effect(
      NodeLifecycleController,
      Effect.gen(function* () {
        const lifecycle = yield* assemble(nodeLifecycleSettings(settings, yield* CurrentRelease))
        yield* forkController("node-lifecycle-controller")(lifecycle.run)
        return lifecycle
      })
    )
}
