import type { DeviceToleration } from "./objects/ResourceClaim.ts"
import type { DeviceTaint } from "./objects/ResourceSlice.ts"

/**
 * Whether a request for devices tolerates a taint of one.
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/devicetoleration.go, ToleratesTaint.
 */
export const toleratesDeviceTaint = (
  { effect = "", key = "", operator, value = "" }: Omit<DeviceToleration, "effect"> & { readonly effect?: string },
  taint: DeviceTaint
): boolean => {
  if (effect !== "" && effect !== taint.effect) return false
  if (key !== "" && key !== taint.key) return false
  return operator === "Exists" || value === (taint.value ?? "")
}
