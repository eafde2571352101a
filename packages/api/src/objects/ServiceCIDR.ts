import * as Schema from "effect/Schema"
import { list, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Condition } from "./Meta.ts"

/** An object that uses an address. */
export const ParentReference = Schema.Struct({
  group: opt(Schema.String),
  resource: opt(Schema.String),
  namespace: opt(Schema.String),
  name: opt(Schema.String)
})
export interface ParentReference extends Schema.Schema.Type<typeof ParentReference> {}

/** An address in use; its name is the address. Cluster-scoped. */
export const IPAddress = Schema.Struct({
  ...typed("networking.k8s.io/v1", "IPAddress"),
  spec: opt(Schema.Struct({ parentRef: opt(ParentReference) }))
})
export interface IPAddress extends Schema.Schema.Type<typeof IPAddress> {}

/** A range of addresses of Services. Cluster-scoped. */
export const ServiceCIDR = Schema.Struct({
  ...typed("networking.k8s.io/v1", "ServiceCIDR"),
  spec: opt(Schema.Struct({ cidrs: opt(list(Schema.String)) })),
  status: opt(Schema.Struct({ conditions: opt(list(Condition)) }))
})
export interface ServiceCIDR extends Schema.Schema.Type<typeof ServiceCIDR> {}
