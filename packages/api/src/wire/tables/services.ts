import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const services: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Service kind hasList # A stable address for the pods that a selector selects.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ServiceSpec byValue
  status 3 ServiceStatus byValue
ServiceSpec # The pods behind the service, and how the service is reached.
  ports 1 []ServicePort listType=map listMapKeys=port,protocol patchStrategy=merge patchMergeKey=port
  selector 2 map[string]string mapType=atomic
  clusterIP 3 string
  clusterIPs 18 []string
  type 4 string enum=ClusterIP|ExternalName|LoadBalancer|NodePort
  externalIPs 5 []string
  sessionAffinity 7 string enum=ClientIP|None
  loadBalancerIP 8 string
  loadBalancerSourceRanges 9 []string
  externalName 10 string
  externalTrafficPolicy 11 string enum=Cluster|Local
  healthCheckNodePort 12 int32
  publishNotReadyAddresses 13 bool
  sessionAffinityConfig 14 SessionAffinityConfig
  ipFamilies 19 []string enum=|IPv4|IPv6
  ipFamilyPolicy 17 string pointer enum=PreferDualStack|RequireDualStack|SingleStack
  allocateLoadBalancerNodePorts 20 bool pointer
  loadBalancerClass 21 string pointer
  internalTrafficPolicy 22 string pointer enum=Cluster|Local
  trafficDistribution 23 string pointer
ServicePort
  name 1 string
  protocol 2 string enum=SCTP|TCP|UDP default=TCP
  appProtocol 6 string pointer
  port 3 int32 required
  targetPort 4 IntOrString
  nodePort 5 int32
SessionAffinityConfig
  clientIP 1 ClientIPConfig
ClientIPConfig
  timeoutSeconds 1 int32 pointer
ServiceStatus
  loadBalancer 1 LoadBalancerStatus byValue
  conditions 2 []meta.Condition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
LoadBalancerStatus
  ingress 1 []LoadBalancerIngress
LoadBalancerIngress
  ip 1 string
  hostname 2 string
  ipMode 3 string pointer
  ports 4 []PortStatus
PortStatus
  port 1 int32 required
  protocol 2 string required enum=SCTP|TCP|UDP
  error 3 string pointer
Endpoints kind hasList # The addresses behind a service, in the form that preceded EndpointSlice.
  metadata 1 meta.ObjectMeta byValue
  subsets 2 []EndpointSubset
EndpointSubset
  addresses 1 []EndpointAddress
  notReadyAddresses 2 []EndpointAddress
  ports 3 []EndpointPort
EndpointAddress structType=atomic
  ip 1 string required
  hostname 3 string
  nodeName 4 string pointer
  targetRef 2 ObjectReference
EndpointPort structType=atomic
  name 1 string
  port 2 int32 required
  protocol 3 string enum=SCTP|TCP|UDP
  appProtocol 4 string pointer
`
}
