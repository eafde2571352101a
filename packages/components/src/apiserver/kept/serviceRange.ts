import { formatTime, type IPAddress, type Service, type ServiceCIDR } from "@rollcall/api"
import { type ClusterShape, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

const API_VERSION = "networking.k8s.io/v1"
const NAME = "kubernetes"
const CONTROLLER = "kubernetes-service-cidr-controller"

const rangeOf = (cidr: string): ServiceCIDR => ({
  apiVersion: API_VERSION,
  kind: "ServiceCIDR",
  metadata: { name: NAME },
  spec: { cidrs: [cidr] }
})

/**
 * Makes the range of the addresses of Services, and says that it is ready. Upstream:
 * pkg/controlplane/controller/defaultservicecidr.
 */
export const keepServiceRange = Effect.fnUntraced(function* (cluster: ClusterShape, cidr: string, nowMs: number) {
  yield* keepObject(cluster, "ServiceCIDR", rangeOf(cidr), (stored) => stored)
  const stored = yield* cluster.get("ServiceCIDR", { name: NAME })
  const { conditions = [] } = stored.status ?? {}
  const isGoing = stored.metadata.deletionTimestamp !== undefined
  if (isGoing || stored.spec?.cidrs?.[0] !== cidr || conditions.some(({ type }) => type === "Ready")) return
  const ready = {
    type: "Ready",
    status: "True" as const,
    lastTransitionTime: formatTime(nowMs),
    message: "Kubernetes default Service CIDR is ready"
  }
  const body = {
    apiVersion: API_VERSION,
    kind: "ServiceCIDR",
    metadata: { name: NAME },
    status: { conditions: [ready] }
  }
  yield* cluster.patch("ServiceCIDR", { name: NAME }, "apply", body, {
    subresource: "status",
    fieldManager: CONTROLLER,
    force: true
  })
})

const MANAGED_BY = "ipaddress.kubernetes.io/managed-by"
const ALLOCATOR = "ipallocator.k8s.io"

const addressOf = (name: string, { metadata }: Service): IPAddress => ({
  apiVersion: API_VERSION,
  kind: "IPAddress",
  metadata: {
    name,
    labels: {
      "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
      [MANAGED_BY]: ALLOCATOR
    }
  },
  spec: { parentRef: { resource: "services", namespace: metadata.namespace ?? "", name: metadata.name ?? "" } }
})

const addressesOf = ({ spec }: Service): ReadonlyArray<string> =>
  (spec?.clusterIPs ?? []).filter((address) => address !== "" && address !== "None")

/** Whether the object says that this Service uses its address. */
const isOf = (address: IPAddress, service: Service | undefined): boolean => {
  const { name, namespace, resource } = address.spec?.parentRef ?? {}
  const { metadata } = service ?? {}
  return resource === "services" && name === metadata?.name && namespace === metadata?.namespace
}

/**
 * Makes an object for each address of a Service, and deletes those whose Service is gone. Upstream:
 * pkg/registry/core/service/ipallocator, which writes them with the Service, and its repair in pkg/registry/core/service/
 * ipallocator/controller.
 */
export const keepServiceAddresses = Effect.fnUntraced(function* (cluster: ClusterShape) {
  const [{ items: services }, { items: addresses }] = yield* Effect.all([
    cluster.list("Service"),
    cluster.list("IPAddress")
  ])
  const users = new Map<string, Service>()
  for (const service of services) for (const address of addressesOf(service)) users.set(address, service)
  const stored = new Map(addresses.map((address) => [address.metadata.name ?? "", address]))
  for (const [name, address] of stored) {
    const isManaged = address.metadata.labels?.[MANAGED_BY] === ALLOCATOR
    if (!isManaged || isOf(address, users.get(name))) continue
    yield* cluster.delete("IPAddress", { name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
    stored.delete(name)
  }
  for (const [name, service] of users) {
    if (stored.has(name)) continue
    yield* cluster.create("IPAddress", addressOf(name, service)).pipe(
      Effect.asVoid,
      Effect.catchIf(isAlreadyExists, () => Effect.void)
    )
  }
})
