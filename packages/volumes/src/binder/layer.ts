import { keyOf, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, runWorkers, WorkQueue } from "@rollcall/cluster"
import { contained, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { Binder, candidateKey } from "./Binder.ts"

export interface BinderSettings {
  /** `--pvclaimbinder-sync-period`: claims that wait look for a volume so often. */
  readonly syncPeriodMs: number
}

export const defaultBinderSettings: BinderSettings = { syncPeriodMs: 15_000 }

/**
 * Binds claims to volumes as long as the layer stands, through the Cluster at hand. Volumes are made and deleted by others, CSI
 * drivers' provisioners. Upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go.
 */
export const layerVolumeBinder = ({
  syncPeriodMs = defaultBinderSettings.syncPeriodMs
}: Partial<BinderSettings> = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      const timers = yield* Timers
      const recorder = yield* EventRecorder.make({ component: "persistentvolume-controller" })
      const claimQueue = yield* WorkQueue.named<string>("claims")
      const volumeQueue = yield* WorkQueue.named<string>("volumes")
      const seeClaim = (claim: PersistentVolumeClaim) => claimQueue.add(keyOf(claim))
      const seeVolume = ({ metadata: { name = "" } }: PersistentVolume) => volumeQueue.add(name)
      const claims = yield* Informer.make("PersistentVolumeClaim", {
        handlers: [
          {
            onAdd: seeClaim,
            onUpdate: (_, claim) => seeClaim(claim),
            // Its volume does not wait for the next round to be released.
            onDelete: ({ spec }) => spec?.volumeName && volumeQueue.add(spec.volumeName)
          }
        ]
      })
      const volumes = yield* Informer.make("PersistentVolume", {
        indexes: { candidates: candidateKey },
        handlers: [
          {
            onAdd: seeVolume,
            onUpdate: (_, volume) => seeVolume(volume),
            onDelete: ({ spec }) =>
              spec?.claimRef !== undefined && claimQueue.add(`${spec.claimRef.namespace}/${spec.claimRef.name}`)
          }
        ]
      })
      const classes = yield* Informer.make("StorageClass")
      const work = Effect.gen(function* () {
        const pods = yield* PodsByClaim.follow()
        const binder = new Binder({
          cluster,
          timers,
          recorder,
          claims,
          volumes,
          classes,
          pods,
          claimQueue,
          volumeQueue
        })
        const resync = contained(
          timers,
          "volume binder resync",
          Effect.sync(() => binder.resync())
        ).pipe(Effect.delay(syncPeriodMs), Effect.forever)
        const workers = [
          runWorkers(claimQueue, 1, (key) => binder.syncClaim(key)),
          runWorkers(volumeQueue, 1, (name) => binder.syncVolume(name)),
          resync
        ]
        yield* Effect.all(workers, { concurrency: "unbounded", discard: true })
      })
      yield* Effect.all([claims.synced, volumes.synced, classes.synced], {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.andThen(work), forkController("persistentvolume-binder-controller"))
    })
  )
