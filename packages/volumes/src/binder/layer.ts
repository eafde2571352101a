import type { PersistentVolume } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import { contained } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { Binder, candidateKey } from "./Binder.ts"

export interface BinderSettings {
  /** `--pvclaimbinder-sync-period`: how often pending claims and volumes are retried. */
  readonly syncPeriodMs: number
}

export const defaultBinderSettings: BinderSettings = { syncPeriodMs: 15_000 }

/**
 * Binds claims to volumes while the layer lives, through the Cluster in context. Volumes are created and deleted by
 * the provisioners of CSI drivers. Upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go.
 */
export const layerVolumeBinder = ({
  syncPeriodMs = defaultBinderSettings.syncPeriodMs
}: Partial<BinderSettings> = {}) =>
  Controller.make({
    name: "persistentvolume-binder-controller",
    queue: "claims",
    records: "persistentvolume-controller",
    for: "PersistentVolumeClaim",
    when: (_, { isDeleted }) => !isDeleted,
    watches: {
      PersistentVolume: {
        indexes: { candidates: candidateKey },
        concerns: ({ spec }, { isDeleted }) =>
          isDeleted && spec?.claimRef !== undefined ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : []
      },
      StorageClass: {}
    },
    reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, queue, recorder, timers }) {
      const claims = cache("PersistentVolumeClaim")
      const volumes = cache("PersistentVolume")
      const pods = yield* PodsByClaim.follow()
      const scope = yield* Effect.scope
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
        volumeQueue,
        fork: (effect) => Effect.asVoid(Effect.forkIn(contained(timers, "volume recycler", effect), scope))
      })
      const seen = ({ metadata: { name = "" } }: PersistentVolume) => volumeQueue.add(name)
      volumes.addHandler({ onAdd: seen, onUpdate: (_, volume) => seen(volume) })
      // Releases the volume at once instead of at the next resync.
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
