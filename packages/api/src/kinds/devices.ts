import { defaultResourceClaim, defaultResourceClaimTemplate } from "../defaulting/devices.ts"
import { DeviceClass, ResourceClaim, ResourceClaimTemplate } from "../objects/ResourceClaim.ts"
import { ResourceSlice } from "../objects/ResourceSlice.ts"
import * as rules from "../validation/devices/rules.ts"
import { goQuote } from "../validation/goFormat.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/resource. A server that evaluates expressions has stricter rules: see core/registry/devices.ts of api-server. */

export const deviceClasses = kind<DeviceClass>(DeviceClass, { scope: "Cluster", validation: rules.deviceClassRules() })

export const resourceClaims = kind<ResourceClaim>(ResourceClaim, {
  defaults: defaultResourceClaim,
  validation: rules.resourceClaimRules()
})

export const resourceClaimTemplates = kind<ResourceClaimTemplate>(ResourceClaimTemplate, {
  defaults: defaultResourceClaimTemplate,
  validation: rules.resourceClaimTemplateRules()
})

export const resourceSlices = kind<ResourceSlice>(ResourceSlice, {
  scope: "Cluster",
  validation: rules.resourceSliceRules,
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`],
  fields: {
    "spec.nodeName": ({ spec }) => spec.nodeName,
    "spec.driver": ({ spec }) => spec.driver
  },
  fieldFault: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`
})
