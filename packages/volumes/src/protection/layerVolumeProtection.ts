import { finalizerVolumeProtection as finalizer, type PersistentVolume } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { isDeletionCandidate, needsFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts"

/** Whether a deleted volume has no claim any more, so that the finalizer can be removed. */
const canBeRemoved = (volume: PersistentVolume): boolean =>
  isDeletionCandidate(volume, finalizer) && volume.status?.phase !== "Bound"

/**
 * Keeps deleted volumes until no claim is bound to them, while the layer lives.
 * Upstream: pkg/controller/volume/pvprotection.
 */
export const layerVolumeProtection = Controller.make({
  name: "persistentvolume-protection-controller",
  queue: "pvprotection",
  for: "PersistentVolume",
  when: (volume, { isDeleted }) => !isDeleted && (needsFinalizer(volume, finalizer) || canBeRemoved(volume)),
  reconcile: ({ cache, cluster }) =>
    Effect.fnUntraced(function* (name) {
      const volume = cache("PersistentVolume").find(name)
      if (volume === undefined) return
      if (needsFinalizer(volume, finalizer)) yield* cluster.update("PersistentVolume", withFinalizer(volume, finalizer))
      else if (canBeRemoved(volume)) {
        yield* cluster
          .update("PersistentVolume", withoutFinalizer(volume, finalizer))
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
})
