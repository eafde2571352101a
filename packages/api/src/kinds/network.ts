import { defaultIngressClass, defaultNetworkPolicy } from "../defaulting/networking.ts"
import { defaultEndpointSlice, defaultEndpoints, defaultService } from "../defaulting/service.ts"
import { Ingress } from "../objects/Ingress.ts"
import { IngressClass } from "../objects/IngressClass.ts"
import { NetworkPolicy } from "../objects/NetworkPolicy.ts"
import { EndpointSlice, Endpoints, Service } from "../objects/Service.ts"
import * as validation from "../validation/endpoints.ts"
import { ingressRules } from "../validation/ingress.ts"
import { ingressClassRules } from "../validation/ingressClass.ts"
import { networkPolicyRules } from "../validation/networkPolicy.ts"
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from "../validation/service.ts"
import { ingressStatusWarnings, ingressWarnings, networkPolicyWarnings } from "../warnings/networking.ts"
import * as warnings from "../warnings/services.ts"
import { kind } from "./Kind.ts"

/** Upstream: services of pkg/apis/core, pkg/apis/discovery, pkg/apis/networking. */

export const services = kind<Service>(Service, {
  shortNames: ["svc"],
  categories: ["all"],
  defaults: defaultService,
  validation: { create: validateService, update: validateServiceUpdate, updateStatus: validateServiceStatusUpdate },
  warnings: warnings.serviceWarnings,
  statusWarnings: warnings.serviceStatusWarnings,
  fields: { "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "", "spec.type": ({ spec }) => spec?.type }
})

export const endpoints = kind<Endpoints>(Endpoints, {
  shortNames: ["ep"],
  defaults: defaultEndpoints,
  validation: { create: (object) => validation.validateEndpoints(object), update: validation.validateEndpointsUpdate },
  warnings: warnings.endpointsWarnings
})

export const endpointSlices = kind<EndpointSlice>(EndpointSlice, {
  defaults: defaultEndpointSlice,
  validation: {
    create: (slice) => validation.validateEndpointSlice(slice),
    update: validation.validateEndpointSliceUpdate
  },
  warnings: warnings.sliceWarnings
})

export const ingressClasses = kind<IngressClass>(IngressClass, {
  scope: "Cluster",
  defaults: defaultIngressClass,
  validation: ingressClassRules
})

export const ingresses = kind<Ingress>(Ingress, {
  shortNames: ["ing"],
  validation: ingressRules,
  warnings: ingressWarnings,
  statusWarnings: ingressStatusWarnings
})

export const networkPolicies = kind<NetworkPolicy>(NetworkPolicy, {
  shortNames: ["netpol"],
  defaults: defaultNetworkPolicy,
  validation: networkPolicyRules,
  warnings: networkPolicyWarnings
})
