import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/networking/v1/{types.go,generated.proto}. The notation: ../Table.ts. */
export const networking: Table = {
  package: "io.k8s.api.networking.v1",
  group: "networking.k8s.io",
  messages: `
IPAddress kind hasList # An address that is in use: its name is the address.
  metadata 1 meta.ObjectMeta byValue
  spec 2 IPAddressSpec required byValue
IPAddressSpec
  parentRef 1 ParentReference required omitEmpty # The object that uses the address.
ParentReference
  group 1 string
  resource 2 string required omitEmpty
  namespace 3 string
  name 4 string required omitEmpty
ServiceCIDR kind hasList # A range of addresses of Services.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ServiceCIDRSpec byValue
  status 3 ServiceCIDRStatus byValue
ServiceCIDRSpec
  cidrs 1 []string listType=atomic # One range, or one of each family of addresses.
ServiceCIDRStatus
  conditions 1 []meta.Condition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
IngressClass kind hasList # A class of Ingresses, which one controller handles.
  metadata 1 meta.ObjectMeta byValue
  spec 2 IngressClassSpec byValue
IngressClassSpec
  controller 1 string # The name of the controller, as a path with a domain: example.com/ingress. It never changes.
  parameters 2 IngressClassParametersReference # An object with settings for the controller.
IngressClassParametersReference
  apiGroup 1 string pointer # The group of the object; that of the core if absent.
  kind 2 string required
  name 3 string required
  scope 4 string pointer noOmitEmpty # Cluster, or Namespace if the object is in one.
  namespace 5 string pointer # The namespace of the object, only if scope is Namespace.
Ingress kind hasList # Rules by which HTTP requests from outside the cluster reach services.
  metadata 1 meta.ObjectMeta byValue
  spec 2 IngressSpec byValue
  status 3 IngressStatus byValue
IngressSpec
  ingressClassName 4 string pointer # The class, which decides which controller handles the Ingress.
  defaultBackend 1 IngressBackend # The backend of requests that no rule matches.
  tls 2 []IngressTLS listType=atomic
  rules 3 []IngressRule listType=atomic
IngressBackend # A service or another object; never both.
  service 4 IngressServiceBackend
  resource 3 core.TypedLocalObjectReference
IngressServiceBackend
  name 1 string required # The name of a service in the namespace of the Ingress.
  port 2 ServiceBackendPort byValue
ServiceBackendPort structType=atomic # A port of a service, by name or by number.
  name 1 string
  number 2 int32
IngressTLS
  hosts 1 []string listType=atomic # The host names of the certificate.
  secretName 2 string # The Secret with the certificate and its key.
IngressRule embeds=IngressRuleValue
  host 1 string # The host of the requests: a domain name, whose first label may be an asterisk.
  http 2.1 HTTPIngressRuleValue undescribed
HTTPIngressRuleValue
  paths 1 []HTTPIngressPath required listType=atomic
HTTPIngressPath
  path 1 string # The path of requests, matched as pathType says.
  pathType 3 string pointer required enum=Exact|ImplementationSpecific|Prefix # How the path is matched.
  backend 2 IngressBackend required byValue
IngressStatus
  loadBalancer 1 IngressLoadBalancerStatus byValue
IngressLoadBalancerStatus
  ingress 1 []IngressLoadBalancerIngress listType=atomic # The points at which the load balancer is reached.
IngressLoadBalancerIngress
  ip 1 string
  hostname 2 string
  ports 4 []IngressPortStatus listType=atomic
IngressPortStatus
  port 1 int32 required
  protocol 2 string required enum=SCTP|TCP|UDP
  error 3 string pointer # Why the port does not work, as a name in CamelCase.
NetworkPolicy kind hasList # Which connections a set of pods accepts and makes.
  metadata 1 meta.ObjectMeta byValue
  spec 2 NetworkPolicySpec byValue
NetworkPolicySpec
  podSelector 1 meta.LabelSelector byValue # The pods to which the policy applies; all of its namespace if empty.
  ingress 2 []NetworkPolicyIngressRule listType=atomic # Which connections to the pods are allowed.
  egress 3 []NetworkPolicyEgressRule listType=atomic # Which connections from the pods are allowed.
  policyTypes 4 []string listType=atomic enum=Egress|Ingress # The directions that the policy restricts.
NetworkPolicyIngressRule
  ports 1 []NetworkPolicyPort listType=atomic
  from 2 []NetworkPolicyPeer listType=atomic
NetworkPolicyEgressRule
  ports 1 []NetworkPolicyPort listType=atomic
  to 2 []NetworkPolicyPeer listType=atomic
NetworkPolicyPort
  protocol 1 string pointer enum=SCTP|TCP|UDP
  port 2 IntOrString pointer # A number, or the name of a port of the pods; all ports if absent.
  endPort 3 int32 pointer # The last port of a range that port begins.
NetworkPolicyPeer # Pods or addresses at the other end of a connection.
  podSelector 1 meta.LabelSelector
  namespaceSelector 2 meta.LabelSelector
  ipBlock 3 IPBlock
IPBlock
  cidr 1 string required # The addresses.
  except 2 []string listType=atomic # Parts of them that are not meant.
`
}
