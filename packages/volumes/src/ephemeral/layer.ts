import { keyOf, type PersistentVolumeClaim } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { EphemeralVolumeRefused, ephemeralClaims, ownerMismatch } from "./ephemeralClaims.ts"

/** `--concurrent-ephemeralvolume-syncs` */
const CONCURRENT_SYNCS = 5

const creations = Metric.counter("ephemeral_volume_controller_create_total", {
  description: "[ALPHA] Number of PersistenVolumeClaims creation requests",
  incremental: true
})
const failures = Metric.counter("ephemeral_volume_controller_create_failures_total", {
  description: "[ALPHA] Number of PersistenVolumeClaims creation requests that failed",
  incremental: true
})

const podsOf = ({ metadata: { namespace, ownerReferences = [] } }: PersistentVolumeClaim): ReadonlyArray<string> =>
  ownerReferences.flatMap(({ kind, name }) => (kind === "Pod" ? [`${namespace}/${name}`] : []))

/**
 * Creates the claims of pods' generic ephemeral volumes while the layer lives.
 * Upstream: pkg/controller/volume/ephemeral.
 */
export const layerEphemeralVolumes = Controller.make({
  name: "ephemeral-volume-controller",
  queue: "ephemeral_volume",
  records: "ephemeral_volume",
  // The queue holds pods, of which only those with claims are cached. A deleted claim queues its pod, which may need a
  // new one.
  for: "PersistentVolumeClaim",
  when: () => false,
  workers: CONCURRENT_SYNCS,
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder }) {
    const claims = cache("PersistentVolumeClaim")
    claims.addHandler({
      onDelete: (claim) => {
        for (const key of podsOf(claim)) queue.add(key)
      }
    })
    const pods = yield* PodsByClaim.follow((pod, isDeleted) => {
      if (isDeleted || pod.metadata.deletionTimestamp !== undefined) return
      if (ephemeralClaims(pod).length > 0) queue.add(keyOf(pod))
    })
    return Effect.fnUntraced(function* (key: string): Effect.fn.Return<void, EphemeralVolumeRefused> {
      const pod = pods.get(key)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
      for (const { claim, volume } of ephemeralClaims(pod)) {
        const known = claims.get(keyOf(claim))
        const refuse = (why: string) => {
          recorder.event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume}: ${why}`)
          return new EphemeralVolumeRefused({ message: `pod ${key}, ephemeral volume ${volume}: ${why}` })
        }
        if (known !== undefined) {
          const why = ownerMismatch(pod, known)
          if (why !== undefined) return yield* refuse(why)
          continue
        }
        yield* Metric.update(creations, 1)
        yield* cluster.create("PersistentVolumeClaim", claim).pipe(
          Effect.tapError(() => Metric.update(failures, 1)),
          Effect.mapError(({ message }) => refuse(`create PVC ${claim.metadata.name}: ${message}`))
        )
      }
    })
  })
})
