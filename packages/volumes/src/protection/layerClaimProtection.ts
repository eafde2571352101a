import { finalizerClaimProtection as finalizer, keyOf, type PersistentVolumeClaim, type Pod } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { claimsOfPod } from "../pods/claimsOfPod.ts"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { isDeletionCandidate, needsFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts"
import { podUsesClaim } from "./podUsesClaim.ts"

const needsSync = (claim: PersistentVolumeClaim): boolean =>
  needsFinalizer(claim, finalizer) || isDeletionCandidate(claim, finalizer)

/**
 * Keeps deleted claims until no pod uses them, while the layer lives. Upstream: pkg/controller/volume/pvcprotection.
 */
export const layerClaimProtection = Controller.make({
  name: "persistentvolumeclaim-protection-controller",
  queue: "pvcprotection",
  for: "PersistentVolumeClaim",
  when: (claim, { isDeleted }) => !isDeleted && needsSync(claim),
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue }) {
    const claims = cache("PersistentVolumeClaim")
    const enqueueClaimsOf = (pod: Pod, isDeleted: boolean) => {
      if (!isDeleted && pod.spec.nodeName) return
      for (const key of claimsOfPod(pod)) {
        const claim = claims.get(key)
        if (claim !== undefined && needsSync(claim)) queue.add(key)
      }
    }
    const pods = yield* PodsByClaim.follow(enqueueClaimsOf)
    const isUsed = Effect.fnUntraced(function* (claim: PersistentVolumeClaim) {
      if (pods.using(keyOf(claim)).some((pod) => podUsesClaim(pod, claim))) return true
      // Lists from the API: the cache may be behind, and a removed finalizer cannot be put back.
      const { items } = yield* cluster.list("Pod", { namespace: claim.metadata.namespace ?? "" })
      return items.some((pod) => podUsesClaim(pod, claim))
    })
    return Effect.fnUntraced(function* (key: string) {
      const claim = claims.get(key)
      if (claim === undefined) return
      if (needsFinalizer(claim, finalizer)) {
        yield* cluster.update("PersistentVolumeClaim", withFinalizer(claim, finalizer))
      } else if (isDeletionCandidate(claim, finalizer) && !(yield* isUsed(claim))) {
        yield* cluster
          .update("PersistentVolumeClaim", withoutFinalizer(claim, finalizer))
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
  })
})
