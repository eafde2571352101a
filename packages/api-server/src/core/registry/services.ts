import {
  type EndpointSlice,
  isExternallyAccessible,
  needsHealthCheck,
  type Service,
  type ServiceSpec
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { withAgreeingIPs } from "../objects/clusterIPs.ts"
import { serviceClaims } from "../objects/serviceValues.ts"
import type { KindOptions } from "./KindDefinition.ts"

const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName"
const hasNodePorts = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer"
const isBalanced = ({ type }: ServiceSpec): boolean => type === "LoadBalancer"

/** Whether all node ports of the service are among those that it had. */
const addsNoNodePort = (spec: ServiceSpec, old: ServiceSpec): boolean => {
  const before = new Set(old.ports?.map(({ nodePort = 0 }) => nodePort))
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || before.has(nodePort))
}

/** The fields that only some services have: those of which `of` is true. */
const dependentFields: ReadonlyArray<
  readonly [of: (spec: ServiceSpec) => boolean, ...fields: ReadonlyArray<keyof ServiceSpec>]
> = [
  [needsAddress, "clusterIP", "clusterIPs"],
  [needsAddress, "ipFamilies"],
  [needsAddress, "ipFamilyPolicy"],
  [needsHealthCheck, "healthCheckNodePort"],
  [isBalanced, "allocateLoadBalancerNodePorts"],
  [isBalanced, "loadBalancerClass"],
  [isExternallyAccessible, "externalTrafficPolicy"]
]

/**
 * Returns the spec without the fields that the service has no more because it changed its type, where the caller left
 * them as they were. Upstream: pkg/registry/core/service/strategy.go, dropTypeDependentFields.
 */
const withoutFieldsOfType = (spec: ServiceSpec, old: ServiceSpec): ServiceSpec => {
  const dropped = dependentFields
    .filter(
      ([applies, ...fields]) =>
        applies(old) && !applies(spec) && fields.every((name) => sameValue(spec[name], old[name]))
    )
    .flatMap(([, ...fields]) => fields)
  const kept: ServiceSpec =
    dropped.length === 0
      ? spec
      : Object.fromEntries(Object.entries(spec).filter(([name]) => !dropped.includes(name as keyof ServiceSpec)))
  if (!hasNodePorts(old) || hasNodePorts(spec) || spec.ports === undefined || !addsNoNodePort(spec, old)) return kept
  return { ...kept, ports: spec.ports.map(({ nodePort: _, ...port }) => port) }
}

/**
 * Returns the service without the policy that one of type ExternalName does not need, but keeps in the store. Upstream:
 * pkg/registry/core/service/storage/storage.go, defaultOnRead.
 */
const withoutInternalPolicy = (service: Service): Service => {
  const { internalTrafficPolicy: policy, ...spec } = service.spec ?? {}
  return spec.type === "ExternalName" && policy !== undefined ? { ...service, spec } : service
}

/** Upstream: pkg/registry/core/service/strategy.go. */
export const services: KindOptions<Service> = {
  directory: "services/specs",
  subresources: ["status"],
  proxyOptions: "ServiceProxyOptions",
  allowCreateOnUpdate: true,
  returnsDeleted: true,
  claims: serviceClaims,
  strategy: {
    asShown: withoutInternalPolicy,
    prepareForCreate: (service) => ({ ...service, spec: withAgreeingIPs(service.spec ?? {}) }),
    // The storage of statuses completes no addresses.
    prepareForStatusCreate: (service) => service,
    prepareForUpdate: (service, stored) => {
      const spec = withAgreeingIPs(service.spec ?? {}, stored.spec)
      const kept = stored.spec === undefined ? spec : withoutFieldsOfType(spec, stored.spec)
      const next = kept === service.spec ? service : { ...service, spec: kept }
      return isBalanced(kept) || sameValue(next.status?.loadBalancer, {})
        ? next
        : { ...next, status: { ...next.status, loadBalancer: {} } }
    }
  }
}

export const endpoints = {
  directory: "services/endpoints",
  allowCreateOnUpdate: true,
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
} as const

const hostname = "kubernetes.io/hostname"

/**
 * Returns the slice without topologies, which the fields nodeName and zone have replaced. Upstream:
 * pkg/registry/discovery/endpointslice/strategy.go, dropTopologyOnV1.
 */
const withoutTopology = (slice: EndpointSlice, stored: EndpointSlice | undefined): EndpointSlice => {
  const { endpoints: given } = slice
  if (!given?.some(({ deprecatedTopology }) => deprecatedTopology !== undefined)) return slice
  if (stored !== undefined && sameValue(given, stored.endpoints)) return slice
  const known = new Set(stored?.endpoints?.map(({ deprecatedTopology }) => deprecatedTopology?.[hostname] ?? ""))
  return {
    ...slice,
    endpoints: given.map(({ deprecatedTopology, ...endpoint }) => {
      const nodeName = deprecatedTopology?.[hostname] ?? ""
      return endpoint.nodeName === undefined && nodeName !== "" && known.has(nodeName)
        ? { ...endpoint, nodeName }
        : endpoint
    })
  }
}

export const endpointSlices: KindOptions<EndpointSlice> = {
  tracksGeneration: true,
  strategy: {
    prepareForCreate: (slice) => withoutTopology(slice, undefined),
    dropOnUpdate: withoutTopology,
    movesGeneration: (slice, stored) =>
      !sameValue(slice.endpoints, stored.endpoints) ||
      !sameValue(slice.ports, stored.ports) ||
      !sameValue(slice.metadata.labels ?? {}, stored.metadata.labels ?? {}) ||
      slice.addressType !== stored.addressType
  }
}
