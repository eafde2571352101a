import { CurrentRelease, type ReplicationController } from "@rollcall/api"
import { Cluster, forkController, type InformerHandler, Informers } from "@rollcall/cluster"
import { nextRng, Timers, toWord, uuidV4 } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { SpreadOwner } from "./cache/Workloads.ts"
import { startDevices } from "./DeviceFeed.ts"
import { CurrentPodListing } from "./PodListing.ts"
import { Scheduler } from "./Scheduler.ts"
import { type SchedulerConfig, schedulerConfigOf } from "./SchedulerConfig.ts"
import { schedulerMeter } from "./SchedulerMeter.ts"
import { SchedulerPlugins, withPlugins } from "./SchedulerPlugins.ts"
import { volumeFeed } from "./VolumeFeed.ts"

/** A ReplicaSet or StatefulSet, as far as it is needed here. */
interface SelectorOwner {
  readonly metadata: { readonly namespace?: string; readonly name?: string }
  readonly spec: { readonly selector: Parameters<Scheduler["cache"]["workloads"]["setOwner"]>[3] }
}

/** Keeps the selectors of owners in the cache. */
const ownerHandler = (scheduler: Scheduler, kind: SpreadOwner) => {
  const set = ({ metadata, spec }: SelectorOwner) =>
    scheduler.cache.workloads.setOwner(kind, metadata.namespace ?? "default", metadata.name ?? "", spec.selector)
  return {
    onAdd: set,
    onUpdate: (_: SelectorOwner, object: SelectorOwner) => set(object),
    onDelete: ({ metadata }: SelectorOwner) =>
      scheduler.cache.workloads.setOwner(kind, metadata.namespace ?? "default", metadata.name ?? "", undefined)
  }
}

/** A handler that calls `set` with each version of an object, and with `isDeleted` when it is deleted. */
const mirrorHandler = <A>(set: (object: A, isDeleted: boolean) => void): InformerHandler<A> => ({
  onAdd: (object) => set(object, false),
  onUpdate: (_, object) => set(object, false),
  onDelete: (object) => set(object, true)
})

/** A ReplicationController has plain labels in place of a selector. */
const controllerHandler = ({ cache: { workloads } }: Scheduler) =>
  mirrorHandler<ReplicationController>(({ metadata: { name = "", namespace = "default" }, spec }, isDeleted) => {
    const selector = isDeleted ? undefined : { matchLabels: spec?.selector ?? {} }
    workloads.setOwner("ReplicationController", namespace, name, selector)
  })

const make = (overrides: Partial<SchedulerConfig>) =>
  Effect.gen(function* () {
    const { connection } = yield* Cluster
    const timers = yield* Timers
    const { get } = yield* Informers
    const budgets = yield* get("PodDisruptionBudget")
    const settings = { ...schedulerConfigOf(yield* CurrentRelease), ...overrides }
    const config: SchedulerConfig = {
      ...settings,
      profile: overrides.profile ?? withPlugins(settings.profile, yield* SchedulerPlugins.given)
    }
    const random = yield* nextRng
    const newId = () => uuidV4(() => toWord(random()))
    const { extendedResourceClaims } = config
    const devicesNeeded = yield* Deferred.make<void>()
    const scheduler = new Scheduler({
      connection,
      timers,
      random,
      config,
      onDevicesNeeded: () => Deferred.doneUnsafe(devicesNeeded, Effect.void),
      meter: schedulerMeter(yield* Effect.context<never>()),
      budgets: budgets.list
    })
    const namespaces = yield* get("Namespace", {
      handlers: [
        {
          onAdd: ({ metadata }) => scheduler.cache.setNamespace(metadata.name ?? "", metadata.labels ?? {}),
          onUpdate: (before, { metadata }) => {
            if (before.metadata.labels === metadata.labels) return
            scheduler.cache.setNamespace(metadata.name ?? "", metadata.labels ?? {})
          },
          onDelete: ({ metadata }) => scheduler.cache.setNamespace(metadata.name ?? "", undefined)
        }
      ]
    })
    const owners = [
      yield* get("ReplicaSet", { handlers: [ownerHandler(scheduler, "ReplicaSet")] }),
      yield* get("StatefulSet", { handlers: [ownerHandler(scheduler, "StatefulSet")] }),
      yield* get("ReplicationController", { handlers: [controllerHandler(scheduler)] })
    ]
    const { cache } = scheduler
    const services = yield* get("Service", {
      handlers: [
        mirrorHandler(({ metadata, spec }, isDeleted) =>
          cache.workloads.setService(
            metadata.namespace ?? "",
            metadata.name ?? "",
            isDeleted ? undefined : spec?.selector
          )
        )
      ]
    })
    const volumeHandlers = volumeFeed({ cache, onEvent: (event) => scheduler.feed.handleEvent(event) })
    const storage = [
      yield* get("PersistentVolume", { handlers: [volumeHandlers.volumes] }),
      yield* get("PersistentVolumeClaim", { handlers: [volumeHandlers.claims] }),
      yield* get("StorageClass", { handlers: [volumeHandlers.storageClasses] }),
      yield* get("CSINode", { handlers: [volumeHandlers.csiNodes] }),
      yield* get("CSIDriver", { handlers: [volumeHandlers.csiDrivers] }),
      yield* get("CSIStorageCapacity", { handlers: [volumeHandlers.capacities] }),
      yield* get("VolumeAttachment", { handlers: [volumeHandlers.attachments] })
    ]
    const nodes = yield* get("Node", { handlers: [scheduler.feed.nodeHandler] })
    const pods = yield* get("Pod", { handlers: [scheduler.feed.podHandler] })
    const tellListing = yield* CurrentPodListing
    tellListing(pods.list)
    const informers = [budgets, namespaces, ...owners, services, ...storage, nodes, pods]
    yield* Effect.all(
      informers.map(({ synced }) => synced),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.andThen(Effect.sync(() => scheduler.start())), forkController("kube-scheduler"))
    yield* Deferred.await(devicesNeeded).pipe(
      Effect.andThen(startDevices(scheduler, { connection, timers, extendedResourceClaims, newId })),
      Effect.provideService(Scope.Scope, yield* Effect.scope),
      forkController("devices of kube-scheduler")
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => scheduler.stop()))
    return scheduler
  })

/** The scheduler of a cluster, which runs while the layer lives. */
export class KubeScheduler extends Context.Service<KubeScheduler, Scheduler>()("@rollcall/scheduler/KubeScheduler") {
  /**
   * Uses the Cluster in context, whose client limits should be kube-scheduler's (50 requests a second, burst 100). The
   * default profile includes the `SchedulerPlugins` in context; a profile in `config` is used unchanged.
   */
  static readonly layer = (
    config: Partial<SchedulerConfig> = {}
  ): Layer.Layer<KubeScheduler, never, Cluster | Timers> => Layer.effect(KubeScheduler, make(config))
}
