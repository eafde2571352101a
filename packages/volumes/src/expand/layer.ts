import type { PersistentVolumeClaim } from "@rollcall/api"
import { type ClusterShape, Controller } from "@rollcall/cluster"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { annotationResizer, expansionOf, hasGrown, isGrowing, isVolumeOf } from "./expansionPlan.ts"

/** Upstream: pkg/controller/volume/expand, defaultWorkerCount. */
const WORKERS = 10

const nameResizer = (cluster: ClusterShape, { metadata }: PersistentVolumeClaim, resizer: string) => {
  if (metadata.annotations?.[annotationResizer] === resizer) return Effect.void
  const annotations = { [annotationResizer]: resizer }
  const { name = "", namespace = "", resourceVersion } = metadata
  const body = { metadata: { annotations, resourceVersion } }
  return cluster.patch("PersistentVolumeClaim", { namespace, name }, "strategic", body, { subresource: "status" })
}

/** Why a volume is not expanded yet. */
class NotBound extends Data.TaggedError("NotBound")<{ readonly message: string }> {}

/**
 * Records who is to expand the volume of a claim that requests more than it holds: no plugin of kube-controller-manager
 * does that any more. Upstream: pkg/controller/volume/expand.
 */
export const layerVolumeExpander = Controller.make({
  name: "persistentvolume-expander-controller",
  queue: "volume_expand",
  records: "volume_expand",
  for: "PersistentVolumeClaim",
  when: (claim, { before }) => claim.status?.phase === "Bound" && (before === undefined || hasGrown(claim, before)),
  workers: WORKERS,
  reconcile: ({ cache, cluster, recorder }) =>
    Effect.fnUntraced(function* (key) {
      const claim = cache("PersistentVolumeClaim").get(key)
      if (claim === undefined) return
      const volume = yield* cluster.get("PersistentVolume", { name: claim.spec?.volumeName ?? "" })
      if (!isVolumeOf(volume, claim))
        return yield* new NotBound({ message: `persistent Volume is not bound to PVC being updated : ${key}` })
      if (!isGrowing(claim)) return
      const { message, resizer } = expansionOf(volume)
      recorder.event(claim, "Normal", "ExternalExpanding", message)
      if (resizer !== undefined) yield* nameResizer(cluster, claim, resizer)
    })
})
