import { isBootstrapToken, readBootstrapToken } from "@rollcall/api"
import { Controller, isConflict, isNotFound, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type SignDetached, signedClusterInfo } from "./clusterInfo.ts"

const decode = (base64: string): string => Result.getOrElse(Base64.decodeString(base64), () => "")

/**
 * Deletes bootstrap tokens that have expired. Upstream: pkg/controller/bootstrap/tokencleaner.go.
 */
export const layerTokenCleaner = Controller.make({
  name: "token-cleaner",
  queue: "token_cleaner",
  for: "Secret",
  when: (secret, { isDeleted }) => !isDeleted && isBootstrapToken(secret),
  reconcile: ({ cache, cluster, queue, timers }) =>
    Effect.fnUntraced(function* (key: string) {
      const secret = cache("Secret").get(key)
      if (secret === undefined || !isBootstrapToken(secret)) return
      const leftMs = readBootstrapToken(secret, decode).expiresMs - timers.now()
      if (leftMs === Number.POSITIVE_INFINITY) return
      if (leftMs > 0) return queue.addAfter(key, leftMs)
      const { uid } = secret.metadata
      yield* cluster.delete("Secret", splitKey(key), uid === undefined ? {} : { preconditions: { uid } }).pipe(
        Effect.catchIf(
          (error) => isConflict(error) || isNotFound(error),
          () => Effect.void
        )
      )
    })
})

const CLUSTER_INFO = "kube-public/cluster-info"

/**
 * Signs the ConfigMap with which a new node finds its cluster, by each bootstrap token that may sign. Upstream:
 * pkg/controller/bootstrap/bootstrapsigner.go.
 */
export const layerBootstrapSigner = (sign: SignDetached) =>
  Controller.make({
    name: "bootstrap-signer",
    queue: "bootstrap_signer_queue",
    for: "ConfigMap",
    when: ({ metadata }, { isDeleted }) => !isDeleted && `${metadata.namespace}/${metadata.name}` === CLUSTER_INFO,
    watches: { Secret: { concerns: (secret) => (isBootstrapToken(secret) ? [CLUSTER_INFO] : []) } },
    reconcile: ({ cache, cluster, timers }) =>
      Effect.fnUntraced(function* (key: string) {
        const info = cache("ConfigMap").get(key)
        if (info === undefined) return
        const tokens = cache("Secret").list().filter(isBootstrapToken)
        const signed = signedClusterInfo(info, tokens, timers.now(), { decode, sign })
        if (signed === undefined) return
        yield* cluster.update("ConfigMap", signed).pipe(
          Effect.catchIf(
            (error) => isConflict(error) || isNotFound(error),
            () => Effect.void
          )
        )
      })
  })
