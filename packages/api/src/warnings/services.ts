import type { Node } from "../objects/Node.ts"
import type { EndpointSlice, Endpoints, Service } from "../objects/Service.ts"
import { cidrWarnings, ipWarnings } from "../validation/ip.ts"

/** Upstream: pkg/api/service/warnings.go, pkg/registry/{core/endpoint,discovery/endpointslice,core/node}/strategy.go. */

const topologyMode = "service.kubernetes.io/topology-mode"
const topologyHints = "service.kubernetes.io/topology-aware-hints"

const each = (texts: ReadonlyArray<string> = [], path: string, warningsFor: typeof ipWarnings): ReadonlyArray<string> =>
  texts.flatMap((text, index) => warningsFor(text, `${path}[${index}]`))

export const serviceWarnings = ({ metadata, spec = {} }: Service): ReadonlyArray<string> => {
  const { clusterIP = "", externalIPs = [], loadBalancerIP = "", trafficDistribution, type } = spec
  const hasAddress = clusterIP !== "" && clusterIP !== "None"
  const headless = type === "ClusterIP" && clusterIP === "None"
  const isName = type === "ExternalName"
  const found: ReadonlyArray<readonly [applies: boolean, warning: string]> = [
    [headless && loadBalancerIP !== "", "spec.loadBalancerIP is ignored for headless services"],
    [headless && externalIPs.length > 0, "spec.externalIPs is ignored for headless services"],
    [headless && spec.sessionAffinity !== "None", "spec.SessionAffinity is ignored for headless services"]
  ]
  const later: typeof found = [
    [isName && externalIPs.length > 0, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [!isName && Boolean(spec.externalName), 'spec.externalName is ignored when spec.type is not "ExternalName"'],
    [
      trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
    ]
  ]
  const applying = (warnings: typeof found) => warnings.filter(([applies]) => applies).map(([, warning]) => warning)
  return [
    ...(metadata.annotations?.[topologyHints] === undefined
      ? []
      : [`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`]),
    ...(hasAddress ? each(spec.clusterIPs, "spec.clusterIPs", ipWarnings) : []),
    ...applying(found),
    ...each(externalIPs, "spec.externalIPs", ipWarnings),
    ...(externalIPs.length > 0 && !headless && !isName
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(loadBalancerIP === "" ? [] : ipWarnings(loadBalancerIP, "spec.loadBalancerIP")),
    ...each(spec.loadBalancerSourceRanges, "spec.loadBalancerSourceRanges", cidrWarnings),
    ...applying(later)
  ]
}

export const serviceStatusWarnings = ({ status }: Service): ReadonlyArray<string> =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, index) =>
    ip === "" ? [] : ipWarnings(ip, `status.loadBalancer.ingress[${index}]`)
  )

const managedBy = "endpoints.kubernetes.io/managed-by"

export const endpointsWarnings = ({ metadata, subsets = [] }: Endpoints): ReadonlyArray<string> =>
  metadata.labels?.[managedBy] === "endpoint-controller"
    ? []
    : subsets.flatMap((subset, index) =>
        (["addresses", "notReadyAddresses"] as const).flatMap((list) =>
          (subset[list] ?? []).flatMap(({ ip }, at) => ipWarnings(ip, `subsets[${index}].${list}[${at}].ip`))
        )
      )

const sliceManagers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"]

export const sliceWarnings = (slice: EndpointSlice, stored: EndpointSlice | undefined): ReadonlyArray<string> => {
  const { addressType, endpoints, metadata } = slice
  const manager = metadata.labels?.["endpointslice.kubernetes.io/managed-by"]
  return [
    ...(addressType === "FQDN" && stored === undefined ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...(manager !== undefined && sliceManagers.includes(manager)
      ? []
      : (endpoints ?? []).flatMap(({ addresses = [] }, index) =>
          each(addresses, `endpoints[${index}].addresses`, ipWarnings)
        ))
  ]
}

export const nodeWarnings = ({ spec }: Node): ReadonlyArray<string> => [
  ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
  ...(spec?.externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : []),
  ...each(spec?.podCIDRs, "spec.podCIDRs", cidrWarnings)
]
