import type { PersistentVolume } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import { contained } from "@rollcall/time"
import * as Effect from "effect/Effect"
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
}: Partial<BinderSettings> = {}) =>
  Controller.make({
    name: "persistentvolume-binder-controller",
    queue: "claims",
    records: "persistentvolume-controller",
    for: "PersistentVolumeClaim",
    when: (_, { isGone }) => !isGone,
    watches: {
      PersistentVolume: {
        indexes: { candidates: candidateKey },
        concerns: ({ spec }, { isGone }) =>
          isGone && spec?.claimRef !== undefined ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : []
      },
      StorageClass: {}
    },
    reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, queue, recorder, timers }) {
      const claims = cache("PersistentVolumeClaim")
      const volumes = cache("PersistentVolume")
      const pods = yield* PodsByClaim.follow()
      const volumeQueue = yield* addQueue("volumes", 1, (name) => binder.syncVolume(name))
      const binder = new Binder({
        cluster,
        timers,
        recorder,
        claims,
        volumes,
        classes: cache("StorageClass"),
        pods,
        claimQueue: queue,
        volumeQueue
      })
      const seen = ({ metadata: { name = "" } }: PersistentVolume) => volumeQueue.add(name)
      volumes.addHandler({ onAdd: seen, onUpdate: (_, volume) => seen(volume) })
      // Its volume does not wait for the next round to be released.
      claims.addHandler({ onDelete: ({ spec }) => spec?.volumeName && volumeQueue.add(spec.volumeName) })
      const resync = contained(
        timers,
        "volume binder resync",
        Effect.sync(() => binder.resync())
      )
      yield* resync.pipe(Effect.delay(syncPeriodMs), Effect.forever, Effect.forkScoped)
      return (key: string) => binder.syncClaim(key)
    })
  })
