import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Condition, ObjectReference } from "./Meta.ts"
import { IntOrString } from "./Scalars.ts"

export const ServicePort = Schema.Struct({
  name: opt(Schema.String),
  protocol: opt(oneOf("TCP", "UDP", "SCTP")),
  appProtocol: opt(Schema.String),
  port: Schema.Int,
  targetPort: opt(IntOrString),
  nodePort: opt(Schema.Int)
})
export interface ServicePort extends Schema.Schema.Type<typeof ServicePort> {}

export const ServiceSpec = Schema.Struct({
  ports: opt(list(ServicePort)),
  selector: opt(StringMap),
  clusterIP: opt(Schema.String),
  clusterIPs: opt(list(Schema.String)),
  type: opt(oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
  externalIPs: opt(list(Schema.String)),
  sessionAffinity: opt(oneOf("None", "ClientIP")),
  loadBalancerIP: opt(Schema.String),
  loadBalancerSourceRanges: opt(list(Schema.String)),
  externalName: opt(Schema.String),
  externalTrafficPolicy: opt(oneOf("Cluster", "Local")),
  healthCheckNodePort: opt(Schema.Int),
  publishNotReadyAddresses: opt(Schema.Boolean),
  sessionAffinityConfig: opt(Schema.Struct({ clientIP: opt(Schema.Struct({ timeoutSeconds: opt(Schema.Int) })) })),
  ipFamilies: opt(list(oneOf("IPv4", "IPv6"))),
  ipFamilyPolicy: opt(oneOf("SingleStack", "PreferDualStack", "RequireDualStack")),
  allocateLoadBalancerNodePorts: opt(Schema.Boolean),
  loadBalancerClass: opt(Schema.String),
  internalTrafficPolicy: opt(oneOf("Cluster", "Local")),
  trafficDistribution: opt(Schema.String)
})
export interface ServiceSpec extends Schema.Schema.Type<typeof ServiceSpec> {}

/** An address at which a load balancer is reached. */
export const LoadBalancerIngress = Schema.Struct({
  ip: opt(Schema.String),
  hostname: opt(Schema.String),
  ipMode: opt(Schema.String),
  ports: opt(list(Opaque))
})
export interface LoadBalancerIngress extends Schema.Schema.Type<typeof LoadBalancerIngress> {}

/** A stable address for the pods behind a selector. */
export const Service = Schema.Struct({
  ...typed("v1", "Service"),
  spec: opt(ServiceSpec),
  status: opt(
    Schema.Struct({
      loadBalancer: opt(Schema.Struct({ ingress: opt(list(LoadBalancerIngress)) })),
      conditions: opt(list(Condition))
    })
  )
})
export interface Service extends Schema.Schema.Type<typeof Service> {}

export const EndpointAddress = Schema.Struct({
  ip: Schema.String,
  hostname: opt(Schema.String),
  nodeName: opt(Schema.String),
  targetRef: opt(ObjectReference)
})
export interface EndpointAddress extends Schema.Schema.Type<typeof EndpointAddress> {}

export const EndpointSubset = Schema.Struct({
  addresses: opt(list(EndpointAddress)),
  notReadyAddresses: opt(list(EndpointAddress)),
  ports: opt(
    list(
      Schema.Struct({
        name: opt(Schema.String),
        port: Schema.Int,
        protocol: opt(oneOf("TCP", "UDP", "SCTP")),
        appProtocol: opt(Schema.String)
      })
    )
  )
})
export interface EndpointSubset extends Schema.Schema.Type<typeof EndpointSubset> {}

/** The addresses behind a Service of the same name, in the legacy form. */
export const Endpoints = Schema.Struct({ ...typed("v1", "Endpoints"), subsets: opt(list(EndpointSubset)) })
export interface Endpoints extends Schema.Schema.Type<typeof Endpoints> {}

export const Endpoint = Schema.Struct({
  addresses: list(Schema.String),
  conditions: opt(
    Schema.Struct({
      ready: opt(Schema.Boolean),
      serving: opt(Schema.Boolean),
      terminating: opt(Schema.Boolean)
    })
  ),
  hostname: opt(Schema.String),
  targetRef: opt(ObjectReference),
  deprecatedTopology: opt(StringMap),
  nodeName: opt(Schema.String),
  zone: opt(Schema.String),
  hints: opt(Opaque)
})
export interface Endpoint extends Schema.Schema.Type<typeof Endpoint> {}

/** A part of the addresses behind a Service. */
export const EndpointSlice = Schema.Struct({
  ...typed("discovery.k8s.io/v1", "EndpointSlice"),
  addressType: oneOf("IPv4", "IPv6", "FQDN"),
  /** Absent when there are none and the server does not write empty lists. */
  endpoints: opt(list(Endpoint)),
  ports: opt(
    Schema.NullOr(
      list(
        Schema.Struct({
          name: opt(Schema.String),
          protocol: opt(oneOf("TCP", "UDP", "SCTP")),
          port: opt(Schema.Int),
          appProtocol: opt(Schema.String)
        })
      )
    )
  )
})
export interface EndpointSlice extends Schema.Schema.Type<typeof EndpointSlice> {}
