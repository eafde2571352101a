import { CurrentRelease, kindNames } from "@rollcall/api"
import { GarbageCollector } from "@rollcall/api-server"
import {
  ControllerInformers,
  type NodeControllerObserver,
  NodeLifecycleController,
  type NodeLifecycleSettings,
  Observer,
  PodGarbageCollector,
  type PodGcSettings,
  TaintEvictionController
} from "@rollcall/node-controller"
import { KubeScheduler } from "@rollcall/scheduler"
import { layerDeployments, layerReplicaSets } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Plan } from "../input/load.ts"
import type { SettingValues } from "../input/settings.ts"
import type { ClientLimit, Clients } from "./Clients.ts"
import { type Component, makeComponent } from "./Component.ts"

const CONTROLLER_MANAGER_LIMIT: ClientLimit = { qps: 20, burst: 30 }
const SCHEDULER_LIMIT: ClientLimit = { qps: 50, burst: 100 }
/** Watches are few, and wait for nobody. */
const UNLIMITED: ClientLimit = { qps: 0, burst: 0 }

/** Leases outlive their nodes here: to follow them all would cost a look at every heartbeat. */
const COLLECTED_KINDS = kindNames.filter((kind) => kind !== "Lease" && kind !== "Event")

const limitOf = (settings: SettingValues, fallback: ClientLimit): ClientLimit => ({
  qps: typeof settings.qps === "number" ? settings.qps : fallback.qps,
  burst: typeof settings.burst === "number" ? settings.burst : fallback.burst
})

const without = (settings: SettingValues, ...keys: ReadonlyArray<string>): SettingValues =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => !keys.includes(key)))

/** The components of a control plane, each a process that can be stopped and started. */
export interface ControlPlane {
  readonly components: ReadonlyArray<Component>
  /** The zone metrics of the node lifecycle controller that runs now. */
  readonly zoneMetrics: () => ReturnType<NodeLifecycleController["Service"]["zoneMetrics"]>
}

/** Makes kube-controller-manager and kube-scheduler. Each controller has a client of its own, with a limit of its own. */
export const makeControlPlane = Effect.fnUntraced(function* (
  plan: Pick<Plan, "settings" | "release">,
  clients: Clients,
  observer: NodeControllerObserver
) {
  const { controllerManager, scheduler } = plan.settings
  const limit = limitOf(controllerManager, CONTROLLER_MANAGER_LIMIT)
  const lifecycle: { current: NodeLifecycleController["Service"] | undefined } = { current: undefined }
  const note = Layer.effectDiscard(
    Effect.map(NodeLifecycleController, (service) => {
      lifecycle.current = service
    })
  )
  const { terminatedPodGCThreshold } = controllerManager
  const gc: Partial<PodGcSettings> = typeof terminatedPodGCThreshold === "number" ? { terminatedPodGCThreshold } : {}
  const lifecycleSettings: Partial<NodeLifecycleSettings> = without(
    controllerManager,
    "qps",
    "burst",
    "terminatedPodGCThreshold"
  )
  const informers = ControllerInformers.layer.pipe(Layer.provide(clients.layer("shared-informers", UNLIMITED)))
  const nodeControllers = Layer.mergeAll(
    note.pipe(
      Layer.provideMerge(NodeLifecycleController.layer(lifecycleSettings)),
      Layer.provide(clients.layer("node-lifecycle-controller", limit))
    ),
    TaintEvictionController.layer.pipe(Layer.provide(clients.layer("taint-eviction-controller", limit))),
    PodGarbageCollector.layer(gc).pipe(Layer.provide(clients.layer("pod-garbage-collector", limit)))
  ).pipe(Layer.provide(informers))
  const workloads = Layer.mergeAll(
    layerReplicaSets().pipe(Layer.provide(clients.layer("replicaset-controller", limit))),
    layerDeployments().pipe(Layer.provide(clients.layer("deployment-controller", limit))),
    GarbageCollector.layer({ kinds: COLLECTED_KINDS }).pipe(
      Layer.provide(clients.layer("generic-garbage-collector", limit))
    )
  )
  const provided = <A, R>(layer: Layer.Layer<A, never, R>) =>
    layer.pipe(
      Layer.provide(Layer.mergeAll(Layer.succeed(Observer, observer), Layer.succeed(CurrentRelease, plan.release)))
    )
  const manager = yield* makeComponent("kube-controller-manager", provided(Layer.mergeAll(nodeControllers, workloads)))
  const placing = yield* makeComponent(
    "kube-scheduler",
    KubeScheduler.layer(without(scheduler, "qps", "burst")).pipe(
      Layer.provide(clients.layer("kube-scheduler", limitOf(scheduler, SCHEDULER_LIMIT)))
    )
  )
  const plane: ControlPlane = {
    components: [manager, placing],
    zoneMetrics: () => lifecycle.current?.zoneMetrics() ?? new Map()
  }
  return plane
})
