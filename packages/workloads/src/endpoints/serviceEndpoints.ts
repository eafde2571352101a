import {
  type Endpoint,
  type EndpointSlice,
  isPodReady,
  isPodTerminal,
  type Node,
  type Pod,
  type Service,
  type ServicePort
} from "@rollcall/api"
import { hintsFor } from "./hints.ts"

export type AddressType = EndpointSlice["addressType"]
export type EndpointPorts = NonNullable<EndpointSlice["ports"]>

const familyOf = (ip: string): AddressType => (ip.includes(":") ? "IPv6" : "IPv4")

/** The families of a service's endpoints; by default, the family of its cluster IP. */
export const addressTypesOf = ({ spec }: Service): ReadonlyArray<AddressType> => {
  const families = spec?.ipFamilies ?? []
  return families.length > 0 ? families : [familyOf(spec?.clusterIP ?? "")]
}

export const hasSelector = ({ spec }: Service): boolean => Object.keys(spec?.selector ?? {}).length > 0

/**
 * Whether the controllers maintain a service's endpoints: it has a selector and is no ExternalName. Other clients
 * maintain the endpoints of services without a selector.
 */
export const isSelecting = (service: Service): boolean => service.spec?.type !== "ExternalName" && hasSelector(service)

/**
 * Whether a pod may be an endpoint: it has an address and has not terminated; terminating ones included.
 * Upstream: endpointslice/util ShouldPodBeInEndpoints.
 */
export const belongsToEndpoints = (pod: Pod): boolean =>
  !isPodTerminal(pod) && ((pod.status?.podIP ?? "") !== "" || (pod.status?.podIPs ?? []).length > 0)

const ipsOf = ({ status }: Pod): ReadonlyArray<string> => {
  const ips = (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? [])
  return ips.length > 0 ? ips : status?.podIP ? [status.podIP] : []
}

/** The number of a service's port on a pod; undefined if the pod has no port with the name `targetPort`. */
const portNumberOf = ({ port, protocol = "TCP", targetPort }: ServicePort, pod: Pod): number | undefined => {
  if (typeof targetPort === "number") return targetPort === 0 ? port : targetPort
  if (targetPort === undefined || targetPort === "") return port
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always")
  for (const { ports = [] } of [...pod.spec.containers, ...sidecars]) {
    const found = ports.find(({ name, protocol: own = "TCP" }) => name === targetPort && own === protocol)
    if (found !== undefined) return found.containerPort
  }
  return undefined
}

/**
 * The ports of a service on this pod: a named one may have a different number on each pod. Ports that the pod does not
 * have are left out.
 */
export const portsFor = ({ spec }: Service, pod: Pod): EndpointPorts =>
  (spec?.ports ?? []).flatMap((port) => {
    const number = portNumberOf(port, pod)
    if (number === undefined) return []
    const { appProtocol, name = "", protocol = "TCP" } = port
    return [{ name, protocol, port: number, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })

const labelZone = "topology.kubernetes.io/zone"

/**
 * Returns the endpoint of a pod; undefined if the pod has no address of the family. An endpoint is ready if its pod is
 * ready and not terminating, or if the service publishes unready addresses. Upstream:
 * staging/src/k8s.io/endpointslice/utils.go podToEndpoint.
 */
export const endpointOf = (
  service: Service,
  pod: Pod,
  node: Node | undefined,
  addressType: AddressType
): Endpoint | undefined => {
  const addresses = ipsOf(pod).filter((ip) => familyOf(ip) === addressType)
  if (addresses.length === 0) return undefined
  const { deletionTimestamp, name = "", namespace = "default", uid = "" } = pod.metadata
  const serving = isPodReady(pod)
  const terminating = deletionTimestamp !== undefined
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating)
  const { hostname = "", nodeName = "", subdomain } = pod.spec
  const zone = node?.metadata.labels?.[labelZone] ?? ""
  const hints = hintsFor(service, {
    conditions: { ready },
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone })
  })
  const isNamed = hostname !== "" && subdomain === service.metadata.name && namespace === service.metadata.namespace
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(isNamed ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone }),
    ...(hints === undefined ? {} : { hints })
  }
}
