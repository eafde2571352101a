import { type ConfigMap, formatTime } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

const configMap = (name: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data
})

/**
 * The authority of client certificates, by which an extension API server or a controller trusts this server's clients.
 * Upstream: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export const keepAuthenticationTrust = (cluster: ClusterShape, clientCa: string) =>
  keepObject(
    cluster,
    "ConfigMap",
    configMap("extension-apiserver-authentication", { "client-ca-file": clientCa }),
    (stored) =>
      stored.data?.["client-ca-file"] === clientCa
        ? stored
        : { ...stored, data: { ...stored.data, "client-ca-file": clientCa } }
  )

/** The day as `2026-01-15`. */
const dayOf = (now: number): string => formatTime(now).slice(0, 10)

/**
 * Says since when uses of old service-account tokens are tracked; a day that cannot be read is set anew.
 * Upstream: pkg/controlplane/controller/legacytokentracking.
 */
export const keepTokenTracking = Effect.fnUntraced(function* (cluster: ClusterShape, now: number) {
  const wanted = configMap("kube-apiserver-legacy-service-account-token-tracking", { since: dayOf(now) })
  yield* keepObject(cluster, "ConfigMap", wanted, (stored) =>
    /^\d{4}-\d{2}-\d{2}$/.test(stored.data?.since ?? "") ? stored : { ...stored, data: { ...wanted.data } }
  )
})
