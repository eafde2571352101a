import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { IntOrString } from "./Scalars.ts"

export const NetworkPolicyPort = Schema.Struct({
  protocol: opt(oneOf("TCP", "UDP", "SCTP")),
  port: opt(IntOrString),
  endPort: opt(Schema.Int)
})
export interface NetworkPolicyPort extends Schema.Schema.Type<typeof NetworkPolicyPort> {}

/** Pods by their labels and those of their namespaces, or addresses. */
export const NetworkPolicyPeer = Schema.Struct({
  podSelector: opt(LabelSelector),
  namespaceSelector: opt(LabelSelector),
  ipBlock: opt(Schema.Struct({ cidr: Schema.String, except: opt(list(Schema.String)) }))
})
export interface NetworkPolicyPeer extends Schema.Schema.Type<typeof NetworkPolicyPeer> {}

export const NetworkPolicySpec = Schema.Struct({
  podSelector: opt(LabelSelector),
  ingress: opt(list(Schema.Struct({ ports: opt(list(NetworkPolicyPort)), from: opt(list(NetworkPolicyPeer)) }))),
  egress: opt(list(Schema.Struct({ ports: opt(list(NetworkPolicyPort)), to: opt(list(NetworkPolicyPeer)) }))),
  policyTypes: opt(list(oneOf("Ingress", "Egress")))
})
export interface NetworkPolicySpec extends Schema.Schema.Type<typeof NetworkPolicySpec> {}

/** Which connections pods accept and make. */
export const NetworkPolicy = Schema.Struct({
  ...typed("networking.k8s.io/v1", "NetworkPolicy"),
  spec: opt(NetworkPolicySpec)
})
export interface NetworkPolicy extends Schema.Schema.Type<typeof NetworkPolicy> {}
