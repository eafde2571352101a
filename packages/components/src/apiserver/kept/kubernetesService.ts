import { canonicalJson, type EndpointSlice, type Endpoints, type ObjectMeta, type Service } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

/** Where this server is reached. */
export interface ServerAddress {
  /** The address of the Service kubernetes: the first of the range of Services. */
  readonly clusterIP: string
  /** The address of this server's host, which must not be a loopback address. */
  readonly ip: string
  readonly port: number
}

const SERVICE_PORT = 443
const NAME = "kubernetes"
const metadata = { name: NAME, namespace: "default" }

const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right)

const servicePorts = ({ port }: ServerAddress) => [
  { name: "https", protocol: "TCP", port: SERVICE_PORT, targetPort: port } as const
]

const endpointPorts = ({ port }: ServerAddress) => [{ name: "https", port, protocol: "TCP" } as const]

const subsetsOf = (address: ServerAddress) => [{ addresses: [{ ip: address.ip }], ports: endpointPorts(address) }]

const endpointsOf = ({ ip }: ServerAddress) => [{ addresses: [ip], conditions: { ready: true } }]

/** The Service by which pods find the API server. */
export const kubernetesService = (address: ServerAddress): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...metadata, labels: { provider: "kubernetes", component: "apiserver" } },
  spec: {
    ports: servicePorts(address),
    clusterIP: address.clusterIP,
    ipFamilyPolicy: "SingleStack",
    sessionAffinity: "None",
    type: "ClusterIP"
  }
})

/** The label keeps the Endpoints out of the mirror, since the server writes the slice itself. */
const SKIP_MIRROR = { "endpointslice.kubernetes.io/skip-mirror": "true" }
const SERVICE_NAME = { "kubernetes.io/service-name": NAME }

/** Its Endpoints. */
export const kubernetesEndpoints = (address: ServerAddress): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { ...metadata, labels: SKIP_MIRROR },
  subsets: subsetsOf(address)
})

/** Its EndpointSlice. */
export const kubernetesSlice = (address: ServerAddress): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...metadata, labels: SERVICE_NAME },
  addressType: address.ip.includes(":") ? "IPv6" : "IPv4",
  endpoints: endpointsOf(address),
  ports: endpointPorts(address)
})

const withLabels = (stored: ObjectMeta, labels: Readonly<Record<string, string>>): ObjectMeta => ({
  ...stored,
  labels: { ...stored.labels, ...labels }
})

/**
 * Creates the Service `kubernetes` with its Endpoints and EndpointSlice, and sets ports and addresses that have changed.
 * Upstream: pkg/controlplane/controller/kubernetesservice, pkg/controlplane/reconcilers.
 */
export const keepKubernetesService = Effect.fnUntraced(function* (cluster: ClusterShape, address: ServerAddress) {
  yield* keepObject(cluster, "Service", kubernetesService(address), (stored) => {
    const found = (stored.spec?.ports ?? []).map(({ nodePort: _nodePort, ...port }) => port)
    const ports = servicePorts(address)
    return isSame(found, ports) ? stored : { ...stored, spec: { ...stored.spec, ports } }
  })
  yield* keepObject(cluster, "Endpoints", kubernetesEndpoints(address), (stored) => {
    const subsets = subsetsOf(address)
    const next = withLabels(stored.metadata, SKIP_MIRROR)
    return isSame([next.labels, subsets], [stored.metadata.labels, stored.subsets])
      ? stored
      : { ...stored, metadata: next, subsets }
  })
  yield* keepObject(cluster, "EndpointSlice", kubernetesSlice(address), (stored) => {
    const [endpoints, ports] = [endpointsOf(address), endpointPorts(address)]
    const next = withLabels(stored.metadata, SERVICE_NAME)
    return isSame([next.labels, endpoints, ports], [stored.metadata.labels, stored.endpoints, stored.ports])
      ? stored
      : { ...stored, metadata: next, endpoints, ports }
  })
})
