import { canonicalJson, type Service } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
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

/** Creates the Service `kubernetes`, and sets ports that have changed. Upstream: pkg/controlplane/controller/kubernetesservice. */
export const keepKubernetesService = (cluster: ClusterShape, address: ServerAddress) =>
  keepObject(cluster, "Service", kubernetesService(address), (stored) => {
    const found = (stored.spec?.ports ?? []).map(({ nodePort: _nodePort, ...port }) => port)
    const ports = servicePorts(address)
    return isSame(found, ports) ? stored : { ...stored, spec: { ...stored.spec, ports } }
  })
