import { isIP } from "node:net"
import { formatIP, parseCIDR } from "@rollcall/api/validation"
import type { ClusterShape } from "@rollcall/cluster"
import { contained, repeatPasses, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { FrontProxies } from "../frontProxies.ts"
import { keepDefinedVersions, keepOwnVersions } from "./apiServices.ts"
import { keepAuthenticationTrust, keepTokenTracking } from "./configMaps.ts"
import { deleteExpiredIdentities, renewIdentity } from "./identityLease.ts"
import { type AddressSource, keepServerAddress } from "./keepServerAddress.ts"
import type { ServerAddress } from "./kubernetesService.ts"
import type { SettledAddresses } from "./SettledAddresses.ts"
import { keepServiceAddresses, type ObserveKind } from "./serviceAddresses.ts"
import { keepServiceRange } from "./serviceRange.ts"

/** Upstream: pkg/controlplane/instance.go IdentityLeaseRenewIntervalPeriod. */
const IDENTITY_PERIOD_MS = 10_000
/** Upstream: pkg/controlplane/instance.go IdentityLeaseGCPeriod. */
const EXPIRY_PERIOD_MS = 3_600_000
const CONFIG_PERIOD_MS = 60_000

/** The server whose objects are kept. */
export interface OwnServer extends AddressSource {
  readonly hostname: string
  /** Differs at each start. */
  readonly id: string
  /** The address that the Endpoints contain; undefined if the host has none but loopback, which Endpoints may not have. */
  readonly ip: string | undefined
  readonly port: number
  /** The CIDR of the addresses of Services. */
  readonly serviceRange: string
  /** The certificate of the authority that signs client certificates. */
  readonly clientCa: string
  /** The digest of the key of service accounts, if other servers must have the same one. */
  readonly tokenKey?: string | undefined
  readonly frontProxies: FrontProxies
  readonly settledAddresses: SettledAddresses
  readonly observe: ObserveKind<"Service" | "IPAddress" | "CustomResourceDefinition">
}

/** Returns the first address of a CIDR after that of the network: the address of the Service kubernetes. */
export const firstAddress = (range: string): string | undefined => {
  const parsed = parseCIDR(range)
  return parsed && formatIP({ ...parsed.address, bits: parsed.address.bits + 1n })
}

/**
 * Chooses the address that other hosts reach a server at: the one that it listens on, unless that is every address or
 * loopback, else the first of the host's. Upstream: apimachinery/pkg/util/net ResolveBindAddress.
 */
export const advertisedAddress = (listened: string, ofHost: ReadonlyArray<string>): string | undefined => {
  const isAny = listened === "0.0.0.0" || listened === "::"
  const isLoopback = listened === "localhost" || listened === "::1" || listened.startsWith("127.")
  if (isIP(listened) !== 0 && !isAny && !isLoopback) return listened
  return ofHost.find((address) => isIP(address) === 4) ?? ofHost[0]
}

/** Returns host and port for clients on this machine: an unspecified address becomes the loopback address. */
export const reachableAt = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

const addressOf = ({ ip, port, serviceRange }: OwnServer): ServerAddress | undefined => {
  const clusterIP = firstAddress(serviceRange)
  return ip === undefined || clusterIP === undefined ? undefined : { clusterIP, ip, port }
}

/**
 * Makes and keeps the objects that an API server has of itself: the Service `kubernetes` with its endpoints, its identity
 * Lease, two ConfigMaps, the range and the addresses of Services, and what versions it serves. An object that cannot be written is logged and tried again.
 */
export const keepOwnObjects = Effect.fnUntraced(function* (cluster: ClusterShape, own: OwnServer) {
  const timers = yield* Timers
  const { clientCa, frontProxies, hostname, id, ip, port } = own
  const address = addressOf(own)
  const identity = { hostname, id, peerAddress: ip === undefined ? "" : `${ip.includes(":") ? `[${ip}]` : ip}:${port}` }
  const now = Effect.sync(() => timers.now())
  const keep = <E>(source: string, pass: Effect.Effect<void, E>, periodMs: number) =>
    Effect.forkScoped(repeatPasses(timers, source, pass, periodMs))
  if (address === undefined)
    yield* Effect.logDebug("The Service kubernetes is not made: this host has only loopback addresses")
  else yield* keepServerAddress(timers, cluster, address, own)
  const renew = Effect.flatMap(now, (time) => renewIdentity(cluster, identity, time))
  yield* keep("identity lease", renew, IDENTITY_PERIOD_MS)
  const expire = Effect.flatMap(now, (time) => deleteExpiredIdentities(cluster, time))
  yield* keep("identity lease garbage collection", expire, EXPIRY_PERIOD_MS)
  const configure = Effect.andThen(
    keepAuthenticationTrust(cluster, clientCa, frontProxies, own.tokenKey),
    Effect.flatMap(now, (time) => keepTokenTracking(cluster, time))
  )
  yield* keep("authentication configuration", configure, CONFIG_PERIOD_MS)
  const range = Effect.flatMap(now, (time) => keepServiceRange(cluster, own.serviceRange, time))
  yield* keep("service range", range, CONFIG_PERIOD_MS)
  yield* keep("versions", keepOwnVersions(cluster), CONFIG_PERIOD_MS)
  yield* keepServiceAddresses(timers, cluster, own)
  // After changes of definitions, and now and then.
  const changes = yield* Queue.sliding<void>(1)
  own.observe("CustomResourceDefinition", () => Queue.offerUnsafe(changes, undefined))
  const next = Queue.take(changes).pipe(Effect.timeoutOption(CONFIG_PERIOD_MS))
  const pass = contained(timers, "versions of custom resources", keepDefinedVersions(cluster))
  yield* Effect.forkScoped(pass.pipe(Effect.andThen(next), Effect.forever))
})
