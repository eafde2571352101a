import type { IngressClass } from "../objects/IngressClass.ts"
import type { NetworkPolicy, NetworkPolicyPort } from "../objects/NetworkPolicy.ts"
import { mapItems, withFields } from "./fill.ts"

/** Upstream: pkg/apis/networking/v1/defaults.go. */

export const defaultIngressClass = (ingressClass: IngressClass): IngressClass => {
  const { spec } = ingressClass
  if (spec?.parameters === undefined || spec.parameters.scope !== undefined) return ingressClass
  return { ...ingressClass, spec: { ...spec, parameters: { ...spec.parameters, scope: "Cluster" } } }
}

const completePort = (port: NetworkPolicyPort): NetworkPolicyPort =>
  port.protocol === undefined ? { ...port, protocol: "TCP" } : port

const completeRule = <A extends { readonly ports?: ReadonlyArray<NetworkPolicyPort> }>(rule: A): A =>
  rule.ports === undefined ? rule : withFields<A>(rule, { ports: mapItems(rule.ports, completePort) } as Partial<A>)

export const defaultNetworkPolicy = (policy: NetworkPolicy): NetworkPolicy => {
  const { egress = [], ingress = [], policyTypes = [] } = policy.spec ?? {}
  const spec = withFields(policy.spec ?? {}, {
    ingress: ingress.length === 0 ? undefined : mapItems(ingress, completeRule),
    egress: egress.length === 0 ? undefined : mapItems(egress, completeRule)
  })
  if (policyTypes.length > 0) return withFields(policy, { spec })
  return { ...policy, spec: { ...spec, policyTypes: egress.length === 0 ? ["Ingress"] : ["Ingress", "Egress"] } }
}
