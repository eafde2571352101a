import { finalizerInTreeVolume, keyOf, type PersistentVolume } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type EventRecorder, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { needsVolumes } from "../attach/VolumeUse.ts"
import type { PodsByClaim } from "../pods/PodsByClaim.ts"
import { hasFinalizer, withoutFinalizer } from "../protection/finalizers.ts"
import { type EventDraft, warning } from "./EventDraft.ts"
import { type Reclaim, reclaimOf } from "./reclaim.ts"
import { runRecycler } from "./runRecycler.ts"

/** What the reclaimer needs. */
export interface ReclaimerParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly pods: PodsByClaim
  /** Runs an effect beside the queues, as long as the controller lives. */
  readonly fork: (effect: Effect.Effect<void>) => Effect.Effect<void>
  readonly isReleased: (volume: PersistentVolume) => boolean
  /** Whether there is a claim of this name, which may be another one than that of the volume. */
  readonly hasClaim: (key: string) => boolean
  readonly fail: (volume: PersistentVolume, failure: EventDraft) => Effect.Effect<void, ClusterError>
  readonly unbind: (volume: PersistentVolume) => Effect.Effect<void, ClusterError>
}

/** Carries out the reclaim policies of released volumes. Upstream: persistentvolume/pv_controller.go reclaimVolume. */
export class Reclaimer {
  private readonly parts: ReclaimerParts
  /** The volumes that are recycled just now, by UID. */
  private readonly running = new Set<string>()

  constructor(parts: ReclaimerParts) {
    this.parts = parts
  }

  readonly reclaim = Effect.fnUntraced({ self: this }, function* (this: Reclaimer, volume: PersistentVolume) {
    const step = reclaimOf(volume)
    // Before the policy fails, a volume in use is looked for.
    if (volume.spec?.persistentVolumeReclaimPolicy === "Recycle") return yield* this.recycleBeside(volume)
    if (step.do === "fail") yield* this.parts.fail(volume, step.failure)
    if (step.do === "delete") yield* this.remove(volume)
  })

  /** Deletes a volume, and before that the finalizer that waits for it. */
  private remove(volume: PersistentVolume) {
    const { cluster } = this.parts
    const freed = hasFinalizer(volume, finalizerInTreeVolume)
      ? cluster.update("PersistentVolume", withoutFinalizer(volume, finalizerInTreeVolume))
      : Effect.void
    return freed.pipe(
      Effect.andThen(cluster.delete("PersistentVolume", { name: volume.metadata.name ?? "" })),
      Effect.asVoid,
      Effect.catchIf(isNotFound, () => Effect.void)
    )
  }

  /** Recycles a volume, which takes as long as a pod runs; the next sync of the volume tries again what failed. */
  private recycleBeside({ metadata: { name = "", uid = "" } }: PersistentVolume): Effect.Effect<void> {
    if (this.running.has(uid)) return Effect.void
    this.running.add(uid)
    const done = Effect.sync(() => void this.running.delete(uid))
    return this.parts.fork(this.recycle(name).pipe(Effect.ignore, Effect.ensuring(done)))
  }

  private readonly recycle = Effect.fnUntraced({ self: this }, function* (this: Reclaimer, name: string) {
    const { cluster, fail, hasClaim, isReleased, pods, recorder, unbind } = this.parts
    const volume = yield* cluster.get("PersistentVolume", { name })
    if (!isReleased(volume)) return
    const { claimRef } = volume.spec ?? {}
    const claim = `${claimRef?.namespace}/${claimRef?.name}`
    const users = pods.using(claim).filter(needsVolumes).map(keyOf)
    // A claim of this name is another one, and its pods use another volume.
    if (users.length > 0 && !hasClaim(claim)) {
      recorder.event(volume, "Normal", "VolumeFailedRecycle", `Volume is used by pods: ${users.toSorted().join(",")}`)
      return
    }
    const step: Reclaim = reclaimOf(volume)
    if (step.do === "fail") return yield* fail(volume, step.failure)
    if (step.do !== "recycle") return
    const problem = yield* runRecycler(cluster, step.pod, (type, message) =>
      recorder.event(volume, type, "RecyclerPod", `Recycler pod: ${message}`)
    )
    if (problem !== undefined) return yield* fail(volume, warning("VolumeFailedRecycle", `Recycle failed: ${problem}`))
    recorder.event(volume, "Normal", "VolumeRecycled", "Volume recycled")
    yield* unbind(volume)
  })
}
