import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const services: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Service kind list # A stable address for the pods that a selector selects.
  metadata 1 meta.ObjectMeta &
  spec 2 ServiceSpec &
  status 3 ServiceStatus &
ServiceSpec # The pods behind the service, and how the service is reached.
  ports 1 []ServicePort by(port|protocol) merge(port)
  selector 2 {}string atomic
  clusterIP 3 string
  clusterIPs 18 []string
  type 4 string enum(ClusterIP|ExternalName|LoadBalancer|NodePort)
  externalIPs 5 []string
  sessionAffinity 7 string enum(ClientIP|None)
  loadBalancerIP 8 string
  loadBalancerSourceRanges 9 []string
  externalName 10 string
  externalTrafficPolicy 11 string enum(Cluster|Local)
  healthCheckNodePort 12 int32
  publishNotReadyAddresses 13 bool
  sessionAffinityConfig 14 SessionAffinityConfig
  ipFamilies 19 []string
  ipFamilyPolicy 17 string * enum(PreferDualStack|RequireDualStack|SingleStack)
  allocateLoadBalancerNodePorts 20 bool *
  loadBalancerClass 21 string *
  internalTrafficPolicy 22 string * enum(Cluster|Local)
  trafficDistribution 23 string *
ServicePort
  name 1 string
  protocol 2 string enum(SCTP|TCP|UDP) =TCP
  appProtocol 6 string *
  port 3 int32 !
  targetPort 4 IntOrString
  nodePort 5 int32
SessionAffinityConfig
  clientIP 1 ClientIPConfig
ClientIPConfig
  timeoutSeconds 1 int32 *
ServiceStatus
  loadBalancer 1 LoadBalancerStatus &
  conditions 2 []meta.Condition by(type) merge(type)
LoadBalancerStatus
  ingress 1 []LoadBalancerIngress
LoadBalancerIngress
  ip 1 string
  hostname 2 string
  ipMode 3 string *
  ports 4 []PortStatus
PortStatus
  port 1 int32 !
  protocol 2 string ! enum(SCTP|TCP|UDP)
  error 3 string *
Endpoints kind list # The addresses behind a service, in the form that preceded EndpointSlice.
  metadata 1 meta.ObjectMeta &
  subsets 2 []EndpointSubset
EndpointSubset
  addresses 1 []EndpointAddress
  notReadyAddresses 2 []EndpointAddress
  ports 3 []EndpointPort
EndpointAddress atomic
  ip 1 string !
  hostname 3 string
  nodeName 4 string *
  targetRef 2 ObjectReference
EndpointPort atomic
  name 1 string
  port 2 int32 !
  protocol 3 string enum(SCTP|TCP|UDP)
  appProtocol 4 string *
`
}
