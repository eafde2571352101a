import { readFileSync } from "node:fs"
import { parseDuration } from "@rollcall/api"
import { componentLog } from "@rollcall/cluster"
import type { FlagValues } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import { KubeClient } from "@rollcall/kube-client"
import type { KubeletConfiguration } from "@rollcall/kubelet"
import { openCertificateStore, selfSigned } from "@rollcall/pki"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { CertificateFlags } from "../certificates/kubelet/kubeletCertificates.ts"
import { Host } from "../host/Host.ts"
import type { KubeletServerOptions } from "../serving/kubelet/kubeletServer.ts"
import { Access } from "../serving/secure/Access.ts"
import { reviewerOf } from "../serving/secure/reviewer.ts"
import type { kubeletProgram } from "./kubelet.ts"
import type { KubeletStart } from "./kubeletSettings.ts"

export type KubeletValues = FlagValues<typeof kubeletProgram.flags> & CertificateFlags

/** The release since which callers may have the fine-grained permissions. Upstream: KubeletFineGrainedAuthz. */
const FINE_GRAINED_MINOR = 33
const DEFAULT_FOLDER = "/var/lib/kubelet/pki"

/** Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go. */
const defaultTtls = { token: "2m", allowed: "5m", denied: "30s" }

const msOf = (text: string | undefined, otherwise: string): number => {
  const ms = parseDuration(text ?? otherwise)
  return ms === 0 ? parseDuration(otherwise) : ms
}

export const readNamed = (field: string, file: string): Effect.Effect<string, InvalidInput> =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) => invalid("kubelet configuration", field, error instanceof Error ? error.message : String(error))
  })

/**
 * Returns what reads the serving certificate: that of files, or the one that the cluster has signed, or, until there is
 * one, one in memory.
 */
const certificateOf = Effect.fnUntraced(function* (
  { serverTLSBootstrap = false, tlsCertFile = "", tlsPrivateKeyFile = "" }: KubeletConfiguration,
  name: string,
  folder: string
) {
  if (tlsCertFile !== "" || tlsPrivateKeyFile !== "") {
    const [cert, key] = [
      yield* readNamed("tlsCertFile", tlsCertFile),
      yield* readNamed("tlsPrivateKeyFile", tlsPrivateKeyFile)
    ]
    return () => ({ cert, key })
  }
  const { wallClockMs } = yield* Host
  const own = selfSigned([name], wallClockMs())
  const inMemory = { cert: own.certificatePem, key: own.keyPem }
  if (!serverTLSBootstrap) return () => inMemory
  const { current } = openCertificateStore(folder, "kubelet-server")
  return () => {
    const stored = Effect.runSync(current)
    return stored === undefined ? inMemory : { cert: stored.certificatePem, key: stored.keyPem }
  }
})

/**
 * Returns what the port of a kubelet needs besides the kubelet: callers are authenticated and authorized by the API server.
 * Upstream: cmd/kubelet/app/auth.go, BuildAuth.
 */
export const kubeletServing = Effect.fnUntraced(function* (
  { configuration, name, release }: KubeletStart,
  { "cert-dir": certDir }: KubeletValues,
  clientCa: string
): Effect.fn.Return<
  Omit<KubeletServerOptions, "flagNames" | "host" | "kubelet" | "port">,
  InvalidInput,
  Host | KubeClient | Timers
> {
  const { authentication = {}, authorization = {} } = configuration
  const { anonymous, webhook } = authentication
  const { connection } = yield* KubeClient
  const { now } = yield* Timers
  const log = yield* componentLog
  const reviewer = reviewerOf(connection)
  const folder = typeof certDir === "string" && certDir !== "" ? certDir : DEFAULT_FOLDER
  return {
    certificate: yield* certificateOf(configuration, name, folder),
    clientCa,
    access: new Access({
      alwaysAllowed: [],
      tokens: webhook?.enabled === false ? undefined : reviewer,
      access: reviewer,
      verifiesCertificates: () => true,
      now,
      allowedTtlMs: msOf(authorization.webhook?.cacheAuthorizedTTL, defaultTtls.allowed),
      deniedTtlMs: msOf(authorization.webhook?.cacheUnauthorizedTTL, defaultTtls.denied),
      tokenTtlMs: msOf(webhook?.cacheTTL, defaultTtls.token),
      handleError: (error) => log("error", "Unable to authenticate the request", { error: String(error) })
    }),
    allowsAnonymous: anonymous?.enabled === true,
    allowsAll: authorization.mode === "AlwaysAllow",
    isFineGrained: Number(release.name.split(".")[1]) >= FINE_GRAINED_MINOR
  }
})
