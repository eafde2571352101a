import { finalizerClaimProtection as finalizer, keyOf, type PersistentVolumeClaim, type Pod } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { claimsOfPod } from "../pods/claimsOfPod.ts"
import { PodsByClaim } from "../pods/PodsByClaim.ts"
import { keepsClaim } from "./claimUse.ts"
import { isHeldBy, lacks, withFinalizer, withoutFinalizer } from "./finalizers.ts"

const wantsALook = (claim: PersistentVolumeClaim): boolean => lacks(claim, finalizer) || isHeldBy(claim, finalizer)

/** Keeps claims that are deleted until no pod uses them, as long as the layer stands. Upstream: pkg/controller/volume/pvcprotection. */
export const layerClaimProtection = Controller.make({
  name: "persistentvolumeclaim-protection-controller",
  queue: "pvcprotection",
  for: "PersistentVolumeClaim",
  when: (claim, { isGone }) => !isGone && wantsALook(claim),
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue }) {
    const claims = cache("PersistentVolumeClaim")
    const podSeen = (pod: Pod, isGone: boolean) => {
      if (!isGone && pod.spec.nodeName) return
      for (const key of claimsOfPod(pod)) {
        const claim = claims.get(key)
        if (claim !== undefined && wantsALook(claim)) queue.add(key)
      }
    }
    const pods = yield* PodsByClaim.follow(podSeen)
    const isKept = Effect.fnUntraced(function* (claim: PersistentVolumeClaim) {
      if (pods.using(keyOf(claim)).some((pod) => keepsClaim(pod, claim))) return true
      // The cache may be behind, and what is let go now does not come back.
      const { items } = yield* cluster.list("Pod", { namespace: claim.metadata.namespace ?? "" })
      return items.some((pod) => keepsClaim(pod, claim))
    })
    return Effect.fnUntraced(function* (key: string) {
      const claim = claims.get(key)
      if (claim === undefined) return
      if (lacks(claim, finalizer)) {
        yield* cluster.update("PersistentVolumeClaim", withFinalizer(claim, finalizer))
      } else if (isHeldBy(claim, finalizer) && !(yield* isKept(claim))) {
        yield* cluster
          .update("PersistentVolumeClaim", withoutFinalizer(claim, finalizer))
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
  })
})
