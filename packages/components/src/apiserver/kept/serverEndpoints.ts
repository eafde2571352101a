import { canonicalJson, type EndpointSlice, type Endpoints, type ObjectMeta } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

const NAME = "kubernetes"
const metadata = { name: NAME, namespace: "default" }

/** The label keeps the Endpoints out of the mirror, since the server writes the slice itself. */
const SKIP_MIRROR = { "endpointslice.kubernetes.io/skip-mirror": "true" }
const SERVICE_NAME = { "kubernetes.io/service-name": NAME }

/** The servers that the Service kubernetes leads to. */
export interface ServerEndpoints {
  /** The addresses of the servers' hosts, none of which is a loopback address. */
  readonly ips: ReadonlyArray<string>
  readonly port: number
  /** Whether other ports than `port` are replaced. Servers of one store do not replace each other's. */
  readonly setsPort: boolean
}

type Ports = NonNullable<NonNullable<Endpoints["subsets"]>[number]["ports"]>

const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right)

const subsetsOf = (ips: ReadonlyArray<string>, ports: Ports) =>
  ips.length === 0 ? [] : [{ addresses: ips.map((ip) => ({ ip })), ports }]

const familyOf = (ip: string) => (ip.includes(":") ? "IPv6" : "IPv4")

/** A slice has addresses of one family. Upstream: endpointSliceFromEndpoints. */
const sliceOf = (ips: ReadonlyArray<string>, ports: Ports) => {
  const addressType = ips.length > 0 && ips.every((ip) => familyOf(ip) === "IPv6") ? "IPv6" : "IPv4"
  const endpoints = ips
    .filter((ip) => familyOf(ip) === addressType)
    .map((ip) => ({ addresses: [ip], conditions: { ready: true } }))
  return { addressType, endpoints, ports: ips.length === 0 ? [] : ports } as const
}

const withLabels = (stored: ObjectMeta, labels: Readonly<Record<string, string>>): ObjectMeta => ({
  ...stored,
  labels: { ...stored.labels, ...labels }
})

const keepEndpoints = (cluster: ClusterShape, ips: ReadonlyArray<string>, ports: Ports) => {
  const subsets = subsetsOf(ips, ports)
  const wanted: Endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...metadata, labels: SKIP_MIRROR },
    subsets
  }
  return keepObject(cluster, "Endpoints", wanted, (stored) => {
    const next = withLabels(stored.metadata, SKIP_MIRROR)
    return isSame([next.labels, subsets], [stored.metadata.labels, stored.subsets ?? []])
      ? stored
      : { ...stored, metadata: next, subsets }
  })
}

const keepSlice = Effect.fnUntraced(function* (cluster: ClusterShape, ips: ReadonlyArray<string>, given: Ports) {
  const { addressType, endpoints, ports } = sliceOf(ips, given)
  const wanted: EndpointSlice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, labels: SERVICE_NAME },
    addressType,
    endpoints,
    ports
  }
  let isOtherFamily = false
  const keep = keepObject(cluster, "EndpointSlice", wanted, (stored) => {
    isOtherFamily = stored.addressType !== addressType
    if (isOtherFamily) return stored
    const next = withLabels(stored.metadata, SERVICE_NAME)
    const found = [stored.metadata.labels, stored.endpoints ?? [], stored.ports ?? []]
    return isSame([next.labels, endpoints, ports], found) ? stored : { ...stored, metadata: next, endpoints, ports }
  })
  yield* keep
  if (!isOtherFamily) return
  // The family of a slice cannot change.
  yield* cluster.delete("EndpointSlice", metadata).pipe(Effect.catchIf(isNotFound, () => Effect.void))
  yield* keep
})

/** The ports of the Endpoints, unless those are in no order: exactly one subset is. */
const storedPorts = (cluster: ClusterShape) =>
  cluster.get("Endpoints", metadata).pipe(
    Effect.map(({ subsets = [] }) => (subsets.length === 1 ? subsets[0]?.ports : undefined)),
    Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
  )

/**
 * Makes the Endpoints and the EndpointSlice of the Service `kubernetes` hold these servers. Upstream:
 * pkg/controlplane/reconcilers, doReconcile.
 */
export const keepServerEndpoints = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  { ips, port, setsPort }: ServerEndpoints
) {
  const stored = setsPort ? undefined : yield* storedPorts(cluster)
  const ports = stored ?? [{ name: "https", port, protocol: "TCP" as const }]
  yield* keepEndpoints(cluster, ips, ports)
  yield* keepSlice(cluster, ips, ports)
})
