import { join } from "node:path"
import { setImmediate } from "node:timers"
import { featureGatesOf, type Release } from "@rollcall/api"
import { ApiServer, type ApiServerShape, type TurnsOptions } from "@rollcall/api-server"
import { dynamicAdmission } from "@rollcall/api-server/admission"
import { customResourcesOnDemand } from "@rollcall/api-server/custom/on-demand"
import { type PriorityAndFairnessOptions, priorityAndFairness } from "@rollcall/api-server/flowcontrol"
import {
  type DrainOptions,
  type Listening,
  LocalApis,
  listen,
  makeHandler,
  makeWireTimers,
  verifiedCertificate,
  versionInfo
} from "@rollcall/api-server/http"
import { type SecurityOptions, securityPlan } from "@rollcall/api-server/security"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { type InFlightLimits, MaxInFlight } from "@rollcall/flow-control"
import type { ListenFlagNames } from "@rollcall/input"
import { type Kubeconfig, processesOf } from "@rollcall/kube-client"
import { type KeyAndCertificate, openPki, type Pki } from "@rollcall/pki"
import type { Configuration } from "@rollcall/pod-security"
import { Store } from "@rollcall/store"
import { nextRng, Timers, type TimersShape, toWord, uuidV4 } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Host } from "../host/Host.ts"
import { adminKubeconfig } from "./adminKubeconfig.ts"
import { acceptedAuthorities, keepCertificates } from "./CertificateKeeper.ts"
import { ComponentProbes } from "./ComponentProbes.ts"
import { checkSharedKeys, keyDigest } from "./clusterKeys.ts"
import { type FrontProxies, frontProxiesOf } from "./frontProxies.ts"
import { advertisedAddress, keepOwnObjects, type OwnServer, reachableAt } from "./kept/keepOwnObjects.ts"
import { SettledAddresses } from "./kept/SettledAddresses.ts"
import { serverLeases } from "./kept/serverLeases.ts"
import type { KubeletClientSettings } from "./kubelets/kubeletFlags.ts"
import { serverTransport } from "./kubelets/serverTransport.ts"
import { connectionsOf, openFileLimit } from "./openFiles.ts"
import { surviveErrors } from "./processErrors.ts"
import { processMetrics } from "./processMetrics.ts"
import { featureStatesOf, makeServerMetrics } from "./serverMetrics.ts"
import { STORE_FILE, type StoreSettings } from "./serverStore.ts"
import { begun, delayed, shutdownCheck } from "./stopping.ts"
import { unauthenticatedLog } from "./unauthenticatedLog.ts"
import { type StoreHealth, storeChecks, watchedStore } from "./watchedStore.ts"

/** The settings of an API server. */
export interface ServerSettings extends StoreSettings {
  readonly release: Release
  /** The name of the cluster, its user and its context in kubeconfigs; the default is `rollcall`. */
  readonly name?: string
  /** The folder of the cluster, with its keys, its kubeconfigs and, unless it is in etcd, its store. */
  readonly folder: string
  readonly host: string
  /** The address at which other hosts reach the server (`--advertise-address`); by default `host`, or one of the machine's. */
  readonly advertiseAddress?: string
  /** Whether the server keeps the endpoints of the Service kubernetes (`--endpoint-reconciler-type`); the default is true. */
  readonly keepsEndpoints?: boolean
  /** The port; 0 selects any free one. */
  readonly port: number
  /** The names of the address flags, for error messages. */
  readonly flagNames: ListenFlagNames
  /** Additional names and addresses of the server for its certificate. */
  readonly names: ReadonlyArray<string>
  readonly inFlight: InFlightLimits
  /** The certificate for aggregated API servers (`--proxy-client-cert-file`); by default that of the folder's front proxy. */
  readonly proxyClient?: KeyAndCertificate
  /** How kubelets of other processes are reached (`--kubelet-*`). */
  readonly kubelets?: KubeletClientSettings
  /** The proxies that name users (`--requestheader-*`); by default that of the folder. */
  readonly frontProxies?: FrontProxies
  /** Whether requests are limited by priority and fairness (the default) or by the two limits of `inFlight` alone. */
  readonly priorityAndFairness?: boolean
  readonly eventTtlMs: number
  /** How the server stops; by default without delay, and with the drain of `listen`. */
  readonly shutdown?: ShutdownSettings
  /** The feature gate HPAScaleToZero. */
  readonly scalesToZero?: boolean
  /** The defaults and exemptions of the admission plugin PodSecurity (`--admission-control-config-file`). */
  readonly podSecurity?: Configuration
  /** The security options except those of service accounts, whose keys are in the folder. */
  readonly security: Omit<SecurityOptions, "serviceAccounts">
  /** The flags of the program and their values as texts, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>>
  /** Updates gauges; called before metrics are read. */
  readonly collect?: () => void
}

/** How a server stops that load balancers and other clients know. */
export interface ShutdownSettings extends DrainOptions {
  /** How long it serves as before, but is not ready (`--shutdown-delay-duration`). */
  readonly delayMs: number
}

/** A listening API server. */
export interface RunningServer {
  readonly server: ApiServerShape
  readonly listening: Listening
  readonly url: string
  readonly pki: Pki
  readonly kubeconfig: Kubeconfig
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfigFile: string
}

const SERVICE_ACCOUNT_ISSUER = "https://kubernetes.default.svc.cluster.local"
const DEFAULT_SERVICE_RANGE = "10.96.0.0/12"

/** The server's own client, of which RBAC asks nothing. Upstream: apiserver/pkg/authentication/user APIServerUser. */
const LOOPBACK = { user: "system:apiserver", groups: ["system:masters"], userAgent: "kube-apiserver" }

/** Returns the names of this machine under which clients can reach the server. */
const serverNames = (host: string, hostname: string, extra: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    [host, hostname.toLowerCase(), ...extra].filter((name) => name !== "" && name !== "0.0.0.0" && name !== "::")
  )
]

/** Returns the URL of a server for clients on this machine. */
const urlOf = (host: string, port: number): string => `https://${reachableAt(host, port)}`

/** The pauses of long requests: for one turn of the event loop, or for `restMs` of wall-clock time. */
const turnsOf = ({ after, now }: TimersShape): TurnsOptions => ({
  now,
  nextTurn: (callback, restMs) => {
    if (restMs > 0) after(restMs, callback)
    else setImmediate(callback)
  }
})

/** Upstream: `--enable-priority-and-fairness`; both modes have the same limit of concurrent requests. */
const flowControlOf = (
  { inFlight, priorityAndFairness: isEnabled = true }: ServerSettings,
  options: Pick<PriorityAndFairnessOptions, "server" | "timers" | "wireTimers">
) =>
  isEnabled
    ? priorityAndFairness({ ...options, seats: inFlight.readonly + inFlight.mutating })
    : Effect.succeed(new MaxInFlight(inFlight))

/** What the handler shows and heeds of the release and of the process. */
const releaseAndProcess = Effect.fnUntraced(function* ({ collect, flags = {}, release }: ServerSettings) {
  const probes = yield* Effect.serviceOption(ComponentProbes)
  return {
    ...(Option.isNone(probes) ? {} : { probeComponent: probes.value.probe }),
    processMetrics: yield* processMetrics(collect),
    features: featureStatesOf(release),
    flags,
    gates: featureGatesOf(release),
    version: versionInfo(release.version)
  }
})

const admissionOf = ({ podSecurity, release, security: { disabled = [] } }: ServerSettings) =>
  dynamicAdmission({ disabled, release, ...(podSecurity === undefined ? {} : { podSecurity }) })

const securityOf = (
  { security }: ServerSettings,
  { authorityPem, serviceAccountKey: { privateKeyPem } }: Pki,
  frontProxies: FrontProxies
): SecurityOptions => ({
  ...security,
  frontProxies: { ...frontProxies, clientAuthorityPem: authorityPem },
  serviceAccounts: { issuer: SERVICE_ACCOUNT_ISSUER, privateKeyPem }
})

/** The server without its listener. */
const coreOf = (settings: ServerSettings, security: SecurityOptions, wireTimers: TimersShape) =>
  ApiServer.layer({
    metrics: makeServerMetrics(wireTimers, join(settings.folder, STORE_FILE)),
    managedFields: true,
    turns: turnsOf(wireTimers),
    security: securityPlan(security),
    customResources: customResourcesOnDemand,
    dynamicAdmission: admissionOf(settings),
    eventTtlMs: settings.eventTtlMs,
    scalesToZero: settings.scalesToZero === true
  })

const tlsOf = (pki: Pki, proxyAuthorityPem: string | undefined) => ({
  key: pki.server.keyPem,
  cert: pki.server.certificatePem,
  clientCa: acceptedAuthorities(pki, proxyAuthorityPem)
})

/** Finds the other servers of the store, if it may have any: all of them have the same keys. */
const sharedStoreOf = Effect.fnUntraced(function* (own: ClusterShape, folder: string, pki: Pki) {
  const leases = serverLeases(yield* Store)
  if (leases === undefined) return { leases }
  yield* checkSharedKeys(own, folder, pki)
  return { leases, tokenKey: keyDigest(pki.serviceAccountKey.privateKeyPem) }
})

const observeOf =
  ({ registry }: ApiServerShape): OwnServer["observe"] =>
  (kind, changed) =>
    registry.kinds[kind].cache.observe((object, previous) => changed(object as never, previous as never))

const serve = Effect.fnUntraced(function* (settings: ServerSettings) {
  const { flagNames, folder, host, name = "rollcall", port, shutdown } = settings
  const timers = yield* Timers
  const { addresses: ownAddresses = () => [], errorSource, hostname, processId, wallClockMs } = yield* Host
  const processes = processesOf(hostname, processId)
  const openKeys = (nowMs: number) =>
    openPki({ folder: join(folder, "pki"), nowMs, names: serverNames(host, hostname, settings.names) })
  const pki = yield* openKeys(wallClockMs())
  const wireTimers = yield* makeWireTimers
  const storeHealth: StoreHealth = { isHealthy: true }
  const frontProxies = settings.frontProxies ?? frontProxiesOf(pki.frontProxyAuthorityPem)
  const proxyAuthorityPem = settings.frontProxies?.authorityPem
  const core = coreOf(settings, securityOf(settings, pki, frontProxies), wireTimers)
  const built = yield* Layer.build(core.pipe(Layer.provide(watchedStore(storeHealth))))
  const server = Context.get(built, ApiServer)
  if (server.security === undefined) return yield* Effect.die(new Error("a server that others reach has no security"))
  const own = fromConnection(server.connect(LOOPBACK))
  const shared = yield* sharedStoreOf(own, folder, pki)
  const random = yield* nextRng
  const makeId = () => uuidV4(() => toWord(random()))
  yield* surviveErrors(timers.handleError, timers.now, errorSource)
  let { proxyClient = pki.frontProxyClient } = settings
  const kubelets = yield* serverTransport(settings.kubelets ?? {}, pki, { timers: wireTimers, wallClockMs })
  let address = ""
  const stopping = { isBegun: false }
  const flowControl = yield* flowControlOf(settings, { server, timers, wireTimers })
  const settledAddresses = new SettledAddresses()
  const handler = makeHandler({
    ...server.security,
    certificateOf: ({ request }) => verifiedCertificate(request),
    unauthenticated: yield* unauthenticatedLog(timers, wallClockMs),
    server: { ...server, serve: settledAddresses.serve(server.serve) },
    timers,
    wireTimers,
    kubelets: kubelets.transport,
    localApis: yield* LocalApis,
    connections: { most: connectionsOf(openFileLimit()) },
    ...(yield* releaseAndProcess(settings)),
    random,
    makeId,
    address: () => address,
    proxyCertificate: () => proxyClient,
    flowControl,
    healthChecks: [...storeChecks(storeHealth), shutdownCheck(stopping)]
  })
  const tls = tlsOf(pki, proxyAuthorityPem)
  const listening = yield* listen(handler, { host, port, tls, flagNames, ...(shutdown && { drain: shutdown }) })
  // Finalizers run in reverse: first the server says that it is not ready, at last it stops to listen.
  yield* Effect.addFinalizer(() => delayed(stopping, shutdown?.delayMs ?? 0))
  const url = urlOf(host, listening.port)
  address = reachableAt(settings.advertiseAddress ?? host, listening.port)
  const kubeconfigFile = join(folder, "admin.conf")
  const adminKubeconfigAt = (keys: Pki, nowMs: number) => {
    proxyClient = settings.proxyClient ?? keys.frontProxyClient
    kubelets.useKeys(keys, nowMs)
    return adminKubeconfig({ file: kubeconfigFile, name, url, pki: keys, nowMs, ownMs: timers.now(), processes })
  }
  const kubeconfig = yield* adminKubeconfigAt(pki, wallClockMs())
  yield* keepOwnObjects(own, {
    hostname,
    id: makeId(),
    ip: advertisedAddress(settings.advertiseAddress ?? host, ownAddresses()),
    port: listening.port,
    serviceRange: settings.security.services?.range ?? DEFAULT_SERVICE_RANGE,
    clientCa: pki.authorityPem,
    frontProxies,
    ...shared,
    settledAddresses,
    keepsEndpoints: settings.keepsEndpoints !== false,
    observe: observeOf(server)
  })
  yield* keepCertificates({ openKeys, pki, listening, proxyAuthorityPem, updateDerived: adminKubeconfigAt })
  yield* Effect.addFinalizer(() => begun(stopping))
  return { server, listening, url, pki, kubeconfig, kubeconfigFile } satisfies RunningServer
})

/**
 * An API server on the provided Store, listening over TLS with its own keys. Writes the administrator's kubeconfig to
 * its folder.
 */
export class ServerProcess extends Context.Service<ServerProcess, RunningServer>()(
  "@rollcall/components/ServerProcess"
) {
  static readonly layer = (settings: ServerSettings) => Layer.effect(ServerProcess, serve(settings))
}
