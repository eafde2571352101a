import type {
  DeviceClaim,
  DeviceRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate
} from "../objects/ResourceClaim.ts"
import { mapItems, withFields } from "./fill.ts"

/** Upstream: pkg/apis/resource/v1/defaults.go; `DeviceToleration.operator` is a default of types.go. */

const completeToleration = (toleration: DeviceToleration): DeviceToleration =>
  toleration.operator ? toleration : { ...toleration, operator: "Equal" }

/** Requests one device, unless the request says otherwise. */
const completeRequested = <A extends ExactDeviceRequest>(request: A): A => {
  const mode = request.allocationMode || "ExactCount"
  return withFields<ExactDeviceRequest>(request, {
    allocationMode: mode,
    count: mode === "ExactCount" && !request.count ? 1 : request.count,
    tolerations: request.tolerations && mapItems(request.tolerations, completeToleration)
  }) as A
}

const completeRequest = (request: DeviceRequest): DeviceRequest =>
  withFields(request, {
    exactly: request.exactly && completeRequested(request.exactly),
    firstAvailable: request.firstAvailable && mapItems(request.firstAvailable, completeRequested)
  })

const completeClaim = (claim: DeviceClaim): DeviceClaim =>
  claim.requests ? withFields(claim, { requests: mapItems(claim.requests, completeRequest) }) : claim

/** Completes the requests of a claim. */
export const defaultResourceClaim = (claim: ResourceClaim): ResourceClaim => {
  const devices = claim.spec?.devices
  if (devices === undefined) return claim
  const completed = completeClaim(devices)
  return completed === devices ? claim : { ...claim, spec: { ...claim.spec, devices: completed } }
}

/** Completes the requests of the claims that a template makes. */
export const defaultResourceClaimTemplate = (template: ResourceClaimTemplate): ResourceClaimTemplate => {
  const devices = template.spec?.spec?.devices
  if (devices === undefined) return template
  const completed = completeClaim(devices)
  if (completed === devices) return template
  return { ...template, spec: { ...template.spec, spec: { ...template.spec.spec, devices: completed } } }
}
