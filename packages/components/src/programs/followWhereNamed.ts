import type { Kubelet } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"

/** Follows the manifests of `staticPodPath` and `staticPodURL`, if set. Their readers are imported only then. */
export const followWhereNamed = Effect.fnUntraced(function* (kubelet: Pick<Kubelet, "config" | "setStaticPods">) {
  const { staticPodPath, staticPodURL } = kubelet.config
  if (staticPodPath === "" && staticPodURL === "") return
  const { followManifests } = yield* Effect.promise(() => import("../machine/followManifests.ts"))
  yield* followManifests(kubelet)
})
