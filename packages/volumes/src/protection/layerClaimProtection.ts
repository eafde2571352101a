import { finalizerClaimProtection as finalizer, keyOf, type PersistentVolumeClaim, type Pod } from "@rollcall/api"
import { Cluster, forkController, Informer, isNotFound, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { claimsOfPod } from "../pods/claimsOfPod.ts"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { keepsClaim } from "./claimUse.ts"
import { isHeldBy, lacks, withFinalizer, withoutFinalizer } from "./finalizers.ts"

/** Keeps claims that are deleted until no pod uses them, as long as the layer stands. Upstream: pkg/controller/volume/pvcprotection. */
export const layerClaimProtection: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    yield* Timers
    const queue = yield* WorkQueue.named<string>("pvcprotection")
    const see = (claim: PersistentVolumeClaim) => {
      if (lacks(claim, finalizer) || isHeldBy(claim, finalizer)) queue.add(keyOf(claim))
    }
    const claims = yield* Informer.make("PersistentVolumeClaim", {
      handlers: [{ onAdd: see, onUpdate: (_, claim) => see(claim) }]
    })
    const podSeen = (pod: Pod) => {
      for (const key of claimsOfPod(pod)) {
        const claim = claims.get(key)
        if (claim !== undefined) see(claim)
      }
    }
    const isKept = Effect.fnUntraced(function* (claim: PersistentVolumeClaim, pods: PodsByClaim) {
      if (pods.using(keyOf(claim)).some((pod) => keepsClaim(pod, claim))) return true
      // The cache may be behind, and what is let go now does not come back.
      const { items } = yield* cluster.list("Pod", { namespace: claim.metadata.namespace ?? "" })
      return items.some((pod) => keepsClaim(pod, claim))
    })
    const sync = (pods: PodsByClaim) =>
      Effect.fnUntraced(function* (key: string) {
        const claim = claims.get(key)
        if (claim === undefined) return
        if (lacks(claim, finalizer)) {
          yield* cluster.update("PersistentVolumeClaim", withFinalizer(claim, finalizer))
        } else if (isHeldBy(claim, finalizer) && !(yield* isKept(claim, pods))) {
          yield* cluster
            .update("PersistentVolumeClaim", withoutFinalizer(claim, finalizer))
            .pipe(Effect.catchIf(isNotFound, () => Effect.void))
        }
      })
    yield* claims.synced.pipe(
      Effect.andThen(PodsByClaim.follow((pod, gone) => (gone || !pod.spec.nodeName) && podSeen(pod))),
      Effect.flatMap((pods) => runWorkers(queue, 1, sync(pods))),
      forkController("persistentvolumeclaim-protection-controller")
    )
  })
)
