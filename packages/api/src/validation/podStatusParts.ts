import { memberOf } from "../memberOf.ts"
import type { Container } from "../objects/Container.ts"
import type { Pod, PodSpec } from "../objects/Pod.ts"
import type { ContainerStatus, PodStatus } from "../objects/PodStatus.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { byteLength, isDNS1123Label, nameIsDNSSubdomain, rangeText } from "./names.ts"

/*
 * The parts of a pod's status that name parts of its spec: resource claims, devices and users of containers. Upstream:
 * pkg/apis/core/validation/validation.go, ValidatePodStatusUpdate.
 */

const checkClaimName = (errors: ErrorList, name: string, path: string): void => {
  errors.invalidEach(path, name, nameIsDNSSubdomain(name, false))
}

const checkClaims = (errors: ErrorList, statuses: PodStatus["resourceClaimStatuses"], spec: PodSpec): void => {
  const declared = new Set(spec.resourceClaims?.map(({ name }) => name))
  const seen = new Set<string>()
  statuses?.forEach(({ name, resourceClaimName }, index) => {
    const at = `status.resourceClaimStatuses[${index}]`
    if (!declared.has(name)) {
      errors.invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`")
    }
    if (seen.has(name)) errors.duplicate(`${at}.name`, name)
    seen.add(name)
    if (resourceClaimName === undefined) return
    const faults = nameIsDNSSubdomain(resourceClaimName, false)
    errors.invalidEach(`${at}.resourceClaimName`, typed(resourceClaimName), faults)
  })
}

interface RequestMapping {
  readonly containerName?: string
  readonly resourceName?: string
  readonly requestName?: string
}

interface ExtendedClaim {
  readonly requestMappings?: ReadonlyArray<RequestMapping>
  readonly resourceClaimName?: string
}

const checkExtendedClaim = (errors: ErrorList, claim: ExtendedClaim | undefined, spec: PodSpec): void => {
  if (claim === undefined) return
  const path = "status.extendedResourceClaimStatus"
  const { requestMappings = [], resourceClaimName = "" } = claim
  if (requestMappings.length === 0) {
    errors.required(`${path}.requestMappings`, "at least one request mapping is required")
  }
  const containers = new Map([...(spec.initContainers ?? []), ...spec.containers].map((one) => [one.name, one]))
  const seen = new Set<string>()
  requestMappings.forEach(({ containerName = "", requestName = "", resourceName = "" }, index) => {
    const at = `${path}.requestMappings[${index}]`
    const container = containers.get(containerName)
    if (container === undefined) {
      const detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
      errors.invalid(`${at}.containerName`, containerName, detail)
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const detail =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests"
      errors.invalid(`${at}.resourceName`, resourceName, detail)
    }
    errors.invalidEach(`${path}.requestName`, requestName, isDNS1123Label(requestName))
    const key = JSON.stringify([containerName, resourceName, requestName])
    if (seen.has(key)) {
      errors.duplicate(`${at}.containerName`, containerName)
      errors.duplicate(`${at}.resourceName`, resourceName)
      errors.duplicate(`${at}.requestName`, requestName)
    }
    seen.add(key)
  })
  if (resourceClaimName === "") errors.required(`${path}.resourceClaimName`)
  else checkClaimName(errors, resourceClaimName, `${path}.resourceClaimName`)
}

interface LinuxUser {
  readonly uid?: number
  readonly gid?: number
  readonly supplementalGroups?: ReadonlyArray<number>
}

const maxId = 2 ** 31 - 1

const checkUser = (errors: ErrorList, status: ContainerStatus, isWindows: boolean, path: string): void => {
  const linux = (status.user as { readonly linux?: LinuxUser } | undefined)?.linux
  if (linux === undefined) return
  if (isWindows) {
    errors.forbidden(`${path}.user.linux`, "cannot be set for a windows pod")
    return
  }
  const check = (id: number, at: string) => {
    if (id < 0 || id > maxId) errors.invalid(`${path}.user.linux.${at}`, id, rangeText(0, maxId))
  }
  check(linux.uid ?? 0, "uid")
  check(linux.gid ?? 0, "gid")
  linux.supplementalGroups?.forEach((group, index) => void check(group, `supplementalGroups[${index}]`))
}

interface DeviceHealth {
  readonly resourceID?: string
  readonly health?: string
  readonly message?: string
}

interface ResourceStatus {
  readonly name?: string
  readonly resources?: ReadonlyArray<DeviceHealth>
}

const maxHealthMessageBytes = 1024
const healths = ["Healthy", "Unhealthy", "Unknown"]

/** Checks that a container's allocated resource is one that it requests or claims. */
const checkIsRequested = (errors: ErrorList, container: Container, name: string, path: string): void => {
  const { claims = [], requests = {} } = (container.resources ?? {}) as {
    readonly claims?: ReadonlyArray<{ readonly name: string; readonly request?: string }>
    readonly requests?: Readonly<Record<string, unknown>>
  }
  if (!name.startsWith("claim:")) {
    if (memberOf(requests, name) === undefined) {
      errors.invalid(path, name, "must match one of the container's resource requests")
    }
    return
  }
  const claimed = claims.map(({ name: claim, request = "" }) => `claim:${claim}${request === "" ? "" : `/${request}`}`)
  if (claimed.includes(name)) return
  const detail =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
  errors.invalid(path, typed(name), detail)
}

const checkDevices = (
  errors: ErrorList,
  status: ContainerStatus,
  containers: ReadonlyArray<Container> | undefined,
  path: string
): void => {
  const allocated = status.allocatedResourcesStatus as ReadonlyArray<ResourceStatus> | undefined
  if (allocated === undefined) return
  const container = containers?.find(({ name }) => name === status.name)
  allocated.forEach(({ name = "", resources }, index) => {
    const at = `${path}.allocatedResourcesStatus[${index}]`
    if (container !== undefined) checkIsRequested(errors, container, name, `${at}.name`)
    const seen = new Set<string>()
    resources?.forEach(({ health = "", message, resourceID = "" }, deviceIndex) => {
      const device = `${at}.resources[${deviceIndex}]`
      if (!healths.includes(health)) errors.notSupported(`${device}.health`, health, healths)
      if (message === "") errors.required(`${device}.message`, "must be non-empty if specified")
      else if (byteLength(message ?? "") > maxHealthMessageBytes)
        errors.tooLong(`${device}.message`, maxHealthMessageBytes)
      if (seen.has(resourceID)) errors.duplicate(`${device}.resourceID`, typed(resourceID))
      seen.add(resourceID)
    })
  })
}

/** Checks the claims in a pod's status. */
export const checkStatusClaims = (errors: ErrorList, { spec, status = {} }: Pod): void => {
  checkClaims(errors, status.resourceClaimStatuses, spec)
  checkExtendedClaim(errors, status.extendedResourceClaimStatus as ExtendedClaim | undefined, spec)
}

/** Checks the users of containers in a pod's status, and the resources that they have. */
export const checkContainerStatuses = (errors: ErrorList, { spec, status = {} }: Pod): void => {
  const lists = [
    ["containerStatuses", spec.containers],
    ["initContainerStatuses", spec.initContainers],
    ["ephemeralContainerStatuses", undefined]
  ] as const
  const isWindows = spec.os?.name === "windows"
  const hasUsers = lists.some(([list]) => status[list]?.some(({ user }) => user !== undefined))
  const hasDevices = lists.some(([list]) => status[list]?.some(({ allocatedResourcesStatus: of }) => of !== undefined))
  for (const [list] of hasUsers ? lists : []) {
    status[list]?.forEach((one, index) => void checkUser(errors, one, isWindows, `status.${list}[${index}]`))
  }
  for (const [list, containers] of hasDevices ? lists : []) {
    status[list]?.forEach((one, index) => {
      const path = `status.${list}[${index}]`
      if (list !== "ephemeralContainerStatuses") checkDevices(errors, one, containers, path)
      else if (one.allocatedResourcesStatus?.length) {
        errors.forbidden(`${path}.allocatedResourcesStatus`, "must not be specified in container status")
      }
    })
  }
}
