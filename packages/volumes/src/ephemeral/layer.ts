import { keyOf, type Pod } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { ephemeralClaims, notOfPod } from "./ephemeralClaims.ts"

/** `--concurrent-ephemeralvolume-syncs` */
const CONCURRENT_SYNCS = 5

const creations = Metric.counter("ephemeral_volume_controller_create_total", {
  description: "Number of PersistenVolumeClaims creation requests",
  incremental: true
})
const failures = Metric.counter("ephemeral_volume_controller_create_failures_total", {
  description: "Number of PersistenVolumeClaims creation requests that failed",
  incremental: true
})

/** Makes the claims of pods' generic ephemeral volumes, as long as the layer stands. Upstream: pkg/controller/volume/ephemeral. */
export const layerEphemeralVolumes: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    yield* Timers
    const recorder = yield* EventRecorder.make({ component: "ephemeral_volume" })
    const queue = yield* WorkQueue.named<string>("ephemeral_volume")
    const claims = yield* Informer.make("PersistentVolumeClaim", {
      handlers: [
        {
          // The pod that it was made for may want another.
          onDelete: ({ metadata }) => {
            for (const { kind, name } of metadata.ownerReferences ?? []) {
              if (kind === "Pod") queue.add(`${metadata.namespace}/${name}`)
            }
          }
        }
      ]
    })
    const see = (pod: Pod, gone: boolean) => {
      if (!gone && pod.metadata.deletionTimestamp === undefined && ephemeralClaims(pod).length > 0)
        queue.add(keyOf(pod))
    }
    const sync = (pods: PodsByClaim) =>
      Effect.fnUntraced(function* (key: string) {
        const pod = pods.get(key)
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
        for (const { claim, volume } of ephemeralClaims(pod)) {
          const known = claims.get(keyOf(claim))
          const refuse = (why: string) =>
            recorder.event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume}: ${why}`)
          if (known !== undefined) {
            const why = notOfPod(pod, known)
            if (why !== undefined) refuse(why)
            continue
          }
          yield* Metric.update(creations, 1)
          yield* cluster.create("PersistentVolumeClaim", claim).pipe(
            Effect.tapError(({ message }) =>
              Effect.andThen(
                Metric.update(failures, 1),
                Effect.sync(() => refuse(`create PVC ${claim.metadata.name}: ${message}`))
              )
            )
          )
        }
      })
    yield* claims.synced.pipe(
      Effect.andThen(PodsByClaim.follow(see)),
      Effect.flatMap((pods) => runWorkers(queue, CONCURRENT_SYNCS, sync(pods))),
      forkController("ephemeral-volume-controller")
    )
  })
)
