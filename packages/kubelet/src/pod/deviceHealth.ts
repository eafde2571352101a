import type { Pod } from "@rollcall/api"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { Containers } from "./Containers.ts"

/** Whether the status of a pod shows how its devices are. */
export const showsDevices = ({ regular }: Containers): boolean =>
  regular.some((status) => (status.allocatedResourcesStatus ?? []).length > 0)

/**
 * Returns the statuses with the health of the devices that their containers have. Upstream: UpdateAllocatedResourcesStatus
 * of pkg/kubelet/cm/devicemanager and pkg/kubelet/cm/dra.
 */
export const withDeviceHealth = (containers: Containers, pod: Pod, runtime: PodRuntime): Containers => {
  if (runtime.deviceHealth === undefined) return containers
  let hasChanged = false
  const regular = containers.regular.map((status) => {
    const devices = runtime.deviceHealth?.(pod, status.name) ?? []
    if (devices.length === 0 && status.allocatedResourcesStatus === undefined) return status
    hasChanged = true
    const { allocatedResourcesStatus: _, ...rest } = status
    return devices.length === 0 ? rest : { ...rest, allocatedResourcesStatus: devices }
  })
  return hasChanged ? { ...containers, regular } : containers
}
