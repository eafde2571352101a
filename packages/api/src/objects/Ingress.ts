import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"

/** Where requests go: to a port of a service, or to another object. */
export const IngressBackend = Schema.Struct({
  service: opt(
    Schema.Struct({
      name: Schema.String,
      port: opt(Schema.Struct({ name: opt(Schema.String), number: opt(Schema.Int) }))
    })
  ),
  resource: opt(Schema.Struct({ apiGroup: opt(Schema.String), kind: Schema.String, name: Schema.String }))
})
export interface IngressBackend extends Schema.Schema.Type<typeof IngressBackend> {}

export const HTTPIngressPath = Schema.Struct({
  path: opt(Schema.String),
  pathType: opt(oneOf("Exact", "ImplementationSpecific", "Prefix")),
  backend: IngressBackend
})
export interface HTTPIngressPath extends Schema.Schema.Type<typeof HTTPIngressPath> {}

export const IngressSpec = Schema.Struct({
  ingressClassName: opt(Schema.String),
  defaultBackend: opt(IngressBackend),
  tls: opt(list(Schema.Struct({ hosts: opt(list(Schema.String)), secretName: opt(Schema.String) }))),
  rules: opt(
    list(Schema.Struct({ host: opt(Schema.String), http: opt(Schema.Struct({ paths: opt(list(HTTPIngressPath)) })) }))
  )
})
export interface IngressSpec extends Schema.Schema.Type<typeof IngressSpec> {}

const LoadBalancerIngress = Schema.Struct({
  ip: opt(Schema.String),
  hostname: opt(Schema.String),
  ports: opt(list(Schema.Struct({ port: Schema.Int, protocol: Schema.String, error: opt(Schema.String) })))
})

/** How HTTP requests from outside the cluster reach services. */
export const Ingress = Schema.Struct({
  ...typed("networking.k8s.io/v1", "Ingress"),
  spec: opt(IngressSpec),
  status: opt(Schema.Struct({ loadBalancer: opt(Schema.Struct({ ingress: opt(list(LoadBalancerIngress)) })) }))
})
export interface Ingress extends Schema.Schema.Type<typeof Ingress> {}
