import { forkController } from "@rollcall/cluster"
import type { Kubelet, StaticPodManifest } from "@rollcall/kubelet"
import { type ManifestReading, pollManifests, watchManifests } from "@rollcall/linux/host"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Stream from "effect/Stream"

/**
 * Makes a kubelet run the manifests at a path and at a URL, and follow their changes, until the scope closes. Each source replaces
 * its earlier manifests. Upstream: pkg/kubelet/config/config.go.
 */
export const followManifests = Effect.fnUntraced(function* (kubelet: Pick<Kubelet, "config" | "setStaticPods">) {
  const { fileCheckFrequencyMs, httpCheckFrequencyMs, staticPodPath, staticPodURL, staticPodURLHeader } = kubelet.config
  const known = new Map<"file" | "http", ReadonlyArray<StaticPodManifest>>()
  const follow = <R>(source: "file" | "http", readings: Stream.Stream<ManifestReading, never, R>) =>
    readings.pipe(
      Stream.runForEach(({ manifests, problems }) =>
        Effect.andThen(
          Effect.sync(() => {
            known.set(source, manifests)
            kubelet.setStaticPods([...known.values()].flat())
          }),
          Effect.forEach(problems, ({ message, source: from }) =>
            Effect.logError("Could not process manifest").pipe(Effect.annotateLogs({ path: from, err: message }))
          )
        )
      ),
      forkController("static pods")
    )
  if (staticPodPath !== "") {
    yield* Effect.logInfo("Adding static pod path").pipe(Effect.annotateLogs({ path: staticPodPath }))
    yield* follow("file", watchManifests(staticPodPath, fileCheckFrequencyMs))
  }
  if (staticPodURL !== "") {
    yield* Effect.logInfo("Adding pod URL with HTTP header").pipe(
      Effect.annotateLogs({ URL: staticPodURL, header: staticPodURLHeader })
    )
    const headers = Object.fromEntries(
      Object.entries(staticPodURLHeader).map(([name, values]) => [name, values.join(", ")])
    )
    const polled = pollManifests({ url: staticPodURL, headers, checkEveryMs: httpCheckFrequencyMs })
    yield* follow("http", polled).pipe(Effect.provide(FetchHttpClient.layer))
  }
})
