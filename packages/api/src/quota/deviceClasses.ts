import type { DeviceClass } from "../objects/ResourceClaim.ts"
import { parseTime } from "../Time.ts"

/** Before the name of a class: the extended resource that each class has. */
export const implicitPrefix = "deviceclass.resource.kubernetes.io/"

const createdMs = ({ metadata }: DeviceClass): number => parseTime(metadata.creationTimestamp ?? "")

/** Whether a class precedes another with the same extended resource: the newer one does, then the lower name. */
const precedes = (one: DeviceClass, other: DeviceClass): boolean => {
  const difference = createdMs(one) - createdMs(other)
  return difference === 0 ? (one.metadata.name ?? "") < (other.metadata.name ?? "") : difference > 0
}

/**
 * Returns the class whose devices pods request by an extended resource. Upstream:
 * dynamic-resource-allocation/deviceclass/extendedresourcecache, GetDeviceClass.
 */
export const classOfExtendedResource = (
  classes: ReadonlyArray<DeviceClass>,
  resource: string
): DeviceClass | undefined => {
  if (resource.startsWith(implicitPrefix)) {
    return classes.find(({ metadata }) => metadata.name === resource.slice(implicitPrefix.length))
  }
  let found: DeviceClass | undefined
  for (const each of classes) {
    if (each.spec.extendedResourceName !== resource) continue
    if (found === undefined || precedes(each, found)) found = each
  }
  return found
}

/** Returns the extended resource that a class names, or undefined. Upstream: GetExtendedResource. */
export const extendedResourceOfClass = (classes: ReadonlyArray<DeviceClass>, name: string): string | undefined =>
  classes.find(({ metadata }) => metadata.name === name)?.spec.extendedResourceName || undefined
