import type { Kubelet } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"

/** Follows what lies at `staticPodPath` and `staticPodURL`, where they are set; what reads them is loaded where they are needed only. */
export const followWhereNamed = Effect.fnUntraced(function* (kubelet: Pick<Kubelet, "config" | "setStaticPods">) {
  const { staticPodPath, staticPodURL } = kubelet.config
  if (staticPodPath === "" && staticPodURL === "") return
  const { followManifests } = yield* Effect.promise(() => import("../machine/followManifests.ts"))
  yield* followManifests(kubelet)
})
