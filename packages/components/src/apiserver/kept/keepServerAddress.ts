import type { ClusterShape } from "@rollcall/cluster"
import { StoreFailure } from "@rollcall/store"
import { repeatPasses, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { keepKubernetesService, type ServerAddress } from "./kubernetesService.ts"
import { keepServerEndpoints } from "./serverEndpoints.ts"
import type { ServerLeases } from "./serverLeases.ts"

/** Upstream: pkg/controlplane/instance.go DefaultEndpointReconcilerInterval. */
const PERIOD_MS = 10_000
/** How long a server that stops tries to take itself out. Upstream: kubernetesservice Stop. */
const REMOVAL_MS = 2 * PERIOD_MS

const NO_SERVERS =
  "no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes Service"

/** Keeps the address of the only server of a store. */
const keepOnly = (cluster: ClusterShape, address: ServerAddress) =>
  Effect.andThen(
    keepKubernetesService(cluster, address),
    keepServerEndpoints(cluster, { ips: [address.ip], port: address.port, setsPort: true })
  )

/** Keeps the addresses of all servers that live. Upstream: pkg/controlplane/reconcilers/lease.go. */
const keepShared = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  leases: ServerLeases,
  { ip, port }: ServerAddress,
  isFirst: boolean
) {
  const before = isFirst ? yield* leases.list : []
  yield* leases.renew(ip)
  const ips = yield* leases.list
  if (ips.length === 0) return yield* new StoreFailure({ message: NO_SERVERS })
  // A server that starts sets the port if it is the only one, or if its own key is still there: it was killed before.
  const setsPort = isFirst && (before.length === 0 || before.includes(ip))
  yield* keepServerEndpoints(cluster, { ips, port, setsPort })
})

const removeShared = Effect.fnUntraced(function* (cluster: ClusterShape, leases: ServerLeases, address: ServerAddress) {
  if (!(yield* leases.remove(address.ip))) return
  yield* keepServerEndpoints(cluster, { ips: yield* leases.list, port: address.port, setsPort: false })
})

/** Where the addresses come from that the Service kubernetes leads to. */
export interface AddressSource {
  /** The servers of the same store; undefined if it has no others. */
  readonly leases: ServerLeases | undefined
  /** Whether the endpoints are kept (`--endpoint-reconciler-type`); otherwise only the Service is. */
  readonly keepsEndpoints: boolean
}

/**
 * Keeps the Service `kubernetes` and the endpoints that it leads to. A server of a shared store takes itself out when the
 * scope closes; that of its own store has no successor, and stays.
 */
export const keepServerAddress = Effect.fnUntraced(function* (
  timers: TimersShape,
  cluster: ClusterShape,
  address: ServerAddress,
  { keepsEndpoints, leases }: AddressSource
) {
  const repeat = <E>(pass: Effect.Effect<void, E>) =>
    Effect.forkScoped(repeatPasses(timers, "kubernetes service", pass, PERIOD_MS))
  if (!keepsEndpoints) return yield* repeat(keepKubernetesService(cluster, address))
  if (leases === undefined) return yield* repeat(keepOnly(cluster, address))
  const remove = Effect.timeoutOption(Effect.exit(removeShared(cluster, leases, address)), REMOVAL_MS)
  // Before the passes, so that none follows the removal.
  yield* Effect.addFinalizer(() => Effect.asVoid(remove))
  let isFirst = true
  const pass = Effect.gen(function* () {
    yield* keepKubernetesService(cluster, address)
    yield* keepShared(cluster, leases, address, isFirst)
    isFirst = false
  })
  return yield* repeat(pass)
})
