import { formatTime, type IPAddress, parseTime, type ServiceCIDR } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { containing, isWithinOthers, overlapping } from "./ranges.ts"

const NAME = "service-cidr-controller"
const FINALIZER = "networking.k8s.io/service-cidr-finalizer"
/** How long a range stays after its deletion, so that all API servers have stopped to allocate from it. */
const GRACE_MS = 10_000

const isAllocated = ({ metadata }: IPAddress): boolean =>
  metadata.labels?.["ipaddress.kubernetes.io/managed-by"] === "ipallocator.k8s.io"

/** Whether an address of a Service would be in no range any more. */
const isNeeded = (cidr: ServiceCIDR, all: ReadonlyArray<ServiceCIDR>, addresses: ReadonlyArray<IPAddress>): boolean => {
  if (isWithinOthers(cidr, all)) return false
  const name = cidr.metadata.name ?? ""
  return addresses.some((address) => {
    if (!isAllocated(address)) return false
    const holders = containing(address.metadata.name ?? "", all)
    return holders.length === 1 && holders[0] === name
  })
}

const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const
const terminating = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"
} as const

const hasCondition = (
  { status }: ServiceCIDR,
  { message, reason, status: wanted }: typeof ready | typeof terminating
) =>
  (status?.conditions ?? []).some(
    (condition) =>
      condition.type === "Ready" &&
      condition.status === wanted &&
      (condition.reason ?? "") === reason &&
      (condition.message ?? "") === message
  )

/**
 * Says which ranges of Services' addresses are ready, and keeps a deleted one as long as a Service has an address that is in
 * no other. Upstream: pkg/controller/servicecidrs.
 */
export const layerServiceCidrs = Controller.make({
  name: NAME,
  queue: "ipaddresses",
  for: "ServiceCIDR",
  watches: {
    ServiceCIDR: {
      concerns: (cidr, { before, cache, isDeleted }) =>
        before === undefined && !isDeleted ? overlapping(cidr, cache("ServiceCIDR").list()) : []
    },
    IPAddress: {
      concerns: (address, { before, cache, isDeleted }) =>
        (before === undefined || isDeleted) && isAllocated(address)
          ? containing(address.metadata.name ?? "", cache("ServiceCIDR").list())
          : []
    }
  },
  workers: 5,
  reconcile: ({ cache, cluster, queue, timers }) => {
    const [cidrs, addresses] = [cache("ServiceCIDR"), cache("IPAddress")]
    const patch = (name: string, metadata: object) =>
      cluster.patch("ServiceCIDR", { name }, "strategic", { metadata }).pipe(
        Effect.asVoid,
        Effect.catchIf(isNotFound, () => Effect.void)
      )
    const setCondition = (cidr: ServiceCIDR, wanted: typeof ready | typeof terminating) => {
      if (hasCondition(cidr, wanted)) return Effect.void
      const condition = { type: "Ready", ...wanted, lastTransitionTime: formatTime(timers.now()) }
      const { apiVersion, kind, metadata } = cidr
      const body = { apiVersion, kind, metadata: { name: metadata.name }, status: { conditions: [condition] } }
      const options = { subresource: "status", fieldManager: NAME, force: true } as const
      return Effect.asVoid(cluster.patch("ServiceCIDR", { name: metadata.name ?? "" }, "apply", body, options))
    }
    return Effect.fnUntraced(function* (name: string) {
      const cidr = cidrs.get(name)
      if (cidr === undefined) return
      const { deletionTimestamp, finalizers = [] } = cidr.metadata
      const isProtected = finalizers.includes(FINALIZER)
      if (deletionTimestamp === undefined) {
        if (!isProtected) yield* patch(name, { finalizers: [FINALIZER] })
        return yield* setCondition(cidr, ready)
      }
      if (isNeeded(cidr, cidrs.list(), addresses.list())) return yield* setCondition(cidr, terminating)
      const leftMs = parseTime(deletionTimestamp) + GRACE_MS - timers.now()
      if (leftMs > 0) queue.addAfter(name, leftMs)
      else if (isProtected) yield* patch(name, { "$deleteFromPrimitiveList/finalizers": [FINALIZER] })
    })
  }
})
