import type { EndpointSlice, Endpoints, Service, ServicePort, ServiceSpec } from "../objects/Service.ts"
import { isExternallyAccessible } from "../services.ts"
import { mapItems, withDefaults, withFields } from "./fill.ts"

/** Upstream: pkg/apis/core/v1/defaults.go SetDefaults_Service and SetDefaults_Endpoints, pkg/apis/discovery/v1/defaults.go. */

const tcp = { protocol: "TCP" } as const

const completePort = (port: ServicePort): ServicePort => {
  const complete = withDefaults(port, tcp)
  const { targetPort } = complete
  return targetPort === undefined || targetPort === 0 || targetPort === ""
    ? { ...complete, targetPort: port.port }
    : complete
}

const isReachableInCluster = ({ type }: ServiceSpec): boolean =>
  type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer"

/** The default session affinity timeout, in seconds. */
const THREE_HOURS = 10_800

/** Sets how the address of a load balancer is reached from within the cluster. */
const withIngressModes = (status: Service["status"]): Service["status"] => {
  const ingress = status?.loadBalancer?.ingress
  if (ingress === undefined) return status
  const modes = mapItems(ingress, (one) => (one.ip && one.ipMode === undefined ? { ...one, ipMode: "VIP" } : one))
  return modes === ingress ? status : { ...status, loadBalancer: { ...status?.loadBalancer, ingress: modes } }
}

export const defaultService = (service: Service): Service => {
  let spec: ServiceSpec = withDefaults(service.spec ?? {}, { sessionAffinity: "None", type: "ClusterIP" })
  if (spec.sessionAffinity === "None" && spec.sessionAffinityConfig !== undefined) {
    const { sessionAffinityConfig: _, ...rest } = spec
    spec = rest
  }
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (spec.sessionAffinity === "ClientIP" && timeout === undefined) {
    spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: THREE_HOURS } } }
  }
  if (spec.ports !== undefined) spec = withFields(spec, { ports: mapItems(spec.ports, completePort) })
  if (isExternallyAccessible(spec)) spec = withDefaults(spec, { externalTrafficPolicy: "Cluster" })
  if (isReachableInCluster(spec) && spec.internalTrafficPolicy === undefined) {
    spec = { ...spec, internalTrafficPolicy: "Cluster" }
  }
  if (spec.type === "LoadBalancer") spec = withDefaults(spec, { allocateLoadBalancerNodePorts: true })
  const status = spec.type === "LoadBalancer" ? withIngressModes(service.status) : undefined
  return withFields(service, { spec, status })
}

export const defaultEndpoints = (endpoints: Endpoints): Endpoints => {
  if (endpoints.subsets === undefined) return endpoints
  const subsets = mapItems(endpoints.subsets, (subset) =>
    subset.ports === undefined
      ? subset
      : withFields(subset, { ports: mapItems(subset.ports, (port) => withDefaults(port, tcp)) })
  )
  return withFields(endpoints, { subsets })
}

/** A port without a name has the name "". */
const slicePortDefaults = { name: "", ...tcp }

const sliceDefaults: Partial<EndpointSlice> = { endpoints: [] }

export const defaultEndpointSlice = (given: EndpointSlice): EndpointSlice => {
  // Go reads an absent list as an empty one.
  const slice = withDefaults(given, sliceDefaults)
  if (!slice.ports) return slice
  const ports = mapItems(slice.ports, (port) =>
    port.name !== undefined && port.protocol !== undefined ? port : { ...slicePortDefaults, ...port }
  )
  return withFields(slice, { ports })
}
