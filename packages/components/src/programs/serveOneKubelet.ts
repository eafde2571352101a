import { readFileSync } from "node:fs"
import { parseDuration } from "@rollcall/api"
import { componentLog } from "@rollcall/cluster"
import type { FlagValues } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import { KubeClient } from "@rollcall/kube-client"
import type { Kubelet, KubeletConfiguration } from "@rollcall/kubelet"
import { openCertificateStore, selfSigned } from "@rollcall/pki"
import { type Exposition, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { CertificateFlags } from "../certificates/kubelet/kubeletCertificates.ts"
import { Host } from "../host/Host.ts"
import { type KubeletServerOptions, kubeletServer } from "../serving/kubelet/kubeletServer.ts"
import { readOnlyServer } from "../serving/kubelet/readOnlyServer.ts"
import { flagz, statusz } from "../serving/pages.ts"
import { Access } from "../serving/secure/Access.ts"
import { reviewerOf } from "../serving/secure/reviewer.ts"
import { kubeletProgram } from "./kubelet.ts"
import type { KubeletStart } from "./kubeletSettings.ts"

type KubeletValues = FlagValues<typeof kubeletProgram.flags> & CertificateFlags

/** The release since which callers may have the fine-grained permissions. Upstream: KubeletFineGrainedAuthz. */
const FINE_GRAINED_MINOR = 33
/** Upstream: the gates ComponentStatusz and ComponentFlagz. */
const ZPAGES_MINOR = 36
const DEFAULT_FOLDER = "/var/lib/kubelet/pki"

/** Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go. */
const defaultTtls = { token: "2m", allowed: "5m", denied: "30s" }

const msOf = (text: string | undefined, otherwise: string): number => {
  const ms = parseDuration(text ?? otherwise)
  return ms === 0 ? parseDuration(otherwise) : ms
}

const read = (field: string, file: string): Effect.Effect<string, InvalidInput> =>
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
    const [cert, key] = [yield* read("tlsCertFile", tlsCertFile), yield* read("tlsPrivateKeyFile", tlsPrivateKeyFile)]
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

const TEXT = "text/plain; charset=utf-8"

type Pages = NonNullable<KubeletServerOptions["pages"]>

const metricsPage = (metrics: () => Exposition): Pages => ({
  "/metrics": () => {
    const { body, type } = metrics()
    return { type, body: String(body) }
  }
})

/** The pages of the process. Those about itself are among the handlers for debugging. Upstream: pkg/kubelet/server InstallZPages. */
const pagesOf = (
  { config, release }: KubeletStart,
  values: KubeletValues,
  now: () => number,
  metrics: () => Exposition
): Pages => {
  const startedMs = now()
  const text = (body: string) => ({ type: TEXT, body })
  const { flags, name } = kubeletProgram
  return {
    ...metricsPage(metrics),
    ...(config.enableDebuggingHandlers && Number(release.name.split(".")[1]) >= ZPAGES_MINOR
      ? {
          "/statusz": () => text(statusz(name, release, startedMs, now())),
          "/flagz": () => text(flagz(name, flags, { ...values }))
        }
      : {})
  }
}

/** Serves the API of a process' only kubelet, if it can: what prevents that is logged, and the kubelet runs on. */
export const serveOneKubelet = (
  kubelet: Kubelet,
  start: KubeletStart,
  flags: KubeletValues,
  metrics: () => Exposition
) =>
  serveReadOnly(kubelet, start, metrics).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`the read-only server of the kubelet is not started: ${message}`)),
    Effect.andThen(serve(kubelet, start, flags, metrics)),
    Effect.catch(({ message }) => Effect.logWarning(`the server of the kubelet is not started: ${message}`))
  )

/** Serves what everybody may see of a process' only kubelet, if its configuration has a port for that. */
const serveReadOnly = Effect.fnUntraced(function* (
  kubelet: Kubelet,
  { configuration }: KubeletStart,
  metrics: () => Exposition
) {
  const { address = "0.0.0.0", readOnlyPort = 0 } = configuration
  if (readOnlyPort === 0) return
  const log = yield* componentLog
  const port = yield* readOnlyServer({ kubelet, host: address, port: readOnlyPort, pages: metricsPage(metrics) })
  log("info", "Starting to listen read-only", { address, port })
})

/**
 * Serves the API of a process' only kubelet, if its configuration has a CA of clients: callers are authenticated and
 * authorized by the API server. Fleets have no ports. Upstream: cmd/kubelet/app/auth.go, BuildAuth.
 */
const serve = Effect.fnUntraced(function* (
  kubelet: Kubelet,
  start: KubeletStart,
  values: KubeletValues,
  metrics: () => Exposition
) {
  const { config, configuration, name, release } = start
  const { "cert-dir": certDir } = values
  const { address = "0.0.0.0", authentication = {}, authorization = {}, enableServer = true } = configuration
  const { anonymous, webhook, x509 } = authentication
  const clientCAFile = x509?.clientCAFile ?? ""
  if (clientCAFile === "" || !enableServer || config.port === 0) return
  const { connection } = yield* KubeClient
  const { now } = yield* Timers
  const log = yield* componentLog
  const reviewer = reviewerOf(connection)
  const folder = typeof certDir === "string" && certDir !== "" ? certDir : DEFAULT_FOLDER
  const port = yield* kubeletServer({
    kubelet,
    host: address,
    port: config.port,
    flagNames: { port: "--port", host: "--address" },
    certificate: yield* certificateOf(configuration, name, folder),
    clientCa: yield* read("authentication.x509.clientCAFile", clientCAFile),
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
    pages: pagesOf(start, values, now, metrics),
    isFineGrained: Number(release.name.split(".")[1]) >= FINE_GRAINED_MINOR
  })
  log("info", "Started kubelet server", { address, port })
})
