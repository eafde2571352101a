import { defaultEndpointSlice, defaultEndpoints, defaultService } from "../defaulting/service.ts"
import { EndpointSlice, Endpoints, Service } from "../objects/Service.ts"
import * as validation from "../validation/endpoints.ts"
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from "../validation/service.ts"
import * as warnings from "../warnings/services.ts"
import { kind } from "./Kind.ts"

/** Upstream: services of pkg/apis/core, pkg/apis/discovery. */

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
