import { claimNameOf, claimsOf, type Pod, type ResourceClaim } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AllocatedResource } from "../runtime/PodRuntime.ts"
import type { DeviceHealth, PreparedDevice } from "./DeviceDriver.ts"

/** A claim that a container uses, or one request of it. */
interface ContainerClaim {
  readonly name: string
  readonly request?: string
}

/** The request of a device, without the alternative of `firstAvailable` that was taken. */
const baseOf = (request: string | undefined): string => (request ?? "").split("/")[0] ?? ""

const claimNamed = (pod: Pod, name: string): string | undefined => {
  const claim = claimsOf(pod).find((one) => one.name === name)
  const named = claim === undefined ? undefined : claimNameOf(pod, claim)
  return named !== undefined && Result.isSuccess(named) ? named.success?.name : undefined
}

/** A claim that is prepared, with its devices as far as drivers have named them. */
export interface PreparedClaim {
  readonly claim: ResourceClaim
  readonly devices: ReadonlyMap<string, ReadonlyArray<PreparedDevice>>
}

/** Returns the devices of a claim by driver: those that were prepared, or those that were allocated. */
export const devicesOf = ({ claim, devices }: PreparedClaim): ReadonlyArray<readonly [string, PreparedDevice]> => {
  const results = claim.status?.allocation?.devices?.results ?? []
  const allocated = results
    .filter(({ driver }) => !devices.has(driver))
    .map(({ device, driver, pool, request }) => {
      const one = { requestNames: [baseOf(request)], poolName: pool, deviceName: device, cdiDeviceIDs: [] }
      return [driver, one] as const
    })
  const prepared = [...devices].flatMap(([driver, all]) => all.map((device) => [driver, device] as const))
  return [...allocated, ...prepared]
}

type HealthOf = (driver: string, device: PreparedDevice) => Pick<DeviceHealth, "health" | "message">

const resourcesOf = (claim: PreparedClaim, request: string, healthOf: HealthOf): AllocatedResource["resources"] => {
  const resources = devicesOf(claim)
    .filter(
      ([, { requestNames }]) => request === "" || requestNames.length === 0 || requestNames.includes(baseOf(request))
    )
    .map(([driver, device]) => {
      const { health, message = "" } = healthOf(driver, device)
      const resourceID = device.cdiDeviceIDs[0] ?? `${driver}/${device.poolName}/${device.deviceName}`
      return { resourceID, health, ...(message === "" ? {} : { message }) }
    })
  return [...new Map(resources.toReversed().map((one) => [one.resourceID, one])).values()].toReversed()
}

/**
 * Returns the devices that a container has by its claims, and how they are: `prepared` returns a claim of the pod's namespace
 * that is prepared. Upstream: pkg/kubelet/cm/dra/manager.go UpdateAllocatedResourcesStatus.
 */
export const claimedDevices = (
  pod: Pod,
  container: string,
  prepared: (name: string) => PreparedClaim | undefined,
  healthOf: HealthOf
): ReadonlyArray<AllocatedResource> => {
  const { resources } = pod.spec.containers.find(({ name }) => name === container) ?? {}
  const claims = (resources?.claims ?? []) as ReadonlyArray<ContainerClaim>
  return claims.flatMap(({ name, request = "" }) => {
    const claim = prepared(claimNamed(pod, name) ?? "")
    const devices = claim === undefined ? [] : resourcesOf(claim, request, healthOf)
    return devices.length === 0
      ? []
      : [{ name: `claim:${name}${request === "" ? "" : `/${request}`}`, resources: devices }]
  })
}

/** A claim that a container uses, with its devices and their drivers. */
export interface ContainerClaimDevices {
  readonly name: string
  readonly namespace: string
  readonly devices: ReadonlyArray<readonly [driver: string, device: PreparedDevice]>
}

/** Whether the claim for a pod's extended resources has devices for a container. */
const usesExtended = ({ status }: Pod, container: string): string | undefined => {
  const extended = status?.extendedResourceClaimStatus as
    | {
        readonly resourceClaimName?: string
        readonly requestMappings?: ReadonlyArray<{ readonly containerName?: string }>
      }
    | undefined
  const isMapped = extended?.requestMappings?.some(({ containerName }) => containerName === container) === true
  return isMapped ? extended.resourceClaimName : undefined
}

/**
 * Returns the claims of a container with all their devices; none if one of them is not prepared. Upstream:
 * GetContainerClaimInfos of pkg/kubelet/cm/dra/manager.go.
 */
export const claimsOfContainer = (
  pod: Pod,
  container: string,
  prepared: (name: string) => PreparedClaim | undefined
): ReadonlyArray<ContainerClaimDevices> => {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const claims = all.find(({ name }) => name === container)?.resources?.claims as
    | ReadonlyArray<ContainerClaim>
    | undefined
  const used = new Set(claims?.map(({ name }) => name))
  const extended = usesExtended(pod, container)
  const names = [
    ...claimsOf(pod).flatMap(({ name }) => (used.has(name) ? (claimNamed(pod, name) ?? []) : [])),
    ...(extended === undefined ? [] : [extended])
  ]
  const found: Array<ContainerClaimDevices> = []
  for (const name of names) {
    const claim = prepared(name)
    if (claim === undefined) return []
    found.push({ name, namespace: pod.metadata.namespace ?? "", devices: devicesOf(claim) })
  }
  return found
}
