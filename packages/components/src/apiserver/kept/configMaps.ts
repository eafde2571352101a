import { type ConfigMap, formatTime } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { TOKEN_KEY_ANNOTATION } from "../clusterKeys.ts"
import type { FrontProxies } from "../frontProxies.ts"
import { keepObject } from "./keepObject.ts"

const configMap = (name: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data
})

/** Returns by whose certificates a client or a proxy is known. Upstream: getConfigMapDataFor. */
const trustOf = (clientCa: string, proxies: FrontProxies): Readonly<Record<string, string>> => ({
  "client-ca-file": clientCa,
  "requestheader-allowed-names": JSON.stringify(proxies.allowedNames),
  "requestheader-client-ca-file": proxies.authorityPem,
  "requestheader-extra-headers-prefix": JSON.stringify(proxies.extraPrefixes),
  "requestheader-group-headers": JSON.stringify(proxies.groupHeaders),
  ...(proxies.uidHeaders === undefined || proxies.uidHeaders.length === 0
    ? {}
    : { "requestheader-uid-headers": JSON.stringify(proxies.uidHeaders) }),
  "requestheader-username-headers": JSON.stringify(proxies.userHeaders)
})

/**
 * The authorities of the certificates of clients and of proxies, by which an extension API server or a controller
 * trusts them. Upstream: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export const keepAuthenticationTrust = (
  cluster: ClusterShape,
  clientCa: string,
  proxies: FrontProxies,
  tokenKey: string | undefined
) => {
  const data = trustOf(clientCa, proxies)
  const made = configMap("extension-apiserver-authentication", data)
  const annotations = tokenKey === undefined ? {} : { [TOKEN_KEY_ANNOTATION]: tokenKey }
  const wanted = tokenKey === undefined ? made : { ...made, metadata: { ...made.metadata, annotations } }
  const isIn = (found: Readonly<Record<string, string>> = {}, expected: Readonly<Record<string, string>>) =>
    Object.entries(expected).every(([key, value]) => found[key] === value)
  return keepObject(cluster, "ConfigMap", wanted, (stored) => {
    const { data: found, metadata } = stored
    if (isIn(found, data) && isIn(metadata.annotations, annotations)) return stored
    const annotated = tokenKey === undefined ? {} : { annotations: { ...metadata.annotations, ...annotations } }
    return { ...stored, metadata: { ...metadata, ...annotated }, data: { ...found, ...data } }
  })
}

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
