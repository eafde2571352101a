import { CurrentRelease, currentGates, type KindName, type Release } from "@rollcall/api"
import { type ClusterShape, layerSharedInformers, layerSharedWrites } from "@rollcall/cluster"
import { pickSettings, settingsInEffect } from "@rollcall/input"
import {
  ControllerInformers,
  Fatal,
  NodeIpamController,
  NodeLifecycleController,
  noObserver,
  Observer,
  PodGarbageCollector,
  TaintEvictionController
} from "@rollcall/node-controller"
import { KubeScheduler, type SchedulerConfig } from "@rollcall/scheduler"
import type { Timers } from "@rollcall/time"
import { CurrentVolumeObserver } from "@rollcall/volumes"
import { GarbageCollector } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ClientLimit, ClientMaker } from "./ClientMaker.ts"
import { type Component, makeComponent } from "./Component.ts"
import { clientLimitOf } from "./controllers/clientLimits.ts"
import { cloudControllerManagerLayer, nodeControllerCloud } from "./controllers/cloudControllers.ts"
import { deviceControllers } from "./controllers/deviceControllers.ts"
import { volumeControllers } from "./controllers/volumeControllers.ts"
import { workloadControllers } from "./controllers/workloadControllers.ts"
import { type ElectedComponent, initialLease, makeElected } from "./election/Election.ts"
import { type ControllerObserver, withObservers } from "./Observers.ts"
import type { PlaneCloud } from "./PlaneCloud.ts"
import {
  type ControllerManagerSettings,
  controllerManagerSettings,
  lifecycleSettings,
  type SchedulerSettings,
  schedulerSettings
} from "./settings/components.ts"
import { ipamPlanOf } from "./settings/ipam.ts"
import type { LeaderElectionPlan } from "./settings/leaderElection.ts"
import { workloadConfigsOf } from "./settings/workloads.ts"

/** The limit of the watch client: it opens few watches, and they must not wait for a token. */
const UNLIMITED: ClientLimit = { qps: 0, burst: 0 }

const GARBAGE_COLLECTOR = "generic-garbage-collector"

/** The settings of a control plane's processes. */
export interface ControlPlaneSettings {
  readonly release: Release
  readonly settings: {
    readonly controllerManager: ControllerManagerSettings
    readonly scheduler: SchedulerSettings
    /** The scheduler's configuration: the fields that are set, of KubeSchedulerConfiguration. */
    readonly placing: Partial<SchedulerConfig>
  }
  /** The cloud of the machines, if any. */
  readonly planeCloud?: PlaneCloud | undefined
  /** Whether there may be claims and volumes, which is the default; if not, their controllers are left out. */
  readonly hasVolumes?: boolean
  /** Whether there may be devices; by default their controllers are left out, and the scheduler looks for them when a pod asks. */
  readonly hasDevices?: boolean
}

export interface ControllerManagerOptions {
  readonly observer?: ControllerObserver
  /** Kinds that the garbage collector tracks. */
  readonly collected: ReadonlyArray<KindName>
  /** The rate limit of the node IPAM controller's client; the default is that of the other controllers. */
  readonly ipamLimit?: ClientLimit
  /** Called when a controller cannot start; the process then ends. */
  readonly onFatal?: (message: string) => Effect.Effect<void>
  /** Additional controllers in the same process, which share its caches. */
  readonly further?: Layer.Layer<never, never, Timers>
  /** Whether a controller runs, by its name in Kubernetes; by default all of them do. */
  readonly isEnabled?: (controller: string) => boolean
}

/**
 * Runs kube-controller-manager: node lifecycle, node IPAM, taint eviction, pod and object garbage collection,
 * workloads.
 */
export const controllerManagerLayer = (
  { hasDevices = false, hasVolumes = true, planeCloud, release, settings: { controllerManager } }: ControlPlaneSettings,
  clients: ClientMaker,
  {
    collected,
    further = Layer.empty,
    ipamLimit,
    isEnabled = () => true,
    observer = noObserver,
    onFatal
  }: ControllerManagerOptions
): Layer.Layer<NodeLifecycleController, never, Timers> => {
  const { burst, disableForceDetachOnTimeout, pvClaimBinderSyncPeriodMs, qps, terminatedPodGCThreshold } =
    settingsInEffect(controllerManagerSettings, controllerManager, release)
  const limit = { qps, burst }
  const lifecycle = pickSettings(lifecycleSettings, controllerManager)
  const ipam = Result.getOrThrowWith(ipamPlanOf(controllerManager), (message) => new Error(message))
  const unlimited = clients.layer("shared-informers", UNLIMITED)
  const informers = ControllerInformers.layer.pipe(Layer.provide(unlimited))
  const nodeLifecycle = isEnabled("node-lifecycle-controller")
    ? NodeLifecycleController.layer(lifecycle)
    : // Built, but not started.
      Layer.effect(NodeLifecycleController, NodeLifecycleController.make(lifecycle))
  const nodeControllers = Layer.mergeAll(
    nodeLifecycle.pipe(Layer.provide(clients.layer("node-lifecycle-controller", limit))),
    isEnabled("taint-eviction-controller")
      ? TaintEvictionController.layer.pipe(Layer.provide(clients.layer("taint-eviction-controller", limit)))
      : Layer.empty,
    isEnabled("pod-garbage-collector-controller")
      ? PodGarbageCollector.layer({ terminatedPodGCThreshold }).pipe(
          Layer.provide(clients.layer("pod-garbage-collector", limit))
        )
      : Layer.empty,
    ipam === undefined || !isEnabled("node-ipam-controller")
      ? Layer.empty
      : NodeIpamController.layer(ipam).pipe(Layer.provide(clients.layer("node-ipam-controller", ipamLimit ?? limit))),
    planeCloud === undefined || release.cloudControllers !== "nodeController"
      ? Layer.empty
      : nodeControllerCloud(planeCloud, clients.layer)
  ).pipe(Layer.provide(informers))
  const workloadLayers = Effect.map(currentGates, ({ NodeOutOfServiceVolumeDetach }) => {
    const detach = { disableForceDetachOnTimeout, outOfServiceDetach: NodeOutOfServiceVolumeDetach }
    return workloadControllers(clients, limit, detach, workloadConfigsOf(controllerManager, release), isEnabled)
  })
  const workloads = Layer.mergeAll(
    Layer.unwrap(workloadLayers),
    hasVolumes
      ? volumeControllers(clients, limit, isEnabled, { syncPeriodMs: pvClaimBinderSyncPeriodMs })
      : Layer.empty,
    hasDevices ? deviceControllers(clients, limit, isEnabled) : Layer.empty,
    isEnabled("garbage-collector-controller")
      ? GarbageCollector.layer({ kinds: collected }).pipe(
          Layer.provide(clients.layer(GARBAGE_COLLECTOR, clientLimitOf(GARBAGE_COLLECTOR, limit)))
        )
      : Layer.empty
  )
  const observerLayer = Layer.unwrap(
    Effect.map(withObservers(observer), (all) => {
      const { volumeDetached } = all
      return volumeDetached === undefined
        ? Layer.succeed(Observer, all)
        : Layer.merge(Layer.succeed(Observer, all), Layer.succeed(CurrentVolumeObserver, { volumeDetached }))
    })
  )
  const fatalLayer =
    onFatal === undefined
      ? Layer.empty
      : Layer.succeed(Fatal, (controller, message) => onFatal(`error starting ${controller}: ${message}`))
  return Layer.mergeAll(nodeControllers, workloads, further).pipe(
    Layer.provide(layerSharedInformers.pipe(Layer.provide(unlimited))),
    Layer.provide(layerSharedWrites),
    Layer.provide(Layer.mergeAll(observerLayer, Layer.succeed(CurrentRelease, release), fatalLayer))
  )
}

/** Makes cloud-controller-manager, where the release has one and there is a cloud. */
export const cloudManagers = ({ planeCloud, release }: ControlPlaneSettings, clients: ClientMaker) =>
  planeCloud === undefined || release.cloudControllers !== "external"
    ? Effect.succeed([])
    : Effect.map(
        makeComponent("cloud-controller-manager", cloudControllerManagerLayer(planeCloud, release, clients.layer)),
        (component) => [component]
      )

/** Runs kube-scheduler. */
export const schedulerLayer = (
  { hasDevices = true, release, settings: { placing, scheduler } }: ControlPlaneSettings,
  clients: ClientMaker
) =>
  KubeScheduler.layer(hasDevices ? placing : { ...placing, extendedResourceClaims: false }).pipe(
    Layer.provide(clients.layer("kube-scheduler", settingsInEffect(schedulerSettings, scheduler, release))),
    Layer.provide(Layer.succeed(CurrentRelease, release))
  )

/** The components of a control plane; each is a process that can be stopped and started. */
export interface ControlPlane {
  readonly components: ReadonlyArray<Component>
  /** Starts the processes of each component, which then elect a leader. */
  readonly elect: Effect.Effect<void>
  /** The zone metrics of the running node lifecycle controller. */
  readonly zoneMetrics: () => ReturnType<NodeLifecycleController["Service"]["zoneMetrics"]>
}

const MANAGER = "kube-controller-manager"
const SCHEDULER = "kube-scheduler"

/** The components that elect a leader. */
export const electingComponents = [MANAGER, SCHEDULER]

/** The leader election settings of each component. */
export interface Elections {
  readonly controllerManager: LeaderElectionPlan
  readonly scheduler: LeaderElectionPlan
}

/** A control plane of several machines, each with a process of every component. */
export interface ReplicatedPlane extends ControlPlaneSettings {
  readonly seed: number
  readonly replicas: number
  readonly elections: Elections
}

/** Returns the Leases of the components that elect, as they are at time 0. */
export const initialLeases = ({ elections }: Pick<ReplicatedPlane, "elections">, now: number) => [
  ...(elections.controllerManager.leaderElect
    ? [initialLease(MANAGER, elections.controllerManager.leaseDurationMs, now)]
    : []),
  ...(elections.scheduler.leaderElect ? [initialLease(SCHEDULER, elections.scheduler.leaseDurationMs, now)] : [])
]

export interface ControlPlaneOptions {
  /** Kinds that the garbage collector tracks. */
  readonly collected: ReadonlyArray<KindName>
  readonly observer: ControllerObserver
  /** The client that a component's processes use for leader election. */
  readonly electionClient: (component: string) => ClusterShape
  readonly onExit: (component: string, message: string) => void
  readonly onLeader: (component: string, holder: string) => void
}

/** Makes the components; a rehearsal starts and stops them. */
export const makeControlPlane = Effect.fnUntraced(function* (
  plan: ReplicatedPlane,
  clients: ClientMaker,
  { collected, electionClient, observer, onExit, onLeader }: ControlPlaneOptions
) {
  const elected: Array<ElectedComponent> = []
  const make = Effect.fnUntraced(function* <A>(
    name: string,
    election: LeaderElectionPlan,
    layer: Layer.Layer<A, never, Timers>
  ): Effect.fn.Return<Component, never, Timers> {
    if (!election.leaderElect) return yield* makeComponent(name, layer)
    const { replicas, seed } = plan
    const options = {
      component: name,
      replicas,
      seed,
      times: election,
      client: electionClient(name),
      onLeader: (holder: string) => onLeader(name, holder)
    }
    const component = yield* makeElected(options, layer)
    elected.push(component)
    return component
  })
  const lifecycle: { current: NodeLifecycleController["Service"] | undefined } = { current: undefined }
  const rememberLifecycle = Layer.effectDiscard(
    Effect.map(NodeLifecycleController, (service) => {
      lifecycle.current = service
    })
  )
  /** Stops the component in a fiber of its own: a fiber that is being stopped cannot wait for its own end. */
  const stopOnFatal = (component: () => Component) => (message: string) =>
    Effect.suspend(() => {
      onExit(component().name, message)
      return Effect.asVoid(Effect.forkDetach(component().stop))
    })
  const manager: Component = yield* make(
    MANAGER,
    plan.elections.controllerManager,
    rememberLifecycle.pipe(
      Layer.provideMerge(
        controllerManagerLayer(plan, clients, {
          observer,
          onFatal: stopOnFatal(() => manager),
          collected
        })
      )
    )
  )
  const placing = yield* make(SCHEDULER, plan.elections.scheduler, schedulerLayer(plan, clients))
  const plane: ControlPlane = {
    components: [manager, placing, ...(yield* cloudManagers(plan, clients))],
    elect: Effect.suspend(() => Effect.forEach(elected, ({ elect }) => elect, { discard: true })),
    zoneMetrics: () => lifecycle.current?.zoneMetrics() ?? new Map()
  }
  return plane
})
