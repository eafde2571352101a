import type { Kubelet } from "@rollcall/kubelet"
import { watchManifests } from "@rollcall/linux/host"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Has a kubelet run the manifests at a path, whatever becomes of them, until the scope ends. */
export const followManifests = Effect.fnUntraced(function* (kubelet: Pick<Kubelet, "config" | "setStaticPods">) {
  const { fileCheckFrequencyMs, staticPodPath } = kubelet.config
  if (staticPodPath === "") return
  yield* Effect.logInfo("Adding static pod path").pipe(Effect.annotateLogs({ path: staticPodPath }))
  yield* watchManifests(staticPodPath, fileCheckFrequencyMs).pipe(
    Stream.runForEach(({ manifests, problems }) =>
      Effect.andThen(
        Effect.sync(() => kubelet.setStaticPods(manifests)),
        Effect.forEach(problems, ({ message, source }) =>
          Effect.logError("Could not process manifest").pipe(Effect.annotateLogs({ path: source, err: message }))
        )
      )
    ),
    Effect.forkScoped
  )
})
