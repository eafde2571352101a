import { finalizerVolumeProtection as finalizer, type PersistentVolume } from "@rollcall/api"
import { Cluster, forkController, Informer, isNotFound, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isHeldBy, lacks, withFinalizer, withoutFinalizer } from "./finalizers.ts"

const isFreed = (volume: PersistentVolume): boolean => isHeldBy(volume, finalizer) && volume.status?.phase !== "Bound"

/** Keeps volumes that are deleted until no claim has them, as long as the layer stands. Upstream: pkg/controller/volume/pvprotection. */
export const layerVolumeProtection: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    yield* Timers
    const queue = yield* WorkQueue.named<string>("pvprotection")
    const see = (volume: PersistentVolume) => {
      if (lacks(volume, finalizer) || isFreed(volume)) queue.add(volume.metadata.name ?? "")
    }
    const volumes = yield* Informer.make("PersistentVolume", {
      handlers: [{ onAdd: see, onUpdate: (_, volume) => see(volume) }]
    })
    const sync = Effect.fnUntraced(function* (name: string) {
      const volume = volumes.find(name)
      if (volume === undefined) return
      if (lacks(volume, finalizer)) yield* cluster.update("PersistentVolume", withFinalizer(volume, finalizer))
      else if (isFreed(volume)) {
        yield* cluster
          .update("PersistentVolume", withoutFinalizer(volume, finalizer))
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
    yield* volumes.synced.pipe(
      Effect.andThen(runWorkers(queue, 1, sync)),
      forkController("persistentvolume-protection-controller")
    )
  })
)
