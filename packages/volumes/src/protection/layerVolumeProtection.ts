import { finalizerVolumeProtection as finalizer, type PersistentVolume } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { isHeldBy, lacks, withFinalizer, withoutFinalizer } from "./finalizers.ts"

const isFreed = (volume: PersistentVolume): boolean => isHeldBy(volume, finalizer) && volume.status?.phase !== "Bound"

/** Keeps volumes that are deleted until no claim has them, as long as the layer stands. Upstream: pkg/controller/volume/pvprotection. */
export const layerVolumeProtection = Controller.make({
  name: "persistentvolume-protection-controller",
  queue: "pvprotection",
  for: "PersistentVolume",
  when: (volume, { isGone }) => !isGone && (lacks(volume, finalizer) || isFreed(volume)),
  reconcile: ({ cache, cluster }) =>
    Effect.fnUntraced(function* (name) {
      const volume = cache("PersistentVolume").find(name)
      if (volume === undefined) return
      if (lacks(volume, finalizer)) yield* cluster.update("PersistentVolume", withFinalizer(volume, finalizer))
      else if (isFreed(volume)) {
        yield* cluster
          .update("PersistentVolume", withoutFinalizer(volume, finalizer))
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
})
