import type { DeviceClass } from "@rollcall/api"
import { CLASS_RESOURCE_PREFIX } from "../cache/PodDevices.ts"

const createdAt = ({ metadata }: DeviceClass): string => metadata.creationTimestamp ?? ""
const nameOf = ({ metadata }: DeviceClass): string => metadata.name ?? ""

/** Of two classes with one resource, the newer one counts; of two of the same age, that with the lower name. */
const isPreferred = (deviceClass: DeviceClass, to: DeviceClass): boolean =>
  createdAt(deviceClass) === createdAt(to) ? nameOf(deviceClass) < nameOf(to) : createdAt(deviceClass) > createdAt(to)

/**
 * The class that provides each extended resource: by `extendedResourceName`, or by the class's own name.
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache.
 */
export const classesByResource = (classes: Iterable<DeviceClass>): ReadonlyMap<string, DeviceClass> => {
  const found = new Map<string, DeviceClass>()
  for (const deviceClass of classes) {
    found.set(`${CLASS_RESOURCE_PREFIX}${nameOf(deviceClass)}`, deviceClass)
    const { extendedResourceName: resource } = deviceClass.spec
    if (resource === undefined) continue
    const known = found.get(resource)
    if (known === undefined || isPreferred(deviceClass, known)) found.set(resource, deviceClass)
  }
  return found
}
